//! A notification that the reader publishes on a topic of a source.

use tidings_model::Priority;

/// What [`Source::publish`](super::Source::publish) sends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Publication {
    /// A name that its writer gives it, valid as the name of a topic. A publication under the same key takes the place
    /// of the earlier one, if the service can do that.
    pub key: String,
    /// The topic.
    pub topic: String,
    /// The title, if it has one.
    pub title: Option<String>,
    /// The text, at most as long as `Abilities::publish_bytes` says.
    pub text: String,
    /// Whether the text is Markdown.
    pub is_markdown: bool,
    /// The priority.
    pub priority: Priority,
    /// The tags, some of which may name an emoji.
    pub tags: Vec<String>,
    /// The address that a click on it opens.
    pub click: Option<String>,
}
