"""What Home Assistant's ntfy integration does, with the library that it uses: asks for the account, subscribes to
several topics by WebSocket, publishes, updates, clears and deletes."""

import asyncio
import os

from aiontfy import BroadcastAction, CopyAction, Event, HttpAction, Message, Ntfy, ViewAction
from aiontfy.exceptions import NtfyForbiddenAccessError, NtfyNotFoundPageError, NtfyUnauthorizedAuthenticationError
from yarl import URL

server, token = os.environ["TIDINGS_SERVER"], os.environ["TIDINGS_TOKEN"]
DEADLINE = 60


async def refused(error, request):
    try:
        await request
    except error:
        return
    raise AssertionError(f"not refused with {error.__name__}")


async def strangers():
    async with Ntfy(server) as nobody:
        await refused(NtfyForbiddenAccessError, nobody.account())
        await refused(NtfyForbiddenAccessError, nobody.can_subscribe(["backups"]))
    async with Ntfy(server, token="tdg_wrong") as wrong:
        await refused(NtfyUnauthorizedAuthenticationError, wrong.account())


async def main():
    await strangers()
    async with Ntfy(server, token=token) as ntfy, Ntfy(server, username="ana", password=token) as other:
        for client in (ntfy, other):
            account = await client.account()
            assert account.username == "ana" and account.stats.messages_remaining > 0
        # It takes a server that does not know this for an old one.
        await refused(NtfyNotFoundPageError, ntfy.version())

        received = asyncio.Queue()
        subscription = asyncio.create_task(ntfy.subscribe(["backups", "nas"], received.put_nowait))

        async def event(kind):
            got = await asyncio.wait_for(received.get(), DEADLINE)
            assert got.event is kind, got
            return got

        await event(Event.OPEN)
        published = await other.publish(
            Message(
                topic="backups",
                message="**two**\nlines",
                title="Bäckup 🎉",
                tags=["ci", "warning"],
                priority=5,
                click=URL("https://ci.example.org/4812?a=b"),
                icon=URL("https://ci.example.org/icon.png"),
                attach=URL("https://ci.example.org/log.txt"),
                filename="build.txt",
                markdown=True,
                sequence_id="build-4812",
                actions=[
                    ViewAction(label="Open", url=URL("https://ci.example.org/")),
                    HttpAction(label="Retry", url=URL("https://ci.example.org/retry"), method="PUT", clear=True),
                    BroadcastAction(label="Picture", extras={"cmd": "pic"}),
                ],
            )
        )
        assert await event(Event.MESSAGE) == published
        await ntfy.publish(Message(topic="nas", message="a copy", actions=[CopyAction(label="Copy", value="4812")]))
        assert (await event(Event.MESSAGE)).topic == "nas"
        # With an empty attachment it sends everything in headers.
        buttons = [HttpAction(label="It's", url=URL("https://ci.example.org/"), headers={"X-Run": "4, 8"}, body='{"a": "b"}')]
        await ntfy.publish(Message(topic="nas", message="in\nheaders", title="H", actions=buttons), attachment=b"")
        assert (await event(Event.MESSAGE)).message == "in\nheaders"
        await ntfy.publish(Message(topic="nas", message="later", delay="30m"))

        await ntfy.publish(Message(topic="backups", message="passed", sequence_id="build-4812"))
        updated = await event(Event.MESSAGE)
        assert (updated.message, updated.sequence_id) == ("passed", "build-4812")
        await ntfy.clear("backups", "build-4812")
        assert (await event(Event.MESSAGE_CLEAR)).sequence_id == "build-4812"
        await ntfy.publish(Message(topic="backups", message="temporary", sequence_id="other"))
        await event(Event.MESSAGE)
        await ntfy.delete("backups", "other")
        assert (await event(Event.MESSAGE_DELETE)).sequence_id == "other"
        assert (await ntfy.stats()).messages >= 4

        subscription.cancel()
        await asyncio.gather(subscription, return_exceptions=True)
        assert received.empty()


asyncio.run(main())
