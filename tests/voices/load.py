"""Programs that ask much at once."""

import re

from server import must_be, run

REQUESTS, CONNECTIONS = 20_000, 64


def h2load(server):
    """Each of many publications over many connections is answered with 200, and arrives once."""
    topic = server.subscribe("load")
    body = server.work / "body"
    body.write_text("Backup done")
    options = ["--h1", f"--requests={REQUESTS}", f"--clients={CONNECTIONS}", f"--data={body}"]
    headers = [f"--header=Authorization: Bearer {server.sender}", "--header=Title: NAS", "--header=Priority: 4"]
    said = run("h2load", *options, *headers, f"{server.url}/{topic}")
    answers = re.search(r"status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx", said)
    must_be("the answers", answers and answers.groups(), (str(REQUESTS), "0", "0", "0"))
    item = server.arrived(topic, REQUESTS)
    must_be("title, text and priority", (item["title"], item["body"], item["priority"]), ("NAS", "Backup done", 4))
    rate, slowest = re.search(r"([\d.]+) req/s", said), re.search(r"time for request: +\S+ +(\S+)", said)
    return (
        f"{REQUESTS} publications over {CONNECTIONS} connections arrived once each, {float(rate[1]):.0f} a second, "
        f"the slowest answer in {slowest[1]}, no 5xx"
    )
