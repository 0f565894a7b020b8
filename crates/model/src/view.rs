//! Views: sets of items that a reader visits as a whole. A visit moves the view's mark forward, which makes its items
//! of auto class read.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A view. As text it is `announcements/all`, `conversation/user:bob` or `target/article:42`.
///
/// ```
/// use tidings_model::View;
///
/// let view: View = "conversation/user:bob".parse()?;
/// assert_eq!((view.code(), view.id()), ("conversation", "user:bob"));
/// # Ok::<_, tidings_model::view::InvalidView>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum View {
    /// All announcements.
    Announcements,
    /// One conversation, `user:<peer>` or `group:<gid>`.
    Conversation(String),
    /// The reminders of one target, `<type>:<id>`.
    Target(String),
}

/// A text that is not a view.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a view: announcements/all, conversation/<conversation> or target/<type>:<id>")]
pub struct InvalidView(pub String);

impl View {
    /// The view with this code and id, the two segments of its path.
    ///
    /// # Errors
    /// [`InvalidView`] for a code or an id that the protocol does not have.
    pub fn from_parts(code: &str, id: &str) -> Result<Self, InvalidView> {
        let wrong = || InvalidView(format!("{code}/{id}"));
        match code {
            "announcements" if id == "all" => Ok(Self::Announcements),
            "conversation" if is_conversation(id) => Ok(Self::Conversation(id.to_owned())),
            "target" => match id.split_once(':') {
                Some((kind, rest))
                    if crate::check_id(kind).is_ok() && crate::check_target_id(rest).is_ok() =>
                {
                    Ok(Self::Target(id.to_owned()))
                }
                _ => Err(wrong()),
            },
            _ => Err(wrong()),
        }
    }

    /// The first segment: `announcements`, `conversation` or `target`.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Announcements => "announcements",
            Self::Conversation(_) => "conversation",
            Self::Target(_) => "target",
        }
    }

    /// The second segment; `all` for announcements.
    pub fn id(&self) -> &str {
        match self {
            Self::Announcements => "all",
            Self::Conversation(id) | Self::Target(id) => id,
        }
    }
}

/// Whether a text is a conversation: `user:<id>` or `group:<id>` with a valid id.
pub fn is_conversation(text: &str) -> bool {
    matches!(text.split_once(':'), Some(("user" | "group", id)) if crate::check_id(id).is_ok())
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.code(), self.id())
    }
}

impl FromStr for View {
    type Err = InvalidView;

    fn from_str(text: &str) -> Result<Self, InvalidView> {
        let (code, id) = text.split_once('/').ok_or_else(|| InvalidView(text.to_owned()))?;
        Self::from_parts(code, id)
    }
}

impl Serialize for View {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for View {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'_, str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(feature = "openapi")]
impl utoipa::PartialSchema for View {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        String::schema()
    }
}

#[cfg(feature = "openapi")]
impl utoipa::ToSchema for View {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_read_and_write_as_two_parts() {
        for text in
            ["announcements/all", "conversation/user:bob", "conversation/group:crew", "target/article:a/b"]
        {
            assert_eq!(text.parse::<View>().unwrap().to_string(), text);
        }
        for text in ["announcements/some", "conversation/bob", "target/article", "home/1", ""] {
            assert!(text.parse::<View>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_target_of_a_view_has_a_type_and_an_id_that_are_right() {
        for text in ["target/a b:1", "target/:1", "target/article:", "target/article:a\nb", "target/:"] {
            assert!(text.parse::<View>().is_err(), "{text}");
        }
        let text = "\"target/article:7:8\"";
        let view: View = serde_json::from_str(text).unwrap();
        assert_eq!((view.code(), view.id()), ("target", "article:7:8"));
        assert_eq!(serde_json::to_string(&view).unwrap(), text);
        for (text, is_one) in
            [("user:bob", true), ("group:a.b", true), ("team:a", false), ("user:a b", false)]
        {
            assert_eq!(is_conversation(text), is_one, "{text}");
        }
    }
}
