"""Makes an application with gotipy, by a user's name and password, and publishes by it."""

import os

from gotipy import Gotify

client = Gotify(host_address=os.environ["TIDINGS_SERVER"])
application = client.create_app("ana", os.environ["TIDINGS_TOKEN"], "NAS")
assert application["name"] == "NAS" and application["description"] == "", application
published = client.push("Bäckup 🎉", "two\nlines", token=application["token"], priority=9)
assert (published["appid"], published["priority"]) == (application["id"], 9), published
assert client.push("Backup", "refused", token="tdg_wrong")["errorCode"] == 401
fixed = Gotify(os.environ["TIDINGS_SERVER"] + "/", fixed_token=application["token"], fixed_priority=1)
assert fixed.push("Backup", "silent")["priority"] == 1
