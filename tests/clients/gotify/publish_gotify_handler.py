"""Publishes the messages of Python's logging with gotify-handler."""

import logging
import os

from gotify_handler import GotifyHandler

click = {"client::notification": {"click": {"url": "https://ci.example.org/4812?a=b"}}}
log = logging.getLogger("ci")
log.setLevel(logging.INFO)
log.addHandler(GotifyHandler(os.environ["TIDINGS_SERVER"], os.environ["TIDINGS_TOKEN"], extras=click))
# A handler only says on the error output what it could not send.
logging.raiseExceptions = True
log.info("Build %d began", 4812)
log.error("Build %d failed", 4812)
