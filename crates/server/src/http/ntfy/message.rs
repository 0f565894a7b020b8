//! Messages in ntfy's format: the answer to a publication, and what those who listen to topics get. Empty fields are left
//! out, as ntfy does.

use serde_json::{Map, Value, json};
use tidings_model::{Action, Content, Format, MsgId, Priority, Stamp};

use crate::domain::msgid;
use crate::store::{TopicChange, TopicEvent};

/// Seconds until the expiry that a message states: half a day, as ntfy's default.
pub(super) const EXPIRY_SECS: i64 = 12 * 3_600;

/// The member that says how the text stands for bytes, in a message and in the data of its notification.
pub(super) const ENCODING: &str = "encoding";
/// The value of [`ENCODING`] for base64; there is no other.
pub(super) const BASE64: &str = "base64";

/// A publication as a message.
pub(super) fn published(
    id: &str,
    time: Stamp,
    topic: &str,
    sequence: Option<&str>,
    content: &Content,
) -> Value {
    let mut map = event("message", id, time, topic);
    let mut put = |name: &str, value: Value| {
        map.insert(name.to_owned(), value);
    };
    put("expires", json!(time.as_secs() + EXPIRY_SECS));
    if let Some(name) = sequence {
        put("sequence_id", json!(name));
    }
    if !content.title.is_empty() && content.title != topic {
        put("title", json!(content.title));
    }
    put("message", json!(content.body));
    if content.data.get(ENCODING).is_some_and(|encoding| encoding == BASE64) {
        put(ENCODING, json!(BASE64));
    }
    if content.priority != Priority::DEFAULT {
        put("priority", json!(content.priority.get()));
    }
    if !content.tags.is_empty() {
        put("tags", json!(content.tags));
    }
    if let Some(url) = &content.url {
        put("click", json!(url));
    }
    if let Some(icon) = &content.icon {
        put("icon", json!(icon));
    }
    if !content.actions.is_empty() {
        put("actions", actions(id, &content.actions));
    }
    if let Some(attachment) = &content.attachment {
        put("attachment", json!(attachment));
    }
    if content.format == Format::Markdown {
        put("content_type", json!("text/markdown"));
    }
    Value::Object(map)
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
