//! Reads members of a payload. A field that is missing, or of another type than documented, reads as empty: a payload
//! is never refused for its fields.

use serde_json::Value;

/// What is not there.
static NULL: Value = Value::Null;

/// A value in a payload.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields<'a>(pub(super) &'a Value);

impl<'a> Fields<'a> {
    /// The member at a path of names with dots between them; null if there is none.
    pub(super) fn at(self, path: &str) -> Self {
        let found = path.split('.').try_fold(self.0, |value, name| value.get(name));
        Self(found.unwrap_or(&NULL))
    }

    /// Whether there is a member that is not null.
    pub(super) fn has(self, path: &str) -> bool {
        !self.at(path).0.is_null()
    }

    /// A text; empty for anything else.
    pub(super) fn text(self, path: &str) -> &'a str {
        self.at(path).0.as_str().unwrap_or_default()
    }

    /// A text, or a number or a boolean as text.
    pub(super) fn scalar(self, path: &str) -> String {
        match self.at(path).0 {
            Value::String(text) => text.clone(),
            value @ (Value::Number(_) | Value::Bool(_)) => value.to_string(),
            _ => String::new(),
        }
    }

    /// The first of these texts that is not empty.
    pub(super) fn first_text(self, paths: &[&str]) -> &'a str {
        paths.iter().map(|path| self.text(path)).find(|text| !text.is_empty()).unwrap_or_default()
    }

    pub(super) fn is_true(self, path: &str) -> bool {
        self.at(path).0 == &Value::Bool(true)
    }

    pub(super) fn is_list(self, path: &str) -> bool {
        self.at(path).0.is_array()
    }

    /// The elements of a list.
    pub(super) fn list(self, path: &str) -> impl Iterator<Item = Fields<'a>> + use<'a> {
        self.at(path).0.as_array().into_iter().flatten().map(Fields)
    }

    /// The members of an object whose values are texts, numbers or booleans.
    pub(super) fn pairs(self, path: &str) -> impl Iterator<Item = (&'a str, String)> + use<'a> {
        let members = self.at(path).0.as_object().into_iter().flatten();
        members.map(|(name, value)| (name.as_str(), Fields(value).scalar_itself()))
    }

    fn scalar_itself(self) -> String {
        match self.0 {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_not_there_reads_as_empty() {
        let value = json!({"a": {"b": "text", "n": 7, "list": [{"x": "1"}, {"x": "2"}]}});
        let fields = Fields(&value);
        assert_eq!((fields.text("a.b"), fields.text("a.n"), fields.text("a.b.c")), ("text", "", ""));
        assert_eq!(fields.scalar("a.n"), "7");
        assert_eq!(fields.first_text(&["x", "a.b"]), "text");
        assert_eq!(fields.list("a.list").map(|f| f.text("x")).collect::<Vec<_>>(), ["1", "2"]);
        assert!(fields.has("a.b") && !fields.has("a.z") && fields.list("a.b").next().is_none());
    }
}
