# What schemathesis has to know about the door besides its description.
import schemathesis


@schemathesis.hook
def before_call(context, case, kwargs):
    """A subscription that is no poll never ends. The stories of the reconnecting readers listen to those."""
    if case.path.endswith(("/json", "/sse", "/raw")):
        case.query["poll"] = "1"
