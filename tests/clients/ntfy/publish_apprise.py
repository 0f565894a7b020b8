"""Publishes with Apprise: everything that its address may say, several topics at once, and Markdown."""

import os
from urllib.parse import quote, urlencode

import apprise
from apprise.plugins.ntfy import NotifyNtfy

# Between two requests it waits five seconds by itself.
NotifyNtfy.request_rate_per_sec = 0

host = os.environ["TIDINGS_SERVER"].removeprefix("http://")
token = os.environ["TIDINGS_TOKEN"]


def notify(address, **message):
    client = apprise.Apprise()
    assert client.add(address), address
    assert client.notify(**message), address


everything = {
    "priority": "max",
    "xtags": "ci,warning",
    "click": "https://ci.example.org/4812?a=b",
    "attach": "https://ci.example.org/log.txt",
    "actions": "view, Open, https://ci.example.org/, clear=true",
    "image": "no",
}
notify(
    f"ntfy://ana:{token}@{host}/backups?{urlencode(everything, quote_via=quote)}",
    title="Bäckup 🎉",
    body="two\nlines",
)
notify(f"ntfy://{token}@{host}/backups?auth=token&delay=30m", body="later")
# The token alone, as the only credential of the address.
notify(f"ntfy://{token}@{host}/backups/nas", body="on two topics")
notify(
    f"ntfy://ana:{token}@{host}/backups?format=markdown",
    body="**bold**",
    body_format=apprise.NotifyFormat.MARKDOWN,
)
wrong = apprise.Apprise(f"ntfy://ana:tdg_wrong@{host}/backups")
assert not wrong.notify(body="refused")
