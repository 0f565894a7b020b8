"""A server of ours with a data folder of its own, what arrives in its inbox, and how the programs of others are run."""

import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

# The folder of `tidings`, and the one into which the programs of others are installed.
PROGRAMS = Path(os.environ["TIDINGS_BIN"])
INSTALLED = Path(os.environ["TIDINGS_VOICES"])
TIMEOUT = 60
# The user whose inbox it is.
READER = "ana"


class Wrong(Exception):
    """Something is not as it must be."""


def must_be(what, actual, expected):
    if actual != expected:
        raise Wrong(f"{what} is {actual!r}, and must be {expected!r}")


def until(what, condition):
    """Waits until the condition has a value that counts, and returns it."""
    ends = time.monotonic() + TIMEOUT
    while not (value := condition()):
        if time.monotonic() > ends:
            raise Wrong(f"it took more than {TIMEOUT} s until {what}")
        time.sleep(0.05)
    return value


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def listens(port):
    with socket.socket() as trying:
        return trying.connect_ex(("127.0.0.1", port)) == 0


def run(*command, fails=False, **options):
    """Runs a program to its end, and returns what it printed. It must succeed, or fail if `fails` says so."""
    command = [str(part) for part in command]
    done = subprocess.run(command, capture_output=True, text=True, timeout=10 * TIMEOUT, **options)
    if (done.returncode != 0) != fails:
        raise Wrong(f"{command[0]} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


class Server:
    """`tidings serve` over HTTP and SMTP. Its files, and those of the program that speaks to it, go at its end."""

    def __init__(self, name):
        INSTALLED.joinpath("run").mkdir(parents=True, exist_ok=True)
        self.folder = Path(tempfile.mkdtemp(prefix=f"{name}.", dir=INSTALLED / "run"))
        self.work = self.folder / "work"
        self.work.mkdir()
        self.port, self.smtp_port = free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = self.folder / "serve.log"
        self.serving = None
        self.started = []

    def __enter__(self):
        self.serve()
        self.admin = re.search(r"tdg_[\w-]+", self.log.read_text()).group()
        self.request("POST", "/api/v1/users", {"id": READER}, self.admin)
        self.token = self.new_token("inbox")
        self.sender = self.new_token("publish")
        return self

    def __exit__(self, *_):
        for program in reversed(self.started):
            program.terminate()
            program.wait(TIMEOUT)
        self.stop()
        self.ending_log = self.log.read_text()
        shutil.rmtree(self.folder)

    def serve(self):
        arguments = ["serve", "--listen", f"127.0.0.1:{self.port}", "--smtp", f"127.0.0.1:{self.smtp_port}"]
        before = self.log.read_text() if self.log.exists() else ""
        with self.log.open("a") as log:
            command = [PROGRAMS / "tidings", *arguments]
            self.serving = subprocess.Popen(command, env=self.environment(), stdout=log, stderr=log)
        until("the server listens", lambda: "smtp on " in self.log.read_text()[len(before) :])

    def stop(self):
        if self.serving is None:
            return
        self.serving.terminate()
        must_be("the exit code of the server", self.serving.wait(TIMEOUT), 0)
        self.serving = None

    def environment(self):
        return {**os.environ, "TIDINGS_DATA_DIR": str(self.folder / "data"), "TIDINGS_NO_KEYRING": "1"}

    def start(self, *command, **options):
        """Starts a program of others, which ends with the server. Its output is beside the server's."""
        output = self.folder / f"{Path(str(command[0])).name}.{len(self.started)}.log"
        with output.open("w") as log:
            program = subprocess.Popen([str(p) for p in command], stdout=log, stderr=log, **options)
        self.started.append(program)
        return output

    def tidings(self, *command):
        """What `tidings` prints about the data of this server."""
        done = subprocess.run([PROGRAMS / "tidings", *command], env=self.environment(), capture_output=True, text=True)
        if done.returncode != 0:
            raise Wrong(f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def holds_together(self):
        self.tidings("check")

    def log_end(self):
        logs = [self.ending_log] if hasattr(self, "ending_log") else []
        return "".join(f"the server's log ends with:\n{log[-2000:]}" for log in logs)

    def request(self, method, path, body=None, token=None):
        """The answer to a request to the server, which must succeed."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, method=method)
        request.add_header("Authorization", f"Bearer {token or self.token}")
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
                return json.loads(answer.read() or "null")
        except urllib.error.HTTPError as error:
            raise Wrong(f"{method} {path}: {error.code} {error.read().decode()}") from error

    def new_token(self, scope):
        body = {"label": scope, "scopes": [scope]}
        return self.request("POST", f"/api/v1/users/{READER}/tokens", body, self.admin)["token"]

    def subscribe(self, topic):
        """Brings what is published on a topic from now on to the inbox."""
        body = {"target": {"type": "topic", "id": topic}, "actions": ["publish"]}
        self.request("PUT", "/api/v1/subscriptions", body)
        return topic

    def all(self):
        """What the inbox has, the oldest first."""
        items, since, more = {}, "", True
        while more:
            page = self.request("GET", f"/api/v1/sync?limit=5000{since}")
            items |= {item["msgid"]: item for item in page["items"]}
            since, more = f"&since={page['next']}", page["more"]
        return sorted(items.values(), key=lambda item: item["created_at"])

    def items(self, topic):
        """What it has of a topic."""
        return [item for item in self.all() if (item["target"] or {}).get("id") == topic]

    def count(self):
        """How many notifications the inbox has."""
        return sum(1 for _ in self.all())

    def arrived(self, topic, count=1):
        """The last of so many notifications of a topic, after all have arrived; more are wrong."""
        items = until(f"{count} on {topic} arrived", lambda: (i := self.items(topic)) and len(i) >= count and i)
        must_be(f"the number of notifications on {topic}", len(items), count)
        return items[-1]
