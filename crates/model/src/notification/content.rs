//! The content of a notification: title, body and the other fields that its publisher wrote. The fields are declared
//! only here; the wire, the server's drafts, both databases and the page use [`Content`] as a whole.

use serde::de::MapAccess;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::{Action, Attachment, Format, Priority, Question};

/// Declares [`Content`], the enum of its fields, and the functions that read and write these fields within another
/// JSON object.
macro_rules! content {
    ($(#[$meta:meta])* pub struct Content { $($(#[$field_meta:meta])* pub $field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        pub struct Content { $($(#[$field_meta])* pub $field: $type,)* }

        /// A field of [`Content`].
        #[derive(Clone, Copy)]
        #[allow(non_camel_case_types)] // they are named as in JSON
        pub(super) enum Field { $($field,)* }

        impl Field {
            /// The field with this JSON name; `None` for a name of no field.
            pub(super) fn from_name(name: &str) -> Option<Self> {
                match name {
                    $(stringify!($field) => Some(Self::$field),)*
                    _ => None,
                }
            }
        }

        impl Content {
            /// The JSON names of the fields, in their order.
            pub const FIELDS: &[&str] = &[$(stringify!($field)),*];

            /// The value of a field as text. A list is joined by spaces; an absent value and an unknown name give
            /// empty text.
            pub fn text(&self, field: &str) -> String {
                match field {
                    $(stringify!($field) => serde_json::to_value(&self.$field).map(as_text).unwrap_or_default(),)*
                    _ => String::new(),
                }
            }

            /// Deserializes the value of a field after its name was read.
            pub(super) fn read<'de, M: MapAccess<'de>>(&mut self, field: Field, from: &mut M) -> Result<(), M::Error> {
                match field {
                    $(Field::$field => self.$field = from.next_value()?,)*
                }
                Ok(())
            }

            /// Serializes the fields for which `keep(name, is_default)` is true.
            pub(super) fn write<S: Serializer>(&self, to: S, keep: impl Fn(&str, bool) -> bool) -> Result<S::Ok, S::Error> {
                let mut map = to.serialize_map(None)?;
                $(if keep(stringify!($field), self.$field == <$type>::default()) {
                    map.serialize_entry(stringify!($field), &self.$field)?;
                })*
                map.end()
            }
        }
    };
}

fn as_text(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        Value::Array(all) => all.into_iter().map(as_text).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

content! {
    /// The content that a publisher wrote. Serialized with every field; a field that is missing in JSON reads as its
    /// default.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
    #[serde(default)]
    pub struct Content {
        /// The title; may be empty.
        pub title: String,
        /// The body; may be empty.
        pub body: String,
        /// The markup of `body`.
        pub format: Format,
        /// The urgency.
        pub priority: Priority,
        /// Labels, in the sense of ntfy's tags.
        pub tags: Vec<String>,
        /// The address that a click on the notification opens.
        pub url: Option<String>,
        /// The address of the icon, a picture.
        pub icon: Option<String>,
        /// The buttons.
        pub actions: Vec<Action>,
        /// A file, given by its address.
        pub attachment: Option<Attachment>,
        /// Further values, for templates and for programs.
        #[cfg_attr(feature = "openapi", schema(value_type = Object))]
        pub data: Map<String, Value>,
        /// What it asks, with the answer that counts once there is one.
        pub question: Option<Question>,
    }
}

/// A [`Content`] as JSON for a database: without fields that equal their default, and without the named fields, for
/// which the table has columns. Deserializes as a [`Content`].
#[derive(Debug)]
pub struct Stored<'a> {
    content: &'a Content,
    without: &'static [&'static str],
}

impl Content {
    /// The content as JSON for a database column. `without` names the fields that have columns of their own.
    ///
    /// ```
    /// use tidings_model::Content;
    ///
    /// let content = Content { title: "Backup".into(), body: "Done".into(), ..Content::default() };
    /// assert_eq!(serde_json::to_string(&content.stored(&["body"]))?, r#"{"title":"Backup"}"#);
    /// # Ok::<_, serde_json::Error>(())
    /// ```
    pub fn stored(&self, without: &'static [&'static str]) -> Stored<'_> {
        Stored { content: self, without }
    }
}

impl Serialize for Stored<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.content.write(to, |name, is_default| !is_default && !self.without.contains(&name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_has_neither_defaults_nor_what_has_a_column() {
        let content =
            Content { title: "T".into(), body: "B".into(), tags: vec!["a".into()], ..Content::default() };
        let text = serde_json::to_string(&content.stored(&["body"])).unwrap();
        assert_eq!(text, r#"{"title":"T","tags":["a"]}"#);
        let back: Content = serde_json::from_str(&text).unwrap();
        assert_eq!(Content { body: "B".into(), ..back }, content);
        assert_eq!(serde_json::to_string(&Content::default().stored(&[])).unwrap(), "{}");
    }

    #[test]
    fn a_field_is_a_text_whatever_it_holds() {
        let tags = vec!["disk".to_owned(), "raid".to_owned()];
        let content = Content { title: "T".into(), tags, priority: Priority::HIGH, ..Content::default() };
        let texts = ["title", "tags", "priority", "format", "url", "shape"].map(|field| content.text(field));
        assert_eq!(texts, ["T", "disk raid", "4", "plain", "", ""]);
    }
}
