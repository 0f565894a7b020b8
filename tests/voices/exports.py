"""Programs that read what the inbox writes for others: mail indexers, and a reader of feeds."""

import functools
import http.server
import json
import os
import threading

from server import must_be, run

TITLE = "Sicherung für das NAS: 备份完成"
TEXT = "Backup done\nFrom here on it waits\n\n> and this is quoted"


def maildir(server):
    """The export as mbox, taken apart by git into a maildir, with what was published."""
    topic = server.subscribe("backups")
    for number, (title, text) in enumerate([("NAS", "Backup begins"), (TITLE, TEXT), ("Desk", "Backup failed")]):
        body = {"topic": topic, "title": title, "message": text, "priority": 3 + number % 2}
        server.request("POST", "/", body, server.sender)
        server.arrived(topic, number + 1)
    mbox, folder = server.work / "export.mbox", server.work / "mail"
    mbox.write_text(server.tidings("export", "--of", "server", "--format", "mbox"))
    for part in ["cur", "new", "tmp"]:
        folder.joinpath(part).mkdir(parents=True)
    number = run("git", "mailsplit", "--mboxrd", f"-o{folder / 'cur'}", mbox)
    must_be("the number of mails", number.strip(), "3")
    # The line before each mail is the mailbox's own.
    for mail in folder.glob("cur/*"):
        mail.write_text(mail.read_text().partition("\n")[2])
    return folder


def notmuch(server):
    """notmuch finds each notification by its title, its words and its sender."""
    mails = maildir(server)
    configuration = server.work / "notmuch"
    configuration.write_text(f"[database]\npath={mails}\n[user]\nname=Ana\nprimary_email=ana@example.org\n")
    notmuch = functools.partial(run, "notmuch", f"--config={configuration}")
    notmuch("new", "--quiet")
    must_be("the number of mails", int(notmuch("count", "from:backups@tidings.invalid")), 3)
    found = json.loads(notmuch("show", "--format=json", "--entire-thread=false", 'subject:Sicherung and body:waits'))
    mail = first_mail(found)
    must_be("the title", mail["headers"]["Subject"], TITLE)
    must_be("the text", mail["body"][0]["content"].rstrip("\n"), TEXT)
    must_be("the number of threads", int(notmuch("count", "--output=threads", "*")), 1)
    return "three notifications of one thread are found by title, words and sender, with every line"


def first_mail(found):
    """The first mail in the nested lists of `notmuch show`."""
    while not isinstance(found, dict):
        found = next(part for part in found if part)
    return found


def mu(server):
    """mu finds them, too."""
    mails = maildir(server)
    environment = {**os.environ, "MUHOME": str(server.work / "mu"), "LANG": "C.UTF-8"}
    mu = functools.partial(run, env=environment)
    mu("mu", "init", "--quiet", f"--maildir={mails}")
    mu("mu", "index", "--quiet")
    found = json.loads(mu("mu", "find", "--format=json", "subject:Sicherung", "body:waits"))
    must_be("the titles", [mail[":subject"] for mail in found], [TITLE])
    everything = json.loads(mu("mu", "find", "--format=json", "from:backups@tidings.invalid"))
    must_be("the number of mails", len(everything), 3)
    return "three notifications are found by title, words and sender"


FEED = """<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0"><channel><title>{0}</title><link>http://example.org/</link><description>{0}</description>
<item><title>{0} 1</title><guid>{0}-1</guid><link>http://example.org/1</link></item></channel></rss>
"""


def newsboat(server):
    """newsboat takes the list of feeds in, and reads the same feeds."""
    web = server.work / "web"
    web.mkdir()
    names = ["News & more", "新闻"]
    for number, name in enumerate(names):
        web.joinpath(f"{number}.xml").write_text(FEED.format(name.replace("&", "&amp;")))
    with FeedServer(web) as url:
        addresses = [f"{url}/{number}.xml?a=1&b=2" for number in range(len(names))]
        for name, address in zip(names, addresses, strict=True):
            server.tidings("source", "add", "feed", address, "--name", name)
        opml = server.work / "feeds.opml"
        opml.write_text(server.tidings("source", "opml"))
        # It has no other folder than that below its home.
        home = {**os.environ, "HOME": str(server.work)}
        server.work.joinpath(".newsboat").mkdir()
        run("newsboat", "-i", opml, env=home)
        urls = server.work.joinpath(".newsboat/urls").read_text().split("\n")
        must_be("the addresses", [line.split(" ")[0] for line in urls if line], addresses)
        run("newsboat", "-x", "reload", env=home)
        unread = run("newsboat", "-x", "print-unread", env=home)
        must_be("what it counts", unread.strip(), "2 unread articles")
    return "two feeds were taken over with their addresses, and read"


class FeedServer:
    """Serves the files of a folder."""

    def __init__(self, folder):
        handler = functools.partial(QuietHandler, directory=folder)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self.server.server_port}"

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass
