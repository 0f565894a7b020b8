//! An event of a topic, as a line of ntfy's JSON stream, and the items that it becomes.

use std::collections::HashMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use tidings_model::notification::reminder_thread;
use tidings_model::topic::is_valid_name;
use tidings_model::{Action, Actor, Attachment, Content, Format, MsgId, Priority, Stamp, Target};
use tidings_replica::{ServiceItem, Skipped};

use super::super::{elements, json};
use crate::{Error, Result};
use tidings_model::web_url::{file_name, web_url};

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
pub(super) enum Change {
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
        if is_id && (event.change().is_none() || is_valid_name(&event.topic)) {
            Ok(event)
        } else {
            Err(Error::Malformed)
        }
    }

    /// What it says of a message; `None` for `open`, `keepalive` and others.
    pub(super) fn change(&self) -> Option<Change> {
        match self.name.as_str() {
            "message" => Some(Change::Published),
            "message_clear" => Some(Change::Cleared),
            "message_delete" => Some(Change::Deleted),
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
        let item = match (event.change(), before) {
            (None, _) => continue,
            (Some(Change::Cleared), Some(Some(item))) => {
                item.read = Some(true);
                continue;
            }
            (Some(Change::Cleared), _) => ServiceItem::state(msgid.clone(), Some(true), None),
            (Some(change), before) => {
                // It counts as new where it changed last.
                if let Some(place) = before {
                    *place = None;
                }
                if change == Change::Deleted { ServiceItem::deleted(msgid.clone()) } else { event.item() }
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
mod tests {
    use serde_json::json;

    use super::*;

    fn event(line: &Value) -> Event {
        Event::parse(line.to_string().as_bytes()).map_err(|error| error.to_string()).unwrap()
    }

    /// An event on the topic `alerts`.
    fn on_alerts(name: &str, id: &str, time: i64, more: &Value) -> Event {
        let mut line = json!({"id": id, "time": time, "event": name, "topic": "alerts"});
        line.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        event(&line)
    }

    #[test]
    fn a_message_has_the_shape_of_a_publication_on_our_own_server() {
        let full = on_alerts(
            "message",
            "hwQ2YpKdmg12",
            1_635_528_741,
            &json!({
                "expires": 1_635_571_941, "title": "NAS", "message": "**Disk** full", "priority": 5,
                "tags": ["warning", "nas"], "click": "https://nas.example/", "icon": "https://nas.example/i.png",
                "content_type": "text/markdown",
                "actions": [{"id": "a", "action": "view", "label": "Open", "url": "https://nas.example", "clear": true}],
                "attachment": {"name": "log.txt", "url": "https://ntfy.example/file/x.txt", "type": "text/plain",
                    "size": 12, "expires": 1_635_539_541},
            }),
        );
        let item = items(&[full]).pop().unwrap();
        assert_eq!(item.msgid.as_str(), "alerts/hwQ2YpKdmg12");
        assert_eq!(item.created_at, Stamp::from_secs(1_635_528_741));
        assert_eq!((item.thread.as_str(), item.action.as_deref()), ("topic:alerts#publish", Some("publish")));
        assert_eq!(
            (item.actor.id.as_str(), item.target.unwrap().title.as_deref()),
            ("alerts", Some("alerts"))
        );
        let content = item.content;
        assert_eq!((content.title.as_str(), content.body.as_str()), ("NAS", "**Disk** full"));
        assert_eq!((content.format, content.priority.get()), (Format::Markdown, 5));
        assert_eq!(content.tags, ["warning", "nas"]);
        assert_eq!(content.url.as_deref(), Some("https://nas.example/"));
        assert_eq!(content.icon.as_deref(), Some("https://nas.example/i.png"));
        assert!(content.actions[0].clear);
        let file = content.attachment.unwrap();
        assert_eq!((file.name.as_str(), file.size, file.expires), ("log.txt", Some(12), Some(1_635_539_541)));
        assert_eq!((item.read, item.news, item.deleted), (None, true, false));
    }

    #[test]
    fn members_of_other_types_count_as_missing() {
        let odd = on_alerts(
            "message",
            "a",
            1,
            &json!({
                "title": 7, "message": null, "priority": 9, "tags": "one,two", "click": {}, "icon": "file:///etc",
                "actions": [{"action": "launch", "label": "x"}, 3, {"action": "view", "label": "", "url": "x"}],
                "attachment": {"name": "x", "url": "javascript:alert(1)"}, "sequence_id": "../x", "content_type": [],
            }),
        );
        let content = items(&[odd]).pop().unwrap().content;
        let empty = Content { title: "alerts".to_owned(), ..Content::default() };
        assert_eq!(content, empty);
        let nameless = json!({"attachment": {"url": "https://e.org/a%20b.txt", "size": -1, "expires": 0}});
        let file =
            items(&[on_alerts("message", "a", 1, &nameless)]).pop().unwrap().content.attachment.unwrap();
        assert_eq!((file.name.as_str(), file.size, file.expires), ("a b.txt", None, None));
    }

    #[test]
    fn what_is_no_line_of_ntfy_is_refused() {
        for odd in [
            "<html>Sign in to the network</html>",
            "[]",
            "{}",
            r#"{"code":50001,"http":500,"error":"internal server error"}"#,
            r#"{"id":"a","time":"now","event":"message","topic":"t"}"#,
            r#"{"id":"","time":1,"event":"message","topic":"t"}"#,
            r#"{"id":"a b","time":1,"event":"message","topic":"t"}"#,
            r#"{"id":"a","time":1,"event":"message","topic":"a topic"}"#,
            r#"{"id":"a","time":1,"event":"message","topic":"t""#,
        ] {
            assert!(matches!(Event::parse(odd.as_bytes()), Err(Error::Malformed)), "{odd}");
        }
        let many =
            format!(r#"{{"id":"a","time":1,"event":"message","topic":"t","x":[{}0]}}"#, "{},".repeat(70_000));
        assert!(matches!(Event::parse(many.as_bytes()), Err(Error::AnswerTooLarge)));
        let open = event(&json!({"id": "a", "time": 1, "event": "open", "topic": "one,two"}));
        assert_eq!((open.change(), items(&[open])), (None, Vec::new()));
    }

    #[test]
    fn a_sequence_is_one_item_as_it_is_now() {
        let sequence = json!({"sequence_id": "build"});
        let named = |text: &str| json!({"sequence_id": "build", "message": text});
        let of = |events: &[Event]| {
            let items = items(events);
            let state = |item: &ServiceItem| {
                (
                    item.content.body.clone(),
                    item.read,
                    item.deleted,
                    item.part == tidings_replica::Part::State,
                )
            };
            items.iter().map(state).collect::<Vec<_>>()
        };
        let (one, two) =
            (on_alerts("message", "m1", 1, &named("one")), on_alerts("message", "m2", 2, &named("two")));
        let clear = on_alerts("message_clear", "m3", 3, &sequence);
        let delete = on_alerts("message_delete", "m4", 4, &sequence);
        let body = |text: &str| text.to_owned();
        assert_eq!(of(&[one.clone(), two.clone()]), [(body("two"), None, false, false)]);
        assert_eq!(of(&[one.clone(), clear.clone()]), [(body("one"), Some(true), false, false)]);
        assert_eq!(of(std::slice::from_ref(&clear)), [(body(""), Some(true), false, true)]);
        assert_eq!(of(&[one.clone(), delete.clone()]), [(body(""), None, true, false)]);
        assert_eq!(of(&[delete.clone(), two.clone()]), [(body("two"), None, false, false)]);
        assert_eq!(of(&[one, clear, two]), [(body("two"), None, false, false)]);
        // What has no sequence yet is revised under its own id.
        let (first, later) = (
            on_alerts("message", "m1", 1, &json!({"message": "one"})),
            on_alerts("message", "m9", 2, &json!({"message": "two", "sequence_id": "m1"})),
        );
        assert_eq!(of(&[first, later]), [(body("two"), None, false, false)]);
    }

    #[test]
    fn the_same_sequence_on_two_topics_is_two_items() {
        let line = |topic: &str| json!({"id": "m1", "time": 1, "event": "message", "topic": topic, "sequence_id": "s"});
        assert_eq!(items(&[event(&line("one")), event(&line("two"))]).len(), 2);
        let long = event(&line(&"t".repeat(64)));
        assert_eq!(long.msgid().as_str(), "s", "a msgid has at most 64 characters");
    }

    #[test]
    fn a_line_that_is_too_long_is_known_by_its_beginning() {
        assert_eq!(id_of_beginning(br#"{"id":"abc","time":1,"message":"xxx"#).as_deref(), Some("abc"));
        for odd in [r#"{"id":"a"#, r#"{"id":7"#, "<html>", r#"{"id":"a b""#] {
            assert_ne!(id_of_beginning(odd.as_bytes()).as_deref(), Some("abc"));
        }
        assert_eq!(id_of_beginning(b"<html>"), None);
    }
}
