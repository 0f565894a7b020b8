//! The notification that a message of Gotify's API becomes. The server translates the messages that are published to
//! it; a source translates those that it pulls from a server of Gotify. A notification has no field for its priority on
//! Gotify's scale and for its extras. They are kept in the notification's `data`, so that they can be given back as
//! they were sent. What its publisher has edited since is given back as it is now.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::web_url::{file_name, web_url};
use crate::{Action, ActionKind, Attachment, Content, Format, Priority};

/// The action of messages.
pub const ACTION: &str = "publish";
/// The target type of messages: the application that sent them.
pub const APPLICATION_TARGET: &str = "application";
/// The member of a notification's `data` with the [`Original`].
const DATA_KEY: &str = "gotify";
/// The label of the button for an address that Gotify's Android app opens at once.
const OPEN_LABEL: &str = "Open";
/// The media type of Markdown.
const MARKDOWN: &str = "text/markdown";
/// The extra that says how a message is shown.
const DISPLAY: &str = "client::display";
/// The extra with the address of a click, and a picture.
const NOTIFICATION: &str = "client::notification";

/// What a message was sent with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Original {
    /// The priority, usually 0 to 10.
    #[serde(default)]
    pub priority: i64,
    /// The extras: further values by names like `client::display`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extras: Map<String, Value>,
}

impl Original {
    /// What the message with this content was sent with, and the default if that is not known. Priority, markup and
    /// address are those of today.
    pub fn of(content: &Content) -> Self {
        let stored = content.data.get(DATA_KEY).cloned().unwrap_or_default();
        let mut original: Self = serde_json::from_value(stored).unwrap_or_default();
        let mut sent = Content::default();
        original.put_fields(&mut sent);
        original.priority = edited_priority(original.priority, content.priority);
        if content.format != sent.format
            && let Some(display) = object(&mut original.extras, DISPLAY)
        {
            let media = if content.format == Format::Markdown { MARKDOWN } else { "text/plain" };
            display.insert("contentType".to_owned(), media.into());
        }
        if let Some(url) = content.url.as_ref().filter(|url| sent.url.as_ref() != Some(*url))
            && let Some(click) = object(&mut original.extras, NOTIFICATION).and_then(|it| object(it, "click"))
        {
            click.insert("url".to_owned(), url.as_str().into());
        }
        original
    }

    /// Keeps it in the content of its notification, and puts those extras that the content has fields for there too.
    /// Extras of other types than Gotify's, and addresses that are not of the web, are only kept.
    pub fn put_into(self, content: &mut Content) {
        self.put_fields(content);
        let mut stored = Map::new();
        stored.insert("priority".to_owned(), self.priority.into());
        if !self.extras.is_empty() {
            stored.insert("extras".to_owned(), Value::Object(self.extras));
        }
        content.data.insert(DATA_KEY.to_owned(), Value::Object(stored));
    }

    fn put_fields(&self, content: &mut Content) {
        let extra = |name: &str, path: &str| self.extras.get(name)?.pointer(path)?.as_str();
        let address = |name, path| extra(name, path).filter(|address| web_url(address).is_some());
        let media = extra(DISPLAY, "/contentType");
        if media.is_some_and(|media| media.eq_ignore_ascii_case(MARKDOWN)) {
            content.format = Format::Markdown;
        }
        content.url = address(NOTIFICATION, "/click/url").map(str::to_owned);
        content.attachment = address(NOTIFICATION, "/bigImageUrl").and_then(image);
        content.actions.extend(address("android::action", "/onReceive/intentUrl").map(open_action));
    }
}

/// The object under a name, in place of anything else.
fn object<'m>(within: &'m mut Map<String, Value>, name: &str) -> Option<&'m mut Map<String, Value>> {
    let value = within.entry(name).or_insert(Value::Null);
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    value.as_object_mut()
}

/// The priority on Gotify's scale of a message that was sent with one and has another one today: as it was sent unless that
/// stands for something else. A message without any is sent with 0 and has the default.
fn edited_priority(sent: i64, today: Priority) -> i64 {
    if priority(sent) == today || (sent == 0 && today == Priority::DEFAULT) {
        return sent;
    }
    match today.get() {
        1 => 0,
        2 => 2,
        3 => 5,
        4 => 8,
        _ => 10,
    }
}

/// The priority of a notification for one on Gotify's scale. A number beyond the scale counts as its end.
pub fn priority(gotify: i64) -> Priority {
    let number = match gotify {
        ..=0 => 1,
        1..=3 => 2,
        4..=7 => 3,
        8..=9 => 4,
        10.. => 5,
    };
    Priority::new(number).unwrap_or_default()
}

/// A picture as an attachment.
fn image(address: &str) -> Option<Attachment> {
    let name = file_name(&web_url(address)?).unwrap_or_else(|| "image".to_owned());
    Some(Attachment { name, url: address.to_owned(), media: None, size: None, expires: None })
}

/// A button that opens an address.
fn open_action(address: &str) -> Action {
    Action {
        id: String::new(),
        action: ActionKind::View,
        label: OPEN_LABEL.to_owned(),
        url: address.to_owned(),
        value: String::new(),
        clear: false,
        method: None,
        headers: Map::new(),
        body: None,
        rest: Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn content(extras: &Value) -> Content {
        let mut content = Content::default();
        Original { priority: 7, extras: extras.as_object().cloned().unwrap() }.put_into(&mut content);
        content
    }

    #[test]
    fn gotifys_eleven_priorities_are_five() {
        let numbers: Vec<u8> = (-1..=11).map(|n| priority(n).get()).collect();
        assert_eq!(numbers, [1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, 5]);
    }

    #[test]
    fn what_was_sent_is_kept_beside_other_data() {
        let mut content = Content::default();
        content.data.insert("other".to_owned(), json!(1));
        assert_eq!(Original::of(&content), Original::default());
        let extras = json!({"home::lamp": {"on": true}, "n": 1.5}).as_object().cloned().unwrap();
        let original = Original { priority: 7, extras };
        original.clone().put_into(&mut content);
        assert_eq!((Original::of(&content), content.data.len()), (original, 2));
        content.data.insert(DATA_KEY.to_owned(), json!("damaged"));
        assert_eq!(Original::of(&content), Original::default());
    }

    #[test]
    fn what_was_edited_since_is_given_back_as_it_is_now() {
        let mut content =
            content(&json!({"client::notification": {"bigImageUrl": "https://e.org/b.png"}, "n": 1}));
        let sent = Original::of(&content);
        assert_eq!((sent.priority, sent.extras.len()), (7, 2));
        let edited: Vec<i64> = (1..=5)
            .map(|number| {
                content.priority = Priority::new(number).unwrap();
                Original::of(&content).priority
            })
            .collect();
        assert_eq!(edited, [0, 2, 7, 8, 10], "the third is what was sent");
        (content.format, content.url) = (Format::Markdown, Some("https://e.org/1".to_owned()));
        let extras = json!({
            "client::display": {"contentType": "text/markdown"},
            "client::notification": {"bigImageUrl": "https://e.org/b.png", "click": {"url": "https://e.org/1"}},
            "n": 1,
        });
        assert_eq!(Value::Object(Original::of(&content).extras), extras);
    }

    #[test]
    fn extras_are_fields_where_there_are_any_and_only_web_addresses_are_opened() {
        let extras = json!({
            "client::display": {"contentType": "text/markdown"},
            "client::notification": {"click": {"url": "https://e.org/"}, "bigImageUrl": "https://e.org/a%20b.png"},
            "android::action": {"onReceive": {"intentUrl": "https://e.org/i"}},
            "home::lamp": {"on": true},
        });
        let sent = content(&extras);
        assert_eq!((sent.format, sent.url.as_deref()), (Format::Markdown, Some("https://e.org/")));
        assert_eq!(sent.attachment.as_ref().unwrap().name, "a b.png");
        let open = &sent.actions[0];
        assert_eq!((open.label.as_str(), open.url.as_str()), ("Open", "https://e.org/i"));
        assert_eq!(Value::Object(Original::of(&sent).extras), extras);
        let extras = json!({
            "client::display": "text/markdown",
            "client::notification": {"click": {"url": "file:///etc/passwd"}, "bigImageUrl": "data:,x"},
            "android::action": {"onReceive": {"intentUrl": "intent://x"}},
        });
        let odd = content(&extras);
        assert!(odd.url.is_none() && odd.attachment.is_none() && odd.actions.is_empty());
        assert_eq!((odd.format, Value::Object(Original::of(&odd).extras)), (Format::Plain, extras));
    }

    #[test]
    fn the_number_that_was_sent_is_given_back_only_where_it_still_stands_for_the_priority() {
        for (sent, today, given) in [(0, 3, 0), (0, 5, 10), (1, 3, 5), (9, 3, 5), (9, 4, 9), (3, 1, 0)] {
            let today = Priority::new(today).unwrap();
            assert_eq!(edited_priority(sent, today), given, "{sent} and then {today:?}");
        }
    }

    #[test]
    fn a_text_that_was_markdown_is_given_back_as_plain_once_it_is() {
        let mut content = content(&json!({"client::display": {"contentType": "TEXT/markdown"}}));
        assert_eq!(content.format, Format::Markdown);
        content.format = Format::Plain;
        let extras = Value::Object(Original::of(&content).extras);
        assert_eq!(extras, json!({"client::display": {"contentType": "text/plain"}}));
    }
}
