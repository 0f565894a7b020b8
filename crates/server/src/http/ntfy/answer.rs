//! A publication as ntfy's clients see it. Refuses fields that are empty, as ntfy does.

use serde_json::{Map, Value, json};
use tidings_model::{Format, MsgId, Priority, Stamp};

use crate::domain::draft::Draft;

/// What ntfy says expires after half a day.
const EXPIRES: i64 = 12 * 3_600;

/// The answer to a publication.
pub(super) fn message(msgid: &MsgId, time: Stamp, topic: &str, draft: &Draft) -> Value {
    let mut map = Map::new();
    let mut put = |name: &str, value: Value| {
        map.insert(name.to_owned(), value);
    };
    put("id", json!(msgid));
    if let Some(name) = &draft.sequence {
        put("sequence_id", json!(name));
    }
    put("time", json!(time.as_secs()));
    put("expires", json!(time.as_secs() + EXPIRES));
    put("event", json!("message"));
    put("topic", json!(topic));
    if !draft.title.is_empty() && draft.title != topic {
        put("title", json!(draft.title));
    }
    put("message", json!(draft.body));
    if draft.priority != Priority::DEFAULT {
        put("priority", json!(draft.priority.get()));
    }
    let extra = &draft.extra;
    if !extra.tags.is_empty() {
        put("tags", json!(extra.tags));
    }
    if let Some(url) = &extra.url {
        put("click", json!(url));
    }
    if let Some(icon) = &extra.icon {
        put("icon", json!(icon));
    }
    if !extra.actions.is_empty() {
        put("actions", json!(extra.actions));
    }
    if let Some(attachment) = &extra.attachment {
        put("attachment", json!(attachment));
    }
    if draft.format == Format::Markdown {
        put("content_type", json!("text/markdown"));
    }
    Value::Object(map)
}
