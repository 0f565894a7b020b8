"""Asks for everything that the PyPI package gotify knows, and hears what is published, over its WebSocket."""

import asyncio
import io
import os
from contextlib import ExitStack

from gotify import AsyncGotify, Gotify, GotifyError

server, token = os.environ["TIDINGS_SERVER"], os.environ["TIDINGS_TOKEN"]
DEADLINE = 60
PICTURE = b"\x89PNG\r\n\x1a\nrest of it"


opened = ExitStack()


def client_with(**tokens):
    """A client that keeps its connections; one that is not opened makes a new one for each request."""
    return opened.enter_context(Gotify(server, **tokens))


def refused(status, request, *arguments):
    try:
        request(*arguments)
    except GotifyError as error:
        assert error.error["errorCode"] == status, error
        return error.error["errorDescription"]
    raise AssertionError(f"not refused with {status}")


def texts(page):
    return [message["message"] for message in page["messages"]]


def applications_and_clients(client):
    made = client.create_application("NAS", description="in the cellar", default_priority=4)
    assert (made["name"], made["defaultPriority"], made["internal"]) == ("NAS", 4, False), made
    changed = client.update_application(made["id"], "NAS 2", description="upstairs", default_priority=8)
    assert (changed["name"], changed["description"]) == ("NAS 2", "upstairs"), changed
    picture = client.upload_application_image(made["id"], io.BytesIO(PICTURE))["image"]
    assert picture.startswith("static/") and picture.endswith(".png"), picture
    assert [one["image"] for one in client.get_applications() if one["id"] == made["id"]] == [picture]

    phone = client.create_client("phone")
    assert client.update_client(phone["id"], "tablet")["name"] == "tablet"
    as_phone = client_with(client_token=phone["token"])
    assert as_phone.get_current_user()["name"] == "ana"
    assert "tablet" in [one["name"] for one in as_phone.get_clients()]
    client.delete_client(phone["id"])
    assert "valid access token" in refused(401, as_phone.get_current_user)
    refused(404, client.delete_client, phone["id"])
    return made


def messages(client, application):
    extras = {"client::display": {"contentType": "text/markdown"}, "home::lamp": {"on": True}}
    by_application = client_with(app_token=application["token"])
    kept = by_application.create_message("**two**\nlines", extras=extras, priority=10, title="Bäckup 🎉")
    assert (kept["extras"], kept["priority"], kept["appid"]) == (extras, 10, application["id"]), kept
    others = [by_application.create_message(str(number))["id"] for number in range(5)]

    first = client.get_messages(limit=4)
    assert (texts(first), first["paging"]["size"]) == (["4", "3", "2", "1"], 4), first
    assert first["paging"]["next"].endswith(f"/message?limit=4&since={others[1]}"), first["paging"]
    last = client.get_messages(limit=4, since=first["paging"]["since"])
    assert texts(last) == ["0", "**two**\nlines"] and last["messages"][1] == kept, last
    assert "next" not in last["paging"] and last["paging"]["since"] == 0, last["paging"]
    assert client.get_messages(app_id=application["id"], limit=200)["messages"][5] == kept

    client.delete_message(others[0])
    assert refused(404, client.delete_message, others[0]) == "message does not exist"
    temporary = client.create_application("temporary")
    for text in ("a", "b"):
        client_with(app_token=temporary["token"]).create_message(text)
    client.delete_messages(app_id=temporary["id"])
    assert texts(client.get_messages(app_id=temporary["id"])) == []
    client.delete_application(temporary["id"])
    refused(404, client.get_messages, temporary["id"])
    assert texts(client.get_messages()) == ["4", "3", "2", "1", "**two**\nlines"]

    assert "message" in refused(400, by_application.create_message, "")
    refused(401, client_with(client_token=application["token"]).get_messages)


def server_and_users(client):
    assert client.get_health() == {"health": "green", "database": "green"}
    assert all(client.get_version()[name] for name in ("version", "commit", "buildDate"))
    ana = client.get_current_user()
    assert client.get_users() == [{name: ana[name] for name in ("id", "name", "admin", "createdAt")}]
    assert client.get_user(ana["id"])["name"] == "ana"
    assert "token" in refused(403, client.set_password, "secret")
    refused(403, client.create_user, "bob", "secret")
    assert client.get_plugins() == []


async def stream(application):
    """A stream says nothing when it is open: publishes again and again until something was heard."""
    async with AsyncGotify(server, app_token=application["token"], client_token=token) as client:
        heard = asyncio.ensure_future(anext(client.stream()))
        published = []
        while not heard.done():
            published.append(await client.create_message("heard"))
            await asyncio.wait([heard], timeout=0.2)
        assert await asyncio.wait_for(heard, DEADLINE) in published
        for message in published:
            await client.delete_message(message["id"])


with opened:
    ana = client_with(client_token=token)
    nas = applications_and_clients(ana)
    messages(ana, nas)
    server_and_users(ana)
asyncio.run(stream(nas))
