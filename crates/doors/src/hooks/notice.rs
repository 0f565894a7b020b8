//! The notices of a payload, before they become publications on a topic.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;
use sha2::{Digest, Sha256};
use tidings_model::web_url::web_url;
use tidings_model::{Format, Priority};
use tidings_server_core::domain::limits;
use tidings_store::domain::account::UserKey;
use tidings_store::domain::draft::Draft;

/// The member of a notification's `data` that names the sender and the event.
const DATA_KEY: &str = "hook";

/// One thing that a payload says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Notice {
    /// Its title, in one line.
    pub title: String,
    /// Its text.
    pub body: String,
    /// The format of its text.
    pub format: Format,
    /// Its priority.
    pub priority: Priority,
    /// Its tags.
    pub tags: Vec<String>,
    /// The address that a click opens.
    pub url: Option<String>,
    /// What it is about, unique within its sender: a later notice about the same revises the notification.
    pub(super) about: Option<String>,
    /// Whether what it is about is over: its notification is marked as read.
    pub resolved: bool,
}

impl Notice {
    /// A notice with a title, which is made one line.
    pub(super) fn new(title: impl AsRef<str>) -> Self {
        Self { title: one_line(title.as_ref()), ..Self::default() }
    }

    pub(super) fn body(self, body: impl Into<String>) -> Self {
        Self { body: body.into(), ..self }
    }

    /// A body in Markdown.
    pub(super) fn markdown(self, body: impl Into<String>) -> Self {
        Self { body: body.into(), format: Format::Markdown, ..self }
    }

    pub(super) fn priority(self, priority: Priority) -> Self {
        Self { priority, ..self }
    }

    /// Adds a tag, unless it is empty.
    pub(super) fn tag(mut self, tag: &str) -> Self {
        if !tag.is_empty() {
            self.tags.push(tag.to_owned());
        }
        self
    }

    /// The address that a click opens; anything but an address of the web is left out.
    pub(super) fn url(self, url: &str) -> Self {
        Self { url: web_url(url).map(|_| url.to_owned()), ..self }
    }

    /// Says what it is about: a thing of a kind, with an id that is unique in a place. Without an id it stands alone.
    pub(super) fn about(self, kind: &str, place: &str, id: &str) -> Self {
        Self { about: (!id.is_empty()).then(|| format!("{kind}/{place}/{id}")), ..self }
    }

    /// Says that what it is about is over. If nothing is known of it, the notice arrives with the lowest priority.
    pub(super) fn resolved(self) -> Self {
        Self { resolved: true, priority: Priority::LOWEST, ..self }
    }

    /// The sequence of the notification about the same; `None` if it stands alone.
    pub(super) fn sequence(&self, sender: &str) -> Option<String> {
        let about = self.about.as_ref()?;
        let hash: [u8; 32] = Sha256::digest(format!("{sender}\n{about}").as_bytes()).into();
        let name = URL_SAFE_NO_PAD.encode(hash.get(..16).unwrap_or_default());
        Some(format!("{}-{name}", if sender.is_empty() { "hook" } else { sender }))
    }

    /// The publication on a topic, within the limits of its parts.
    pub(super) fn draft(self, topic: &str, owner: Option<UserKey>, sender: &str, event: &str) -> Draft {
        let mut draft = Draft::on_topic(topic, owner);
        draft.sequence = self.sequence(sender);
        let content = &mut draft.content;
        content.title = if self.title.is_empty() { topic.to_owned() } else { self.title };
        content.body = self.body;
        content.format = self.format;
        content.priority = self.priority;
        content.tags = self.tags;
        content.tags.truncate(limits::TAG_COUNT);
        content.tags.retain(|tag| tag.len() <= limits::TAG_BYTES);
        content.url = self.url;
        if !sender.is_empty() {
            content.data.insert(DATA_KEY.to_owned(), json!({"sender": sender, "event": event}));
        }
        draft
    }
}

/// A text as one line of at most [`limits::NOTICE_TITLE_CHARS`] characters.
pub(super) fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= limits::NOTICE_TITLE_CHARS {
        return line;
    }
    line.chars().take(limits::NOTICE_TITLE_CHARS).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidings_store::domain::topic::is_valid_name;

    #[test]
    fn what_is_about_the_same_has_one_sequence() {
        let about = |id: &str| Notice::new("t").about("pull", "acme/app", id).sequence("github");
        assert_eq!(about("7"), about("7"));
        assert_ne!(about("7"), about("8"));
        assert!(is_valid_name(&about("ä\n").unwrap()));
        assert_eq!(about(""), None, "what has no id stands alone");
        assert_eq!(Notice::new("t").sequence("github"), None);
    }

    #[test]
    fn a_title_is_one_line_and_an_address_is_of_the_web() {
        let notice = Notice::new(format!("a\n b {}", "x".repeat(1_000))).url("javascript:alert(1)");
        assert!(notice.title.starts_with("a b x") && notice.title.ends_with('…'));
        assert_eq!((notice.title.chars().count(), notice.url), (limits::NOTICE_TITLE_CHARS + 1, None));
    }
}
