//! Messages in ntfy's format: the answer to a publication, and what those who listen to topics get. Empty fields are left
//! out, as ntfy does.

use serde::Serialize;
use serde_json::{Map, Value, json};
use tidings_model::{Action, Content, Format, MsgId, Priority, Stamp};
use tidings_store::domain::msgid;
use tidings_store::{TopicChange, TopicEvent};

/// Seconds until the expiry that a message states: half a day, as ntfy's default.
pub(super) const EXPIRY_SECS: i64 = 12 * 3_600;

/// The member that says how the text stands for bytes, in a message and in the data of its notification.
pub(super) const ENCODING: &str = "encoding";
/// The value of [`ENCODING`] for base64; there is no other.
pub(super) const BASE64: &str = "base64";

/// A publication as a message. Its members are in the order of their names, as in a [`Value`].
#[derive(Serialize)]
pub(super) struct PublishedMessage<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    actions: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attachment: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    click: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_type: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'a str>,
    event: &'a str,
    expires: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    icon: Option<&'a str>,
    id: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sequence_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Option<&'a [String]>,
    time: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    topic: &'a str,
}

impl<'a> PublishedMessage<'a> {
    pub(super) fn new(
        id: &'a str,
        time: Stamp,
        topic: &'a str,
        sequence: Option<&'a str>,
        content: &'a Content,
    ) -> Self {
        let is_base64 = content.data.get(ENCODING).is_some_and(|encoding| encoding == BASE64);
        let priority = content.priority;
        Self {
            actions: (!content.actions.is_empty()).then(|| actions(id, &content.actions)),
            attachment: content.attachment.as_ref().map(|attachment| json!(attachment)),
            click: content.url.as_deref(),
            content_type: (content.format == Format::Markdown).then_some("text/markdown"),
            encoding: is_base64.then_some(BASE64),
            event: "message",
            expires: time.as_secs() + EXPIRY_SECS,
            icon: content.icon.as_deref(),
            id,
            message: &content.body,
            priority: (priority != Priority::DEFAULT).then(|| priority.get()),
            sequence_id: sequence,
            tags: (!content.tags.is_empty()).then_some(content.tags.as_slice()),
            time: time.as_secs(),
            title: Some(content.title.as_str()).filter(|title| !title.is_empty() && *title != topic),
            topic,
        }
    }
}

/// A publication as a message whose members can be asked for.
pub(super) fn published(
    id: &str,
    time: Stamp,
    topic: &str,
    sequence: Option<&str>,
    content: &Content,
) -> Value {
    json!(PublishedMessage::new(id, time, topic, sequence, content))
}

/// The buttons of a message. Each has an id, without which ntfy's apps do not take them.
fn actions(message_id: &str, actions: &[Action]) -> Value {
    let with_id = |(number, action): (usize, &Action)| {
        let id = if action.id.is_empty() { format!("{message_id}{number}") } else { action.id.clone() };
        json!(Action { id, ..action.clone() })
    };
    actions.iter().enumerate().map(with_id).collect()
}

/// An event without content: `open`, `keepalive`, `message_clear`, `message_delete`.
pub(super) fn event(name: &str, id: &str, time: Stamp, topic: &str) -> Map<String, Value> {
    let mut map = Map::new();
    map.insert("id".to_owned(), json!(id));
    map.insert("time".to_owned(), json!(time.as_secs()));
    map.insert("event".to_owned(), json!(name));
    map.insert("topic".to_owned(), json!(topic));
    map
}

/// The event that clears or deletes the message of a sequence.
pub(super) fn withdrawn(name: &str, id: &str, time: Stamp, topic: &str, sequence: &str) -> Value {
    let mut map = event(name, id, time, topic);
    map.insert("sequence_id".to_owned(), json!(sequence));
    Value::Object(map)
}

/// The request to poll for a message that another server has, as ntfy writes it.
pub(super) fn poll_request(id: &str, time: Stamp, topic: &str, poll_id: &str) -> Value {
    let mut map = event("poll_request", id, time, topic);
    map.insert("message".to_owned(), json!("New message"));
    map.insert("poll_id".to_owned(), json!(poll_id));
    Value::Object(map)
}

/// What happened on a topic, as a message of its own. A revision has an id of its own and names the sequence, so that
/// clients put it in place of their copy.
pub(super) fn of_event(topic: &str, event: &TopicEvent) -> Value {
    let TopicEvent { position, change, msgid, sequence, content } = event;
    let name = sequence.as_deref().unwrap_or(msgid.as_str());
    let revision = || msgid::of_revision(msgid, *position);
    match change {
        TopicChange::Published => published(msgid.as_str(), *position, topic, sequence.as_deref(), content),
        TopicChange::Revised => published(&revision(), *position, topic, Some(name), content),
        TopicChange::Cleared => withdrawn("message_clear", &revision(), *position, topic, name),
        TopicChange::Deleted => withdrawn("message_delete", &revision(), *position, topic, name),
    }
}

/// The id of the message that a publication makes: its msgid, or that of the revision if it revised an earlier one.
pub(super) fn id_of(msgid: &MsgId, stamp: Stamp) -> String {
    match msgid::stamp_of(msgid.as_str()) {
        Some(created) if created != stamp => msgid::of_revision(msgid, stamp),
        _ => msgid.as_str().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_written_byte_for_byte_as_the_message_that_is_kept_for_a_repetition() {
        let full = json!({
            "title": "T", "body": "B", "format": "markdown", "priority": 5, "tags": ["a", "b"],
            "url": "https://example.org", "icon": "https://example.org/i.png",
            "actions": [{"action": "view", "label": "L", "url": "https://example.org", "clear": true}],
            "attachment": {"name": "n", "url": "https://example.org/n", "type": "text/plain", "size": 1},
            "data": {"encoding": "base64"},
        });
        let full: Content = serde_json::from_value(full).unwrap();
        let same_title = Content { title: "topic".to_owned(), ..Content::default() };
        for (content, members) in [(full, 16), (same_title, 6), (Content::default(), 6)] {
            let sequence = (members > 6).then_some("s");
            let at = Stamp::from_micros(1_700_000_000_000_000);
            let value = published("id", at, "topic", sequence, &content);
            let answer = PublishedMessage::new("id", at, "topic", sequence, &content);
            assert_eq!(serde_json::to_string(&answer).unwrap(), value.to_string());
            assert_eq!(value.as_object().map(Map::len), Some(members), "{value}");
        }
    }
}
