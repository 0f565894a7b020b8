"""Does what a configuration has a tool do that is not installed: a parser of its format reads it, and what it describes
is run or sent. Called with the format and the file."""

import configparser
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import requests
import tree_sitter
import tree_sitter_powershell
import yaml

MESSAGE = "Backup done"


def run(command, given=None, **environment):
    subprocess.run(command, check=True, input=given, text=True, env={**os.environ, **environment})


def send(method, url, **request):
    requests.request(method, url, timeout=60, **request).raise_for_status()


def systemd(text):
    unit = configparser.ConfigParser(interpolation=None, delimiters=("=",), comment_prefixes=("#", ";"))
    unit.optionxform = str
    unit.read_string(text)
    assert unit["Unit"]["Description"] and unit["Service"]["Type"] == "oneshot"
    run(shlex.split(unit["Service"]["ExecStart"].replace("%i", "backup.service")))


def cron(text):
    *times, command = text.split(maxsplit=5)
    assert len(times) == 5 and all(re.fullmatch(r"[\d*/,-]+", time) for time in times), times
    # A percent sign would end the command.
    assert "%" not in command and "\n" not in command.strip(), command
    run(["sh", "-c", command])


def github_actions(step):
    secrets = {"${{ job.status }}": "failure", "${{ secrets.TIDINGS }}": os.environ["TIDINGS_TOKEN"]}
    environment = {name: secrets[value] for name, value in step["env"].items()}
    run(["bash", "-e", "-c", step["run"]], GITHUB_REPOSITORY="ana/nas", GITHUB_WORKFLOW="Backup", **environment)


def home_assistant(service):
    assert service["platform"] == "rest" and service["method"] == "POST_JSON", service
    message = {service["title_param_name"]: "NAS", service["message_param_name"]: MESSAGE, **service["data"]}
    send("POST", service["resource"], json=message, headers=service.get("headers"))


def alertmanager(receiver):
    alert = {
        "status": "firing",
        "labels": {"alertname": "BackupFailed", "instance": "nas-01"},
        "annotations": {"summary": "The backup failed"},
        "startsAt": "2026-11-20T08:00:00Z",
        "endsAt": "0001-01-01T00:00:00Z",
        "generatorURL": "http://prometheus.example.org/graph",
        "fingerprint": unique(),
    }
    group = {"version": "4", "groupKey": "{}:{}", "truncatedAlerts": 0, "status": "firing", "alerts": [alert]}
    common = {"commonLabels": alert["labels"], "commonAnnotations": alert["annotations"], "groupLabels": {}}
    for webhook in receiver["webhook_configs"]:
        about = {"receiver": receiver["name"], "externalURL": "http://alertmanager.example.org"}
        send("POST", webhook["url"], json={**group, **common, **about})


def grafana(contact_point):
    for receiver in contact_point["receivers"]:
        assert receiver["type"] == "webhook", receiver
        alert = {
            "status": "firing",
            "labels": {"alertname": "BackupFailed", "grafana_folder": "NAS"},
            "annotations": {"summary": "The backup failed"},
            "startsAt": "2026-11-20T08:00:00Z",
            "endsAt": "0001-01-01T00:00:00Z",
            "generatorURL": "https://grafana.example.org/alerting/1afz29v7z/edit",
            "fingerprint": unique(),
            "silenceURL": "https://grafana.example.org/alerting/silence/new",
        }
        payload = {
            "receiver": contact_point["name"],
            "status": "firing",
            "orgId": contact_point["orgId"],
            "alerts": [alert],
            "groupLabels": {},
            "commonLabels": alert["labels"],
            "commonAnnotations": alert["annotations"],
            "externalURL": "https://grafana.example.org/",
            "version": "1",
            "groupKey": "{}:{}",
            "truncatedAlerts": 0,
            "title": "[FIRING:1] BackupFailed NAS",
            "state": "alerting",
            "message": "**Firing**",
        }
        send("POST", receiver["settings"]["url"], json=payload)


def unique():
    """A fingerprint, so that each alert is another one."""
    return os.urandom(8).hex()


def configuration(text):
    parsed = yaml.safe_load(text)
    if isinstance(parsed, list):
        parsed = {"steps": parsed}
    ((kind, parts),) = ((name, part) for name, part in parsed.items() if isinstance(part, list))
    read = {
        "steps": github_actions,
        "notify": home_assistant,
        "receivers": alertmanager,
        "contactPoints": grafana,
    }[kind]
    for part in parts:
        read(part)


def agent_hooks(settings):
    call = json.dumps({"tool_name": "Bash", "tool_input": {"command": "make deploy"}})
    for entry in settings["hooks"]["PreToolUse"]:
        for hook in entry["hooks"]:
            assert hook["type"] == "command" and entry["matcher"] == "Bash", entry
            run(["sh", "-c", hook["command"]], given=call)


def json_document(text):
    parsed = json.loads(text)
    (node_red if isinstance(parsed, list) else agent_hooks)(parsed)


def node_red(flow):
    nodes = {node["id"]: node for node in flow}
    for node in nodes.values():
        for publisher in (nodes[wire] for wires in node["wires"] for wire in wires):
            assert node["type"] == "inject" and publisher["type"] == "http request", (node, publisher)
            headers = {header["keyValue"]: header["valueValue"] for header in publisher["headers"]}
            send(publisher["method"], publisher["url"], data=node["payload"].encode(), headers=headers)


def powershell(text):
    language = tree_sitter.Language(tree_sitter_powershell.language())
    tree = tree_sitter.Parser(language).parse(text.encode()).root_node
    assert not tree.has_error, tree
    (command,) = find(tree, "command")
    assert value(command.named_child(0)) == "Invoke-RestMethod"
    words = [value(word) for word in command.named_child(1).named_children if word.type != "command_argument_sep"]
    parameters = dict(zip(words[::2], words[1::2], strict=True))
    headers = {**parameters.get("-Headers", {}), "Content-Type": parameters["-ContentType"]}
    send(parameters["-Method"].upper(), parameters["-Uri"], data=parameters["-Body"].encode(), headers=headers)


def find(node, kind):
    """The nodes of a kind, none of them within another."""
    if node.type == kind:
        return [node]
    return [found for child in node.named_children for found in find(child, kind)]


def value(node):
    """A word, a text between quotation marks, or a table of texts."""
    entries = find(node, "hash_entry")
    if entries:
        return {value(entry.named_child(0)): value(entry.named_child(1)) for entry in entries}
    return node.text.decode().strip('"')


FORMATS = {
    "ini": systemd,
    "crontab": cron,
    "yaml": configuration,
    "json": json_document,
    "powershell": powershell,
}

format, file = sys.argv[1:]
FORMATS[format](Path(file).read_text())
