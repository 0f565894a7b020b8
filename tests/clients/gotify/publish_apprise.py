"""Publishes with Apprise's gotify:// addresses: plain, in Markdown, and with each of its priorities."""

import os

import apprise

host = os.environ["TIDINGS_SERVER"].removeprefix("http://")
token = os.environ["TIDINGS_TOKEN"]


def notify(address, **message):
    client = apprise.Apprise()
    assert client.add(address), address
    assert client.notify(**message), address


notify(f"gotify://{host}/{token}", title="Bäckup 🎉", body="two\nlines")
notify(
    f"gotify://{host}/{token}?format=markdown&priority=high",
    body="**bold**",
    body_format=apprise.NotifyFormat.MARKDOWN,
)
for priority in ("low", "moderate", "emergency"):
    notify(f"gotify://{host}/{token}?priority={priority}", title="Backup", body=priority)
assert not apprise.Apprise(f"gotify://{host}/tdg_wrong").notify(body="refused")
