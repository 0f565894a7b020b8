"""Runs programs of others, as they are, each against a server of its own, and prints in a line what each showed.

Arguments name the voices that are run; without any all are. Ends with 1, and what went wrong, if one does not do what it
must. `scripts/voices.sh` says where the programs are.
"""

import os
import sys
import time
import traceback

import exports
import gotify
import load
import mailers
import monitors
import push
from server import Server

VOICES = {
    "gotify-spec": gotify.spec,
    "alertmanager": monitors.alertmanager,
    "monit": monitors.monit,
    "swaks": mailers.swaks,
    "msmtp": mailers.msmtp,
    "postfix": mailers.postfix,
    "synapse": push.synapse,
    "pywebpush": push.pywebpush,
    "web-push": push.web_push,
    "notmuch": exports.notmuch,
    "mu": exports.mu,
    "newsboat": exports.newsboat,
    "h2load": load.h2load,
}


def main(names):
    unknown = [name for name in names if name not in VOICES]
    if unknown:
        print(f"no voice is called {', '.join(unknown)}; there are {', '.join(VOICES)}", file=sys.stderr)
        return 2
    failed, arrived = [], 0
    for name in names or VOICES:
        began = time.monotonic()
        try:
            with Server(name) as server:
                shown = VOICES[name](server)
                server.holds_together()
                arrived += server.count()
            print(f"{name}: {shown} ({time.monotonic() - began:.1f} s)", flush=True)
        except Exception:  # one voice that fails leaves the others to be heard
            failed.append(name)
            print(f"{name}: FAILED\n{traceback.format_exc()}{server.log_end()}", file=sys.stderr, flush=True)
    if failed:
        print(f"not as they must be: {', '.join(failed)}", file=sys.stderr)
        return 1
    if "TIDINGS_REPORT" in os.environ and not names:
        with open(os.environ["TIDINGS_REPORT"], "a", encoding="utf-8") as report:
            report.write(f"programs of others\t\t\t{len(VOICES)} programs\t{arrived} notifications\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
