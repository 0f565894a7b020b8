//! Messages of Gotify's API, and the items that they become. The items have the shape that a Tidings server gives to
//! messages that are published to it by Gotify's API.

use serde::Deserialize;
use serde_json::{Map, Value};
use tidings_model::gotify::{ACTION, APPLICATION_TARGET, Original, priority};
use tidings_model::notification::reminder_thread;
use tidings_model::{Actor, Content, MsgId, Priority, Stamp, Target};
use tidings_replica::ServiceItem;
use url::Url;

use crate::service::elements::Elements;

/// The folder of the image that stands for an application without one.
const DEFAULT_IMAGES: &str = "static/";

/// The answer to `GET /message`: newest first.
#[derive(Deserialize)]
pub(super) struct PagedMessages {
    #[serde(default)]
    pub(super) paging: Option<Paging>,
    pub(super) messages: Elements<Message>,
}

/// The part of a page's position that is read.
#[derive(Deserialize)]
pub(super) struct Paging {
    /// The id from which the next page goes back; 0 on the last one.
    #[serde(default)]
    pub(super) since: u64,
}

/// A message. Members that have another type than Gotify's count as missing.
#[derive(Deserialize)]
pub(super) struct Message {
    pub(super) id: u64,
    #[serde(rename = "appid", default)]
    pub(super) application: u64,
    #[serde(flatten)]
    members: Map<String, Value>,
}

/// An application, which sends messages.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Application {
    pub(super) id: u64,
    #[serde(default)]
    pub(super) name: String,
    /// The path of its image below the base address.
    #[serde(default)]
    pub(super) image: String,
}

impl Application {
    /// Stands for an application that the server does not list.
    pub(super) fn unknown(id: u64) -> Self {
        Self { id, name: String::new(), image: String::new() }
    }

    fn display_name(&self) -> String {
        let name = self.name.trim();
        if name.is_empty() { self.id.to_string() } else { name.to_owned() }
    }

    /// The address of its image; `None` if it has none of its own, or one of another origin.
    fn icon(&self, base: &Url) -> Option<String> {
        let path = self.image.trim_start_matches('/');
        if path.is_empty() || path.starts_with(DEFAULT_IMAGES) {
            return None;
        }
        let url = base.join(path).ok()?;
        (url.origin() == base.origin()).then(|| url.to_string())
    }
}

impl Message {
    /// The time of its creation; `None` if the server does not say.
    pub(super) fn date(&self) -> Option<Stamp> {
        self.members.get("date")?.as_str()?.parse().ok()
    }

    /// The msgid: the id with the second of the creation, since a server that was set up anew counts from 1 again.
    pub(super) fn msgid(&self) -> MsgId {
        MsgId(format!("{}-{}", self.id, self.date().map_or(0, Stamp::as_secs)))
    }

    /// The item of the message. `now` stands for a missing date.
    pub(super) fn item(&self, application: &Application, base: &Url, now: Stamp) -> ServiceItem {
        let id = self.application.to_string();
        let name = application.display_name();
        let target = Target {
            kind: APPLICATION_TARGET.to_owned(),
            id: id.clone(),
            title: Some(name.clone()),
            ..Target::default()
        };
        let thread = reminder_thread(&target, ACTION);
        let created_at = self.date().unwrap_or(now);
        let mut content = self.content();
        if content.title.trim().is_empty() {
            content.title.clone_from(&name);
        }
        content.icon = application.icon(base);
        ServiceItem {
            action: Some(ACTION.to_owned()),
            target: Some(target),
            content,
            ..ServiceItem::new(self.msgid(), created_at, thread, Actor { id, name })
        }
    }

    fn content(&self) -> Content {
        let text = |member: &str| self.members.get(member).and_then(Value::as_str).unwrap_or_default();
        let sent = self.members.get("priority").and_then(Value::as_i64);
        let extras = self.members.get("extras").and_then(Value::as_object).cloned().unwrap_or_default();
        let mut content = Content {
            title: text("title").to_owned(),
            body: text("message").to_owned(),
            priority: sent.map_or(Priority::DEFAULT, priority),
            ..Content::default()
        };
        Original { priority: sent.unwrap_or_default(), extras }.put_into(&mut content);
        content
    }
}

/// The id of the first message in the beginning of a page that is too large to be read.
pub(super) fn first_id(beginning: &[u8]) -> Option<u64> {
    let text = String::from_utf8_lossy(beginning);
    let (_, messages) = text.split_once("\"messages\"")?;
    let (_, id) = messages.split_once("\"id\"")?;
    let id = id.trim_start().strip_prefix(':')?.trim_start();
    // A number at the end of the text may go on after it.
    let end = id.find(|c: char| !c.is_ascii_digit())?;
    id.get(..end)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tidings_model::Format;

    use super::*;

    fn base() -> Url {
        "https://nas.example/gotify/".parse().unwrap()
    }

    fn item(message: &Value) -> ServiceItem {
        let message: Message = serde_json::from_value(message.clone()).unwrap();
        let application = Application { id: 5, name: "Backup".into(), image: "image/a.png".into() };
        message.item(&application, &base(), Stamp::from_secs(99))
    }

    #[test]
    fn a_message_has_the_shape_of_one_that_was_sent_to_our_own_server() {
        let extras = json!({
            "client::display": {"contentType": "text/markdown"},
            "client::notification": {"click": {"url": "https://e.org/"}, "bigImageUrl": "https://e.org/a%20b.png"},
            "android::action": {"onReceive": {"intentUrl": "https://e.org/i"}},
            "home::lamp": {"on": true},
        });
        let item = item(&json!({
            "id": 25, "appid": 5, "title": "NAS", "message": "**done**", "priority": 8, "extras": extras,
            "date": "2018-02-27T19:36:10.5045044+01:00",
        }));
        assert_eq!(item.msgid.as_str(), "25-1519756570");
        assert_eq!(item.created_at.to_string(), "2018-02-27T18:36:10.504504Z");
        assert_eq!(
            (item.thread.as_str(), item.action.as_deref()),
            ("application:5#publish", Some("publish"))
        );
        assert_eq!(item.actor, Actor { id: "5".into(), name: "Backup".into() });
        assert_eq!(item.target.unwrap().title.as_deref(), Some("Backup"));
        let content = item.content;
        assert_eq!((content.title.as_str(), content.body.as_str()), ("NAS", "**done**"));
        assert_eq!((content.format, content.priority.get()), (Format::Markdown, 4));
        assert_eq!(content.url.as_deref(), Some("https://e.org/"));
        assert_eq!(content.icon.as_deref(), Some("https://nas.example/gotify/image/a.png"));
        assert_eq!(content.attachment.unwrap().name, "a b.png");
        assert_eq!(
            (content.actions[0].label.as_str(), content.actions[0].url.as_str()),
            ("Open", "https://e.org/i")
        );
        assert_eq!(content.data["gotify"], json!({"priority": 8, "extras": extras}));
    }

    #[test]
    fn members_of_other_types_count_as_missing() {
        let odd = item(&json!({
            "id": 1, "title": 7, "message": null, "priority": "high", "date": "yesterday",
            "extras": {
                "client::display": "text/markdown",
                "client::notification": {"click": {"url": "file:///etc/passwd"}, "bigImageUrl": "data:,x"},
                "android::action": {"onReceive": {"intentUrl": "intent://x"}},
            },
        }));
        assert_eq!((odd.msgid.as_str(), odd.created_at), ("1-0", Stamp::from_secs(99)));
        let content = odd.content;
        assert_eq!((content.title.as_str(), content.body.as_str()), ("Backup", ""));
        assert_eq!((content.format, content.priority.get()), (Format::Plain, 3));
        assert!(content.url.is_none() && content.attachment.is_none() && content.actions.is_empty());
        assert!(serde_json::from_value::<Message>(json!({"id": "1"})).is_err());
        assert!(serde_json::from_value::<Message>(json!({"id": -1})).is_err());
    }

    #[test]
    fn a_message_without_a_priority_is_of_the_usual_one() {
        let priority = |message| item(&message).content.priority.get();
        assert_eq!((priority(json!({"id": 1, "priority": 0})), priority(json!({"id": 1}))), (1, 3));
    }

    #[test]
    fn an_applications_image_is_its_servers() {
        let icon =
            |image: &str| Application { id: 1, name: String::new(), image: image.into() }.icon(&base());
        assert_eq!(icon("image/a.png").as_deref(), Some("https://nas.example/gotify/image/a.png"));
        assert_eq!(icon("/image/a.png").as_deref(), Some("https://nas.example/gotify/image/a.png"));
        for none in ["", "static/defaultapp.png", "https://evil.example/a.png", "//evil.example/a.png"] {
            let icon = icon(none);
            assert!(icon.as_deref().is_none_or(|icon| icon.starts_with("https://nas.example/")), "{icon:?}");
        }
        assert_eq!(Application::unknown(7).display_name(), "7");
    }

    #[test]
    fn the_id_of_a_message_that_is_too_large_is_in_the_beginning_of_its_page() {
        let page =
            br#"{"paging":{"size":1,"since":25,"limit":1},"messages":[{"id":25,"appid":5,"message":"xxx"#;
        assert_eq!(first_id(page), Some(25));
        for odd in
            [r#"{"messages":[]}"#, r#"{"messages":[{"id":25"#, r#"{"messages":[{"id":"x""#, "<html>", ""]
        {
            assert_eq!(first_id(odd.as_bytes()), None, "{odd}");
        }
    }

    #[test]
    fn whatever_a_page_of_messages_has_each_that_can_be_read_is_an_item_of_its_own_server() {
        tidings_testkit::fuzz::run("gotify-page", 2_000, |input| {
            let _ = first_id(input);
            let Ok(page) = crate::service::json::read::<PagedMessages>(input) else { return };
            assert!(page.messages.len() <= input.len());
            for message in page.messages.read {
                let known = Application { id: 5, name: " ".into(), image: message.id.to_string() };
                for application in [Application::unknown(message.application), known] {
                    let item = message.item(&application, &base(), Stamp::from_secs(99));
                    assert!(
                        (1..=64).contains(&item.msgid.as_str().len())
                            && !item.content.title.trim().is_empty()
                    );
                    assert!(item.content.icon.is_none_or(|icon| icon.starts_with("https://nas.example/")));
                }
            }
        });
    }
}
