//! JSON as what it should be, with every text within its bounds. Refuses with the path of the member that is wrong.

use serde::de::DeserializeOwned;
use serde_json::Value;
use tidings_model::Problem;

use crate::domain::limits;

/// JSON with every text within its bounds.
pub(super) fn value(bytes: &[u8]) -> Result<Value, Problem> {
    let value: Value =
        serde_json::from_slice(bytes).map_err(|e| Problem::invalid("body", format!("is not JSON: {e}")))?;
    check_texts(&value, "")?;
    Ok(value)
}

/// Refuses NUL and texts that are too long, wherever they stand.
pub(crate) fn check_texts(value: &Value, path: &str) -> Result<(), Problem> {
    match value {
        Value::String(text) => check_text(text, path),
        Value::Array(values) => {
            values.iter().enumerate().try_for_each(|(i, v)| check_texts(v, &format!("{path}[{i}]")))
        }
        Value::Object(map) => map.iter().try_for_each(|(key, v)| {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            check_text(key, &path)?;
            check_texts(v, &path)
        }),
        _ => Ok(()),
    }
}

fn check_text(text: &str, field: &str) -> Result<(), Problem> {
    let field = if field.is_empty() { "body" } else { field };
    if text.contains('\0') {
        return Err(Problem::invalid(field.replace('\0', ""), "must not contain NUL"));
    }
    if text.len() > limits::TEXT {
        let short: String = field.chars().take(200).collect();
        return Err(Problem::invalid(short, format!("may have {} bytes", limits::TEXT)));
    }
    Ok(())
}

/// A value as what it should be; a field that is null counts as missing.
pub(crate) fn typed<T: DeserializeOwned>(mut value: Value, prefix: &str) -> Result<T, Problem> {
    if let Value::Object(map) = &mut value {
        map.retain(|_, v| !v.is_null());
    }
    serde_path_to_error::deserialize(value).map_err(|e| {
        let path = e.path().to_string();
        let detail = e.into_inner().to_string();
        let missing = detail.strip_prefix("missing field `").and_then(|rest| rest.split('`').next());
        let field = match (path.as_str(), missing) {
            (".", Some(missing)) => missing.to_owned(),
            (".", None) => "body".to_owned(),
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
        let value = match value(json.as_bytes()) {
            Ok(value) => value,
            Err(problem) => return problem.field.unwrap(),
        };
        typed::<NewReminder>(value, "").unwrap_err().field.unwrap()
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
}
