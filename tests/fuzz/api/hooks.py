# What schemathesis has to know about the server besides its reference.
import os

import schemathesis


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """A key that was used before gets its first answer, whatever is asked with it: with a key that is drawn twice, no
    answer could be held against its request. crates/server/tests/it/publishing.rs has the story of the keys.

    A form with a file has its parts in one order, and a file with a name: what is drawn has neither.
    crates/server/tests/it/message_files.rs has the forms, right and wrong."""
    for methods in raw_schema["paths"].values():
        for operation in methods.values():
            operation["parameters"] = [one for one in operation["parameters"] if one["name"] != "Idempotency-Key"]
            operation.get("requestBody", {"content": {}})["content"].pop("multipart/form-data", None)


@schemathesis.hook
def before_call(context, case, kwargs):
    """Whoever removes itself or its own token has nothing more to ask."""
    if case.method == "DELETE" and case.path_parameters.get("id") in ("admin", os.environ["TIDINGS_TOKEN_ID"]):
        case.path_parameters["id"] = "nobody"
