"""Publishes with python-ntfy and reads back what it published."""

import os
from datetime import datetime, timedelta

from python_ntfy import BroadcastAction, HttpAction, MessagePriority, NtfyClient, ViewAction

server, token = os.environ["TIDINGS_SERVER"], os.environ["TIDINGS_TOKEN"]

client = NtfyClient("backups", server=server, auth=token)
client.send(
    "**two**\nlines",
    title="Build 4812",
    priority=MessagePriority.URGENT,
    tags=["ci", "warning"],
    format_as_markdown=True,
    email="ana@example.org",
    actions=[
        ViewAction("Open", "https://ci.example.org/?a=b", clear=True),
        HttpAction("Retry", "https://ci.example.org/retry", method="PUT", headers={"X-Run": "4812"}, body="again"),
        BroadcastAction("Picture", extras={"cmd": "pic"}),
    ],
)
client.send("later", schedule=datetime.now() + timedelta(minutes=30))

reader = NtfyClient("backups", server=server, auth=("ana", token))
assert [message["message"] for message in reader.get_cached_messages()] == ["**two**\nlines"]
waiting = reader.get_cached_messages(since="10m", scheduled=True)
assert [message["message"] for message in waiting] == ["later", "**two**\nlines"], waiting
