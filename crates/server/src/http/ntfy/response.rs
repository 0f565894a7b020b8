//! The response to a publication, in ntfy's format. Empty fields are left out, as ntfy does.

use serde_json::{Map, Value, json};
use tidings_model::{Format, MsgId, Priority, Stamp};

use crate::domain::draft::Draft;

/// Seconds until the expiry that the response states: half a day, as ntfy's default.
const EXPIRY_SECS: i64 = 12 * 3_600;

/// The response to a publication on a topic.
pub(super) fn message(msgid: &MsgId, time: Stamp, topic: &str, draft: &Draft) -> Value {
    let content = &draft.content;
    let mut map = Map::new();
    let mut put = |name: &str, value: Value| {
        map.insert(name.to_owned(), value);
    };
    put("id", json!(msgid));
    if let Some(name) = &draft.sequence {
        put("sequence_id", json!(name));
    }
    put("time", json!(time.as_secs()));
    put("expires", json!(time.as_secs() + EXPIRY_SECS));
    put("event", json!("message"));
    put("topic", json!(topic));
    if !content.title.is_empty() && content.title != topic {
        put("title", json!(content.title));
    }
    put("message", json!(content.body));
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
        put("actions", json!(content.actions));
    }
    if let Some(attachment) = &content.attachment {
        put("attachment", json!(attachment));
    }
    if content.format == Format::Markdown {
        put("content_type", json!("text/markdown"));
    }
    Value::Object(map)
}
