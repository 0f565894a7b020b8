"""Publishes with ntfy-api: by headers with every option that it has, by a raw body, and as JSON."""

import os

from ntfy_api import Message, NtfyPublisher
from ntfy_api.actions import BroadcastAction, HTTPAction, ViewAction

server, token = os.environ["TIDINGS_SERVER"], os.environ["TIDINGS_TOKEN"]

by_bearer = NtfyPublisher(server, bearer=token)
by_bearer.publish(
    Message(
        topic="backups",
        message="two\nlines",
        title="Build 4812",
        priority=4,
        tags=["ci", "warning"],
        markdown=True,
        click="https://ci.example.org/4812?a=b,c",
        icon="https://ci.example.org/icon.png",
        attach="https://ci.example.org/log.txt",
        filename="build.txt",
        email="ana@example.org",
        call="yes",
        firebase=False,
        unified_push=False,
        actions=[
            ViewAction(label="Open, now", url="https://ci.example.org/?a=b;c", clear=True),
            HTTPAction(
                label="Retry",
                url="https://ci.example.org/retry",
                method="PUT",
                headers={"X-Run": 'number "4812"'},
                body='{"again": "yes"}',
            ),
            BroadcastAction(label="Picture", intent="org.example.PICTURE", extras={"cmd": "p=ic"}),
        ],
    )
).raise_for_status()
by_bearer.publish(Message(topic="backups", message="later", delay="30m")).raise_for_status()
by_bearer.publish(Message(topic="backups", message="not cached", cache=False)).raise_for_status()

by_basic = NtfyPublisher(server, basic=("ana", token))
by_basic.publish(Message(topic="backups", data=b"raw body", title="Raw")).raise_for_status()
by_basic.publish_json({"topic": "backups", "message": "as JSON", "priority": 2}).raise_for_status()
