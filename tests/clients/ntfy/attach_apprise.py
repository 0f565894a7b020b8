"""Publishes files with Apprise: two with one text, and a text that is too long for a message, which it sends as a file."""

import os
from pathlib import Path

import apprise
from apprise.plugins.ntfy import NotifyNtfy

# Between two requests it waits five seconds by itself.
NotifyNtfy.request_rate_per_sec = 0

host = os.environ["TIDINGS_SERVER"].removeprefix("http://")
token = os.environ["TIDINGS_TOKEN"]

Path("gärden.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 3000)
Path("build.log").write_text("it failed\n")
client = apprise.Apprise()
assert client.add(f"ntfy://{token}@{host}/backups?priority=high&xtags=ci")
assert client.notify(title="Build 4812", body="two files", attach=["gärden.png", "build.log"])
assert client.notify(title="Long", body="A line of many.\n" * 1000)
