//! Parses JSON into typed values, within bounds. An error names the path of the invalid member.

mod bounded;
mod keep;
mod strict;

use serde::de::DeserializeOwned;
use serde_json::Value;
use tidings_model::Problem;
use tidings_store::domain::draft::Draft;

pub use self::keep::Keep;
use self::strict::Strict;

/// Parses JSON within the bounds of a body.
pub fn parse_value(bytes: &[u8]) -> Result<Value, Problem> {
    bounded::read(bytes)
}

/// Parses an object within the bounds of a body. `keep` says what is kept of a member by its name: nothing else is built,
/// so that what nobody asks for takes no memory.
pub fn parse_members(bytes: &[u8], keep: fn(&str) -> Keep) -> Result<Value, Problem> {
    bounded::read_members(bytes, keep)
}

/// Checks the limits on every publication, and those on JSON texts, for a draft that was not parsed as JSON.
pub fn check_draft(draft: &Draft) -> Result<(), Problem> {
    let bytes = serde_json::to_vec(draft).map_err(|e| Problem::invalid("body", e.to_string()))?;
    draft.check_with_size(bytes.len())?;
    if bounded::is_surely_within(&bytes) { Ok(()) } else { bounded::check(&bytes) }
}

/// Deserializes a value; a top-level member that is null counts as missing. `prefix` goes before the field's path in an
/// error.
pub fn from_value<T: DeserializeOwned>(mut value: Value, prefix: &str) -> Result<T, Problem> {
    if let Value::Object(map) = &mut value {
        map.retain(|_, v| !v.is_null());
    }
    serde_path_to_error::deserialize(Strict(value)).map_err(|e| {
        let path = e.path().to_string();
        let detail = e.into_inner().to_string();
        let missing = detail.strip_prefix("missing field `").and_then(|rest| rest.split('`').next());
        let field = match (path.as_str(), missing) {
            (".", Some(missing)) => missing.to_owned(),
            (".", None) if prefix.is_empty() => "body".to_owned(),
            (".", None) => return Problem::invalid(prefix.trim_end_matches('.'), detail),
            (path, Some(missing)) => format!("{path}.{missing}"),
            (path, None) => path.to_owned(),
        };
        Problem::invalid(format!("{prefix}{field}"), detail)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidings_model::wire::NewReminder;

    fn field(json: &str) -> String {
        let value = match parse_value(json.as_bytes()) {
            Ok(value) => value,
            Err(problem) => return problem.field.unwrap(),
        };
        from_value::<NewReminder>(value, "").unwrap_err().field.unwrap()
    }

    #[test]
    fn an_error_names_the_field_that_it_is_about() {
        assert_eq!(field("{"), "body");
        assert_eq!(field("[]"), "body");
        assert_eq!(field(r#"{"actor":"bob","action":"like"}"#), "target");
        assert_eq!(field(r#"{"actor":"bob","action":"like","target":{"type":"a"}}"#), "target.id");
        assert_eq!(field(r#"{"actor":5,"action":"like","target":{"type":"a","id":"1"}}"#), "actor");
        assert_eq!(
            field(r#"{"actor":"b","action":"like","target":{"type":"a","id":"1"},"priority":9}"#),
            "priority"
        );
        assert_eq!(field("{\"actor\":\"b\",\"title\":\"a\\u0000b\"}"), "title");
    }

    #[test]
    fn an_array_never_stands_for_an_object() {
        assert_eq!(field(r#"["bob","like",{"type":"a","id":"1"}]"#), "body");
        assert_eq!(field(r#"{"actor":"bob","action":"like","target":["a","1"]}"#), "target");
        assert_eq!(
            field(r#"{"actor":["bob","Bob"],"action":"like","target":{"type":"a","id":"1"}}"#),
            "actor"
        );
        assert_eq!(
            field(r#"{"actor":"b","action":"like","target":{"type":"a","id":"1"},"data":["x"]}"#),
            "data"
        );
        let element: Value = serde_json::from_str("[]").unwrap();
        assert_eq!(from_value::<NewReminder>(element, "[3].").unwrap_err().field.unwrap(), "[3]");
    }
}
