//! Query parameters and response schemas that several endpoints share in the OpenAPI document.

use serde_json::{Value, json};
use tidings_server_core::domain::limits;

use crate::http::openapi::endpoint::parameter;

pub(super) fn time() -> Value {
    json!({"type": "string", "format": "date-time"})
}

pub(super) fn integer(max: u64, default: u64) -> Value {
    json!({"type": "integer", "minimum": 1, "maximum": max, "default": default})
}

pub(super) fn flag() -> Value {
    json!({"anyOf": [{"type": "boolean"}, {"type": "string", "enum": ["1", "0", ""]}]})
}

pub(super) fn string_enum(values: &[&str]) -> Value {
    json!({"type": "string", "enum": values})
}

pub(super) fn user() -> Value {
    let id_or_none = json!({"type": "string", "pattern": "^([A-Za-z0-9._-]{1,64})?$"});
    parameter("user", "Another user, where the token reaches that far.", &id_or_none)
}

pub(super) fn content() -> Value {
    let about = "Whether what the user wrote stays with those who have it, or is recalled.";
    parameter("content", about, &string_enum(&["keep", "delete"]))
}

pub(super) fn cap() -> Value {
    parameter("cap", "Counting stops there.", &integer(limits::COUNT_CAP, limits::DEFAULT_COUNT_CAP))
}

pub(super) fn wait() -> Value {
    let seconds = json!({"type": "integer", "minimum": 0, "maximum": limits::ANSWER_WAIT_SECS, "default": 0});
    parameter("wait", "Seconds to wait for an answer.", &seconds)
}

pub(super) fn list_limit() -> Value {
    parameter(
        "limit",
        "At most so many.",
        &integer(limits::LIST_LIMIT as u64, limits::DEFAULT_LIST_LIMIT as u64),
    )
}

pub(super) fn pull_limit() -> Value {
    parameter(
        "limit",
        "At most so many.",
        &integer(limits::SYNC_LIMIT as u64, limits::DEFAULT_SYNC_LIMIT as u64),
    )
}

/// The parameters `after` and `limit` of a list paged by ids; `element` names what `after` refers to.
pub(super) fn page(element: &str) -> [Value; 2] {
    let about = format!(
        "The {element} of the last element of the page before, in the list's order; the first page without it. \
         A page also ends at its bytes: the list ends with the first empty page."
    );
    let max = limits::PAGE_ELEMENTS as u64;
    [
        parameter("after", &about, &json!({"type": "string"})),
        parameter("limit", "At most so many.", &integer(max, max)),
    ]
}

/// The parameters `q` and `limit` of a list of people.
pub(super) fn people() -> [Value; 2] {
    let about = "The beginning of an id, of a name, or of its second or last word, in any case.";
    let limit = integer(limits::PEOPLE_LIMIT as u64, limits::DEFAULT_PEOPLE_LIMIT as u64);
    [parameter("q", about, &json!({"type": "string"})), parameter("limit", "At most so many.", &limit)]
}

/// A time in the query; an empty one counts as missing.
pub(super) fn time_parameter(name: &str, about: &str) -> Value {
    parameter(name, about, &json!({"type": "string", "anyOf": [{"format": "date-time"}, {"maxLength": 0}]}))
}

pub(super) fn before() -> Value {
    time_parameter("before", "Only what was created before.")
}

pub(super) fn count() -> Value {
    json!({"$ref": "#/components/schemas/Count"})
}

/// The schema of an object whose members are all required.
pub(super) fn object(members: &Value) -> Value {
    let names: Vec<&String> = members.as_object().map(|m| m.keys().collect()).unwrap_or_default();
    json!({"type": "object", "properties": members, "required": names})
}

pub(super) fn text_parameter(name: &str) -> Value {
    parameter(name, "Only this one.", &json!({"type": "string"}))
}
