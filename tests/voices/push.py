"""Programs that push messages to other programs: a homeserver of Matrix, and libraries of Web Push."""

import base64
import json
import os
import sys
import urllib.parse
import urllib.request
from pathlib import Path

import http_ece
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from server import INSTALLED, free_port, listens, must_be, run, until

# The programs of pip.
BIN = Path(sys.executable).parent
TEXT = "Backup done: 备份完成"


class Subscription:
    """What a program hands to whoever is to push to it: an address here, and keys of which only it has both parts."""

    def __init__(self, server, topic, url=None):
        self.server, self.topic = server, server.subscribe(topic)
        credentials = base64url(f"Bearer {server.sender}".encode())
        self.endpoint = f"{url or server.url}/{topic}?up=1&auth={credentials}"
        self.key, self.secret = ec.generate_private_key(ec.SECP256R1()), b"sixteen letters!"
        self.public, self.auth = base64url(public(self.key)), base64url(self.secret)

    def message(self):
        """The text of the only message, decrypted as the program would."""
        item = self.server.arrived(self.topic)
        must_be("title and priority", (item["title"], item["priority"]), (self.topic, 3))
        encrypted = base64.b64decode(item["body"], validate=True)
        read = urllib.request.Request(f"{self.server.url}/{self.topic}/json?poll=1")
        read.add_header("Authorization", f"Bearer {self.server.token}")
        with urllib.request.urlopen(read, timeout=10) as answer:
            messages = [json.loads(line) for line in answer]
        must_be("what the program reads", [(m["message"], m["encoding"]) for m in messages], [(item["body"], "base64")])
        return http_ece.decrypt(encrypted, private_key=self.key, auth_secret=self.secret).decode()


def pywebpush(server):
    """A message that is encrypted (RFC 8291) and signed (RFC 8292)."""
    program = Subscription(server, "upPython")
    keys = {"p256dh": program.public, "auth": program.auth}
    files = {
        "subscription": json.dumps({"endpoint": program.endpoint, "keys": keys}),
        "claims": json.dumps({"sub": "mailto:ana@example.org"}),
        "headers": json.dumps({"ttl": "60", "urgency": "high"}),
        "data": TEXT,
    }
    for name, text in files.items():
        server.work.joinpath(name).write_text(text)
    signing = server.work / "signing.pem"
    signing.write_bytes(pem(ec.generate_private_key(ec.SECP256R1())))
    options = ["--info", "subscription", "--head", "headers", "--data", "data", "--claims", "claims", "--key", signing]
    # It ends with 0 whatever happened, and says what.
    must_be("what it says", run(BIN / "pywebpush", *options, cwd=server.work).strip(), "<Response [200]>")
    must_be("the message", program.message(), TEXT)
    return "a signed and encrypted message arrived once, with every byte"


def web_push(server):
    """The same over TLS, which it demands: nghttpx stands before the server."""
    port, certificate, key = free_port(), server.work / "certificate.pem", server.work / "key.pem"
    subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *subject, "-keyout", key, "-out", certificate)
    proxy = ["nghttpx", f"--frontend=127.0.0.1,{port}", f"--backend=127.0.0.1,{server.port}", "--workers=1"]
    server.start(*proxy, "--conf=/dev/null", "--errorlog-file=/dev/stderr", key, certificate)
    until("nghttpx listens", lambda: listens(port))
    program = Subscription(server, "upNode", f"https://127.0.0.1:{port}")
    signing = ec.generate_private_key(ec.SECP256R1())
    number = signing.private_numbers().private_value.to_bytes(32, "big")
    options = {
        "endpoint": program.endpoint,
        "key": program.public,
        "auth": program.auth,
        "payload": TEXT,
        "vapid-subject": "mailto:ana@example.org",
        "vapid-pubkey": base64url(public(signing)),
        "vapid-pvtkey": base64url(number),
    }
    command = [INSTALLED / "node_modules/.bin/web-push", "send-notification"]
    command += [f"--{name}={value}" for name, value in options.items()]
    run(*command, env={**os.environ, "NODE_EXTRA_CA_CERTS": str(certificate)})
    must_be("the message", program.message(), TEXT)
    return "a signed and encrypted message arrived once through nghttpx, with every byte"


def synapse(server):
    """A message in a room of Matrix; a push key that is not of this server is never used again."""
    topic = server.subscribe("upMatrix")
    home = Homeserver(server)
    ana, bob = home.user("ana"), home.user("bob")
    room = bob("POST", "createRoom", {"name": "Crew", "is_direct": True, "preset": "trusted_private_chat"})["room_id"]
    bob("POST", f"rooms/{room}/invite", {"user_id": "@ana:nas.example.org"})
    ana("POST", f"join/{room}", {})
    own = f"{server.url}/{topic}?up=1&auth={base64url(f'Bearer {server.sender}'.encode())}"
    for key in [own, "https://other.example.org/upMatrix?up=1"]:
        pusher = {"kind": "http", "app_id": "org.example.chat", "pushkey": key, "append": True, "lang": "en"}
        pusher |= {"app_display_name": "Chat", "device_display_name": "Phone"}
        pusher["data"] = {"url": f"{server.url}/_matrix/push/v1/notify"}
        ana("POST", "pushers/set", pusher)
    sent = {"msgtype": "m.text", "body": TEXT}
    event = bob("PUT", f"rooms/{room}/send/m.room.message/1", sent)["event_id"]
    item = server.arrived(topic)
    must_be("title and priority", (item["title"], item["priority"]), (topic, 3))
    pushed = json.loads(item["body"])["notification"]
    must_be("the event", (pushed["event_id"], pushed["content"]), (event, sent))
    left = lambda: [pusher["pushkey"] for pusher in ana("GET", "pushers")["pushers"]]
    until("the foreign push key is forgotten", lambda: left() == [own])
    server.arrived(topic)
    return "a message of a room arrived once and whole, and a push key of another server was forgotten"


class Homeserver:
    """A homeserver of Matrix on SQLite."""

    def __init__(self, server):
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        folder = server.work / "synapse"
        folder.mkdir()
        listener = {"port": port, "type": "http", "bind_addresses": ["127.0.0.1"], "resources": [{"names": ["client"]}]}
        self.file = folder / "homeserver.yaml"
        settings = {
            "server_name": "nas.example.org",
            "listeners": [listener],
            "database": {"name": "sqlite3", "args": {"database": str(folder / "homeserver.db")}},
            "pid_file": str(folder / "pid"),
            "media_store_path": str(folder / "media"),
            "signing_key_path": str(folder / "signing.key"),
            "registration_shared_secret": "shared",
            "macaroon_secret_key": "macaroon",
            "form_secret": "form",
            "trusted_key_servers": [],
            "report_stats": False,
            # Without this it pushes to no address of this machine.
            "ip_range_whitelist": ["127.0.0.1/32"],
        }
        self.file.write_text(json.dumps(settings))
        synapse = [sys.executable, "-m", "synapse.app.homeserver", "-c", self.file]
        run(*synapse, "--generate-keys", cwd=folder)
        server.start(*synapse, cwd=folder)
        until("Synapse listens", lambda: listens(port))

    def user(self, name):
        """A new user's requests to it."""
        run(BIN / "register_new_matrix_user", "-c", self.file, "-u", name, "-p", name, "--no-admin", self.url)
        login = {"type": "m.login.password", "identifier": {"type": "m.id.user", "user": name}, "password": name}
        token = self.request("POST", "login", login)["access_token"]
        return lambda method, path, body=None: self.request(method, path, body, token)

    def request(self, method, path, body=None, token=None):
        url = f"{self.url}/_matrix/client/v3/{urllib.parse.quote(path)}"
        request = urllib.request.Request(url, None if body is None else json.dumps(body).encode(), method=method)
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read())


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def public(key):
    formats = serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
    return key.public_key().public_bytes(*formats)


def pem(key):
    formats = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    return key.private_bytes(*formats)
