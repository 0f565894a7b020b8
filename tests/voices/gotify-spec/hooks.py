"""Where Gotify's own server answers otherwise than its description says, and ours as its server."""

import schemathesis


@schemathesis.hook
def before_load_schema(context, raw_schema):
    # What was never used has null there (model/application.go, model/client.go).
    for model in ("Application", "Client"):
        raw_schema["definitions"][model]["properties"]["lastUsed"]["x-nullable"] = True
    # An id that is none is 400, and every error is JSON (api/plugin.go).
    for path, operations in raw_schema["paths"].items():
        if path.startswith("/plugin/{id}/"):
            for operation in operations.values():
                operation["responses"].setdefault("400", operation["responses"]["404"])
                operation["produces"] = [*operation.get("produces", []), "application/json"]
