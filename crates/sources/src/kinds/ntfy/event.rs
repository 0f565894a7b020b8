//! An event of a topic, as a line of ntfy's JSON stream, and the items that it becomes.

use std::collections::HashMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use tidings_model::notification::reminder_thread;
use tidings_model::topic::is_valid_name;
use tidings_model::web_url::{file_name, web_url};
use tidings_model::{Action, Actor, Attachment, Content, Format, MsgId, Priority, Stamp, Target};
use tidings_net::{Error, Result};
use tidings_replica::{ServiceItem, Skipped};

use crate::service::{elements, json};

/// The action of a publication on a topic, as a Tidings server calls it.
const ACTION: &str = "publish";
/// The target type of topics, likewise.
const TARGET: &str = "topic";
/// The member of `data` that says how the body stands for bytes, likewise.
const ENCODING: &str = "encoding";
/// The longest msgid, in bytes.
const MAX_MSGID_BYTES: usize = 64;
/// The most tags of a message that are kept.
const MAX_TAGS: usize = 100;
/// The most buttons of a message that are kept; ntfy takes three.
const MAX_ACTIONS: usize = 10;

/// A line of the stream. Members that have another type than ntfy's count as missing, except the four that every line
/// has.
#[derive(Clone, Deserialize)]
pub(super) struct Event {
    /// The id of the line, which is also that of its message.
    pub(super) id: String,
    /// Seconds since 1970.
    pub(super) time: i64,
    #[serde(rename = "event")]
    name: String,
    topic: String,
    #[serde(flatten)]
    members: Map<String, Value>,
}

/// What a line says of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventKind {
    /// It was published, or takes the place of an earlier one of its sequence.
    Published,
    /// It was read somewhere.
    Cleared,
    /// It was deleted.
    Deleted,
}

impl Event {
    /// Parses a line.
    ///
    /// # Errors
    /// [`Error::Malformed`] for anything but a line of ntfy's, [`Error::AnswerTooLarge`] if it has too many values.
    pub(super) fn parse(line: &[u8]) -> Result<Self> {
        let event: Self = json::read(line)?;
        let is_id =
            (1..=MAX_MSGID_BYTES).contains(&event.id.len()) && event.id.bytes().all(|b| b.is_ascii_graphic());
        if is_id && (event.kind().is_none() || is_valid_name(&event.topic)) {
            Ok(event)
        } else {
            Err(Error::Malformed)
        }
    }

    /// What it says of a message; `None` for `open`, `keepalive` and others.
    pub(super) fn kind(&self) -> Option<EventKind> {
        match self.name.as_str() {
            "message" => Some(EventKind::Published),
            "message_clear" => Some(EventKind::Cleared),
            "message_delete" => Some(EventKind::Deleted),
            _ => None,
        }
    }

    /// Whether it says that another server has a message.
    pub(super) fn is_poll_request(&self) -> bool {
        self.name == "poll_request"
    }

    /// The msgid of its message: the sequence or else the id, below the topic, because a sequence is known in its
    /// topic only.
    fn msgid(&self) -> MsgId {
        let name = self.text("sequence_id").filter(|name| is_valid_name(name)).unwrap_or(&self.id);
        let full = format!("{}/{name}", self.topic);
        MsgId(if full.len() <= MAX_MSGID_BYTES { full } else { name.to_owned() })
    }

    /// A member with a text that is not empty.
    fn text(&self, member: &str) -> Option<&str> {
        self.members.get(member).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    fn list(&self, member: &str) -> &[Value] {
        self.members.get(member).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    /// The item of a message that was published.
    fn item(&self) -> ServiceItem {
        let actor = Actor { id: self.topic.clone(), name: self.topic.clone() };
        let target = Target {
            kind: TARGET.to_owned(),
            id: self.topic.clone(),
            title: Some(self.topic.clone()),
            ..Target::default()
        };
        let thread = reminder_thread(&target, ACTION);
        ServiceItem {
            action: Some(ACTION.to_owned()),
            target: Some(target),
            content: self.content(),
            ..ServiceItem::new(self.msgid(), Stamp::from_secs(self.time), thread, actor)
        }
    }

    fn content(&self) -> Content {
        let owned = |member| self.text(member).map(str::to_owned);
        let priority = self.members.get("priority").and_then(Value::as_i64);
        let is_markdown = self.text("content_type").is_some_and(|media| media.starts_with("text/markdown"));
        let mut content = Content {
            title: owned("title").unwrap_or_else(|| self.topic.clone()),
            body: owned("message").unwrap_or_default(),
            format: if is_markdown { Format::Markdown } else { Format::Plain },
            priority: priority.and_then(|number| Priority::new(number).ok()).unwrap_or_default(),
            tags: self
                .list("tags")
                .iter()
                .filter_map(Value::as_str)
                .take(MAX_TAGS)
                .map(str::to_owned)
                .collect(),
            url: owned("click"),
            icon: owned("icon").filter(|icon| web_url(icon).is_some()),
            actions: self.list("actions").iter().filter_map(action).take(MAX_ACTIONS).collect(),
            attachment: self.members.get("attachment").and_then(attachment),
            data: Map::new(),
            question: None,
        };
        if let Some(encoding) = owned("encoding") {
            content.data.insert(ENCODING.to_owned(), Value::String(encoding));
        }
        content
    }
}

/// A button; `None` for one that Tidings does not know.
fn action(value: &Value) -> Option<Action> {
    Action::deserialize(value).ok().filter(|action| !action.label.is_empty())
}

fn attachment(value: &Value) -> Option<Attachment> {
    let text = |member| value.get(member).and_then(Value::as_str).filter(|text: &&str| !text.is_empty());
    let address = text("url")?;
    let url = web_url(address)?;
    let name = text("name").map(str::to_owned).or_else(|| file_name(&url));
    Some(Attachment {
        name: name.unwrap_or_else(|| "attachment".to_owned()),
        url: address.to_owned(),
        media: text("type").map(str::to_owned),
        size: value.get("size").and_then(Value::as_u64).filter(|size| *size > 0),
        expires: value.get("expires").and_then(Value::as_i64).filter(|at| *at > 0),
    })
}

/// The items after these events, one for each message. A message that was published and then revised is there once, as
/// it is now.
pub(super) fn items(events: &[Event]) -> Vec<ServiceItem> {
    let mut items: Vec<Option<ServiceItem>> = Vec::with_capacity(events.len());
    let mut places: HashMap<MsgId, usize> = HashMap::new();
    for event in events {
        let msgid = event.msgid();
        let before = places.get(&msgid).and_then(|at| items.get_mut(*at));
        let item = match (event.kind(), before) {
            (None, _) => continue,
            (Some(EventKind::Cleared), Some(Some(item))) => {
                item.read = Some(true);
                continue;
            }
            (Some(EventKind::Cleared), _) => ServiceItem::state(msgid.clone(), Some(true), None),
            (Some(kind), before) => {
                // It counts as new at its last change.
                if let Some(place) = before {
                    *place = None;
                }
                if kind == EventKind::Deleted { ServiceItem::deleted(msgid.clone()) } else { event.item() }
            }
        };
        places.insert(msgid, items.len());
        items.push(Some(item));
    }
    items.into_iter().flatten().collect()
}

/// A line that is a JSON object as of a message, and can't be read as one; `None` for anything else, which is no answer of
/// ntfy.
pub(super) fn malformed(line: &[u8]) -> Option<Skipped> {
    #[derive(Deserialize)]
    struct Members {
        id: Option<IgnoredAny>,
        event: Option<IgnoredAny>,
    }
    let text = String::from_utf8_lossy(line);
    let Members { id, event } = serde_json::from_str(&text).ok()?;
    (id.is_some() || event.is_some()).then(|| elements::malformed(&text))
}

/// The id in the beginning of a line that was too long to be read.
pub(super) fn id_of_beginning(beginning: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(beginning);
    let (_, from_id) = text.split_once("\"id\":")?;
    let id = from_id.trim_start().strip_prefix('"')?.split('"').next()?;
    is_valid_name(id).then(|| id.to_owned())
}

#[cfg(test)]
#[path = "event_tests.rs"]
mod tests;
