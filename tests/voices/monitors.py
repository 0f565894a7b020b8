"""Programs that watch other machines and call when something is wrong."""

import json
import re
import urllib.request

from server import free_port, must_be, run, until


def alertmanager(server):
    """An alert that is repeated and then resolved is one notification, which is read in the end."""
    topic = server.subscribe("alerts")
    hook = f"{server.url}/hooks/{topic}?token={server.sender}"
    configuration = {
        "route": {"receiver": "tidings", "group_wait": "0s", "group_interval": "1s", "repeat_interval": "1s"},
        "receivers": [{"name": "tidings", "webhook_configs": [{"url": hook}]}],
    }
    file = server.work / "alertmanager.yml"
    file.write_text(json.dumps(configuration))
    url = f"http://127.0.0.1:{free_port()}"
    server.start(
        "prometheus-alertmanager",
        f"--config.file={file}",
        f"--storage.path={server.work / 'data'}",
        f"--web.listen-address={url.removeprefix('http://')}",
        "--cluster.listen-address=",
    )
    amtool = ["amtool", f"--alertmanager.url={url}"]
    until("Alertmanager listens", lambda: is_done(*amtool, "cluster", "show"))
    alert = [*amtool, "alert", "add", "alertname=DiskFull", "instance=nas", "severity=critical"]
    said = ["--annotation=summary=The disk of nas is full", "--annotation=description=Still 2 % are free"]
    run(*alert, *said)
    item = server.arrived(topic)
    must_be("the title", item["title"], "The disk of nas is full")
    must_be("the text", item["body"].splitlines()[0], "Still 2 % are free")
    must_be("the priority", (item["priority"], item["tags"], item["read_at"]), (5, ["critical"], None))
    until("Alertmanager has repeated it", lambda: notifications(url) >= 3)
    run(*alert, *said, "--start=1970-01-01T00:00:00Z", "--end=1970-01-01T00:00:01Z")
    until("the resolved alert is read", lambda: server.arrived(topic)["read_at"])
    must_be("the title", server.arrived(topic)["title"], item["title"])
    return "an alert of priority 5 that was sent three times arrived once, and is read since it was resolved"


def notifications(url):
    """How often an Alertmanager has called webhooks."""
    with urllib.request.urlopen(f"{url}/metrics", timeout=10) as answer:
        figures = answer.read().decode()
    return int(re.search(r'^alertmanager_notifications_total\{integration="webhook"\} (\d+)', figures, re.MULTILINE)[1])


def monit(server):
    """A file that is missing, and there again, is two mails."""
    topic = server.subscribe("monit")
    watched = server.work / "backup.log"
    file = server.work / "monitrc"
    file.write_text(f"""
set daemon 1
set log {server.work}/log
set pidfile {server.work}/pid
set idfile {server.work}/id
set statefile {server.work}/state
set mailserver 127.0.0.1 port {server.smtp_port}
set mail-format {{ from: monit@example.org
  subject: $SERVICE: $EVENT
  message: $DESCRIPTION }}
set alert {topic}+{server.sender}@tidings not on {{ instance }}
check file backup path {watched}
  if not exist then alert
""")
    file.chmod(0o600)
    server.start("monit", "-I", "-c", file)
    item = server.arrived(topic)
    must_be("the title", item["title"], "backup: Does not exist")
    must_be("text and priority", (item["body"], item["priority"]), ("file doesn't exist", 3))
    watched.write_text("Backup done\n")
    item = server.arrived(topic, 2)
    must_be("the title", item["title"], "backup: Exists")
    return "a missing file and its return arrived once each"


def is_done(*command):
    try:
        return bool(run(*command)) or True
    except Exception:
        return False
