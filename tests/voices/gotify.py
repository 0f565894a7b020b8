"""Gotify's own description of its API, as it is, asked of our door of Gotify's clients."""

import os
import re
from pathlib import Path

from server import INSTALLED, must_be, run

FOLDER = Path(__file__).parent / "gotify-spec"


def spec(server):
    """Each operation of the description answers as it says, whatever schemathesis makes of its parameters."""
    environment = {**os.environ, "TIDINGS_TOKEN": server.token}
    schemathesis = [os.environ["TIDINGS_SCHEMATHESIS"], "run", str(INSTALLED / "gotify-spec.json"), "--url", server.url]
    said = run(*schemathesis, "--report-dir", server.work, cwd=FOLDER, env=environment)
    operations, answers = re.search(r"Tested: (\d+)", said), re.search(r"(\d+) generated, (\d+) passed", said)
    must_be("the answers as described", answers and answers[1], answers and answers[2])
    return f"{answers[1]} answers of {operations[1]} operations are as the description of Gotify 2.9.1 says"
