"""Publishes with ntfy-sh: everything that it may say, its shortcuts and its phrases for a delay."""

import os

from ntfy_sh import NtfyClient

server, token = os.environ["TIDINGS_SERVER"], os.environ["TIDINGS_TOKEN"]

client = NtfyClient("backups", server=server, auth=token, raise_on_error=True)
client.send(
    "two\nlines",
    title="Bäckup",
    priority=5,
    tags="ci,warning",
    click="https://ci.example.org/4812?a=b",
    actions=[
        {"action": "view", "label": "Open", "url": "https://ci.example.org/"},
        {"action": "http", "label": "Retry", "url": "https://ci.example.org/retry"},
        {"action": "broadcast", "label": "Picture"},
    ],
    markdown=True,
    email="ana@example.org",
    icon="https://ci.example.org/icon.png",
    cache=False,
    firebase=False,
)
for delay in ("30min", "11h", "tomorrow, 9:00"):
    client.send("later", delay=delay)

other = NtfyClient("backups", server=server, auth=f"ana:{token}", raise_on_error=True)
other.warning("careful")
other.ping("ping")
