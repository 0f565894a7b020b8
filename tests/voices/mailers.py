"""Programs that send mail."""

import os
import shutil
from email.message import EmailMessage

from server import Wrong, must_be, run, until

TITLE = "Sicherung für das NAS: 备份完成"
TEXT = "Backup done.\n.a line that begins with a dot\n备份 12 GB"


def mail_of(server, topic):
    """The notification of the only mail that came."""
    item = server.arrived(topic)
    must_be("title and priority", (item["title"], item["priority"]), (TITLE, 3))
    must_be("the text", item["body"], TEXT)
    return item


def message(sender, recipient):
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = sender, recipient, TITLE
    mail["Message-ID"] = "<1@nas.example.org>"
    mail.set_content(TEXT + "\n")
    return mail.as_bytes()


def swaks(server):
    """A mail with credentials, pipelined, and a file; one with a wrong token is refused."""
    topic = server.subscribe("swaks")
    file = server.work / "backup.log"
    file.write_text("12 files\n")
    command = ["swaks", "--server", "127.0.0.1", "--port", server.smtp_port, "--from", "nas@example.org"]
    command += ["--to", f"{topic}@tidings", "--header", f"Subject: {TITLE}", "--body", TEXT, "--pipeline"]
    command += ["--add-header", "MIME-Version: 1.0", "--attach", f"@{file}", "--auth-user", "any"]
    refused = run(*command, "--auth", "PLAIN", "--auth-password", "tdg_wrong", fails=True)
    if "535" not in refused:
        raise Wrong(f"a wrong token is not answered with 535: {refused}")
    must_be("what arrived with a wrong token", server.items(topic), [])
    run(*command, "--auth", "LOGIN", "--auth-password", server.sender)
    item = mail_of(server, topic)
    must_be("the file", (item["attachment"] or {}).get("name"), "backup.log")
    return "a mail with a file arrived once, and one with a wrong token was refused with 535"


def msmtp(server):
    """A mail to an address with a token; the same one again is no second notification."""
    topic = server.subscribe("msmtp")
    command = ["msmtp", "--host=127.0.0.1", f"--port={server.smtp_port}", "--from=nas@example.org", "--file=/dev/null"]
    mail = message("nas@example.org", f"{topic}@tidings").decode()
    for _ in range(2):
        run(*command, f"{topic}+{server.sender}@tidings", input=mail)
    mail_of(server, topic)
    return "a mail that was sent twice arrived once"


def postfix(server):
    """Mail waits in Postfix' queue while the server is down, and arrives once it is there again."""
    topic = server.subscribe("postfix")
    root = [] if os.geteuid() == 0 else ["sudo"]
    relay = Postfix(server, root)
    relay.start()
    try:
        server.stop()
        recipient = f"{topic}+{server.sender}@tidings.example"
        mail = message("nas@example.org", recipient)
        run(*root, "sendmail", "-C", relay.etc, "-f", "nas@example.org", recipient, input=mail.decode())
        until("Postfix has put the mail off", lambda: "status=deferred" in relay.log())
        server.serve()
        relay.postfix("flush")
        until("Postfix has delivered the mail", lambda: "status=sent" in relay.log())
        mail_of(server, topic)
        # Who may not publish gets the mail back, and Postfix does not try again.
        wrong = f"{topic}+tdg_wrong@tidings.example"
        run(*root, "sendmail", "-C", relay.etc, "-f", "", wrong, input=mail.decode())
        until("Postfix has given the refused mail up", lambda: "status=bounced" in relay.log())
        mail_of(server, topic)
    finally:
        relay.postfix("stop")
        run(*root, "rm", "-rf", relay.folder)
    return "a mail that waited for the server arrived once, and a refused one was bounced"


class Postfix:
    """A Postfix of its own, which relays all mail to the server."""

    def __init__(self, server, root):
        # Its users must be able to enter the folders above.
        self.root, self.folder = root, f"/var/tmp/tidings-voices.{os.getpid()}"
        self.etc = f"{self.folder}/etc"
        os.makedirs(self.etc)
        os.chmod(self.folder, 0o755)
        os.makedirs(f"{self.folder}/lib")
        shutil.copy("/usr/share/postfix/master.cf.dist", f"{self.etc}/master.cf")
        self.settings(server)
        run(*root, "chown", "-R", "root:root", self.folder)
        run(*root, "chown", "postfix", f"{self.folder}/lib")

    def settings(self, server):
        with open(f"{self.etc}/main.cf", "w") as file:
            file.write(f"""compatibility_level = 3.6
queue_directory = {self.folder}/queue
data_directory = {self.folder}/lib
maillog_file = {self.folder}/log
maillog_file_prefixes = {self.folder}
myhostname = nas.example.org
mydestination =
inet_interfaces = loopback-only
inet_protocols = ipv4
master_service_disable = inet
relayhost = [127.0.0.1]:{server.smtp_port}
smtp_tls_security_level = none
smtp_host_lookup = native
alias_maps =
""")
        os.makedirs(f"{self.folder}/queue")

    def start(self):
        self.postfix("start")

    def postfix(self, command):
        run(*self.root, "env", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "postfix", "-c", self.etc, command)

    def log(self):
        return run(*self.root, "cat", f"{self.folder}/log")
