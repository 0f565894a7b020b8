//! JSON as templates see it.

use std::sync::Arc;

use gotmpl::Value;

/// Reads JSON for the function `fromJson`; `None` for what is no JSON, or exceeds the bounds of the reader.
pub type ReadJson = fn(&[u8]) -> Option<serde_json::Value>;

/// JSON as templates see it. All numbers are decimal, as in Go.
pub fn value_of(json: serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Nil,
        serde_json::Value::Bool(value) => Value::Bool(value),
        serde_json::Value::Number(number) => Value::Float(number.as_f64().unwrap_or_default()),
        serde_json::Value::String(text) => text.into(),
        serde_json::Value::Array(elements) => elements.into_iter().map(value_of).collect::<Vec<_>>().into(),
        serde_json::Value::Object(members) => {
            let members = members.into_iter().map(|(name, member)| (name.into(), value_of(member)));
            Value::Map(Arc::new(members.collect()))
        }
    }
}

/// The reader of tests, with the bounds of its library.
#[cfg(test)]
pub(crate) fn read(json: &[u8]) -> Option<serde_json::Value> {
    serde_json::from_slice(json).ok()
}
