"""Publishes with ntfpy, which sends JSON to the server's root, and reads what is published next."""

import asyncio
import os
import threading

import ntfpy

ended = threading.Event()
client = ntfpy.NTFYClient(
    ntfpy.NTFYServer(os.environ["TIDINGS_SERVER"]),
    "backups",
    ntfpy.NTFYUser("ana", os.environ["TIDINGS_TOKEN"]),
)
client.send(
    "two\nlines",
    title="Bäckup 🎉",
    priority=5,
    tags=["ci", "warning"],
    click="https://ci.example.org/4812",
    icon="https://ci.example.org/icon.png",
    email="ana@example.org",
    actions=[ntfpy.NTFYViewAction("Open", "https://ci.example.org/")],
).raise_for_status()
client.send("later", delay="30m").raise_for_status()
assert client.send("bad", priority=9).json()["code"] == 40007


class Received(Exception):
    """Ends the subscription, which has no other end."""


def handler(message):
    raise Received(message.message)


async def subscribe():
    """Publishes again and again until the subscription, which says nothing when it is open, has one."""
    publishing = asyncio.create_task(asyncio.to_thread(publish_until_received))
    try:
        await asyncio.to_thread(lambda: asyncio.run(client.subscribe(handler)))
    except Received as received:
        assert str(received) == "heard", received
    ended.set()
    await publishing


def publish_until_received():
    while not ended.wait(0.2):
        client.send("heard").raise_for_status()


asyncio.run(subscribe())
