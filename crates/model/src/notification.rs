//! What is in an inbox: one shape for announcements, reminders and messages. Refuses enum values it does not know.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use crate::{Stamp, State, View};

/// Names a notification for good: opaque, at most 64 characters, unique in its server.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct MsgId(pub String);

impl MsgId {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MsgId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for MsgId {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

/// The three kinds of notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// From the operators to everyone.
    Announcement,
    /// Somebody did something to something.
    Reminder,
    /// From one user to another, or to a group.
    Message,
}

impl Kind {
    /// All of them, in the order in which numbers are given.
    pub const ALL: [Self; 3] = [Self::Announcement, Self::Reminder, Self::Message];

    /// As it stands on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Announcement => "announcement",
            Self::Reminder => "reminder",
            Self::Message => "message",
        }
    }

    /// From the wire's word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// A small number for a database row; never changes.
    pub const fn as_row(self) -> i64 {
        match self {
            Self::Announcement => 1,
            Self::Reminder => 2,
            Self::Message => 3,
        }
    }

    /// From a database row.
    pub fn from_row(row: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_row() == row)
    }
}

/// How a body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// As it is.
    #[default]
    Plain,
    /// CommonMark with tables.
    Markdown,
}

/// How much it matters, 1 (least) to 5 (urgent); 3 unless told. The scale of ntfy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 5))]
#[serde(transparent)]
pub struct Priority(u8);

/// The number lies outside 1 to 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("priority must be a whole number from 1 to 5, not {0}")]
pub struct NotAPriority(pub i64);

impl Priority {
    /// 3.
    pub const DEFAULT: Self = Self(3);

    /// From 1 to 5.
    pub fn new(number: i64) -> Result<Self, NotAPriority> {
        match u8::try_from(number) {
            Ok(n @ 1..=5) => Ok(Self(n)),
            _ => Err(NotAPriority(number)),
        }
    }

    /// 1 to 5.
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl Default for Priority {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl<'de> Deserialize<'de> for Priority {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // In JSON 3 and 3.0 are the same whole number.
        let number = f64::deserialize(deserializer)?;
        let whole = (1..=5).find(|n| f64::from(*n).total_cmp(&number).is_eq()).map(i64::from);
        whole.map_or_else(
            || {
                Err(serde::de::Error::custom(format!(
                    "priority must be a whole number from 1 to 5, not {number}"
                )))
            },
            |n| Self::new(n).map_err(serde::de::Error::custom),
        )
    }
}

/// Who did it. Need not be a user of the server.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Actor {
    /// The id.
    pub id: String,
    /// What people call it; the id where nobody said.
    pub name: String,
}

/// What it was done to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Target {
    /// Its type, an id such as `article`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its id within the type.
    pub id: String,
    /// What people call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Where it lives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The user whose thing it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
}

/// What a button under a notification does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ActionKind {
    /// Opens `url`.
    View,
    /// Calls `url`.
    Http,
    /// For Android; kept and shown nowhere.
    Broadcast,
    /// Puts `value` on the clipboard.
    Copy,
}

/// A button under a notification, as ntfy has them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Action {
    /// Its id within the notification.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// What it does.
    pub action: ActionKind,
    /// What it says.
    pub label: String,
    /// What it opens or calls.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub url: String,
    /// What it copies.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// Marks the notification read after it.
    #[serde(default)]
    pub clear: bool,
    /// HTTP method, POST unless told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// HTTP headers.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[ts(type = "Record<string, unknown>")]
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub headers: Map<String, Value>,
    /// HTTP body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Android's intent and extras, kept as they came.
    #[serde(flatten)]
    #[ts(skip)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub rest: Map<String, Value>,
}

/// A file that came along.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Attachment {
    /// File name.
    pub name: String,
    /// Where it is.
    pub url: String,
    /// Media type, where known.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub media: Option<String>,
    /// Bytes, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "number | null")]
    pub size: Option<u64>,
    /// When it will be gone, seconds since 1970, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "number | null")]
    pub expires: Option<i64>,
}

/// How many have read a group message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Receipt {
    /// Members who have.
    pub read: u32,
    /// Members who count: those in the group at the post, without the sender.
    pub members: u32,
}

/// One notification in one user's inbox, as `/sync` and `/inbox` give it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Notification {
    /// Its name for good.
    pub msgid: MsgId,
    /// The stamp of its last change in this inbox.
    pub stamp: Stamp,
    /// Its changes in this inbox, counted from 1.
    pub version: u32,
    /// Which of the three.
    pub kind: Kind,
    /// The stamp of its creation.
    pub created_at: Stamp,
    /// What a client aggregates by.
    pub thread: String,
    /// Who did it.
    pub actor: Actor,
    /// What was done; none for announcements and messages.
    #[serde(default)]
    pub action: Option<String>,
    /// What it was done to.
    #[serde(default)]
    pub target: Option<Target>,
    /// `user:<peer>` or `group:<gid>`; only messages have one.
    #[serde(default)]
    pub conversation: Option<String>,
    /// A heading; may be empty.
    #[serde(default)]
    pub title: String,
    /// The text; may be empty.
    #[serde(default)]
    pub body: String,
    /// How the text is written.
    #[serde(default)]
    pub format: Format,
    /// How much it matters.
    #[serde(default)]
    pub priority: Priority,
    /// Words that its sender put on it.
    #[serde(default)]
    pub tags: Vec<String>,
    /// What a click leads to.
    #[serde(default)]
    pub url: Option<String>,
    /// A picture.
    #[serde(default)]
    pub icon: Option<String>,
    /// Buttons.
    #[serde(default)]
    pub actions: Vec<Action>,
    /// A file.
    #[serde(default)]
    pub attachment: Option<Attachment>,
    /// Anything else that its sender wants templates and programs to have.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub data: Map<String, Value>,
    /// When a list showed it.
    #[serde(default)]
    pub seen_at: Option<Stamp>,
    /// When it was read.
    #[serde(default)]
    pub read_at: Option<Stamp>,
    /// When it was archived.
    #[serde(default)]
    pub archived_at: Option<Stamp>,
    /// When it wakes.
    #[serde(default)]
    pub snoozed_until: Option<Stamp>,
    /// A tombstone: no content any more.
    #[serde(default)]
    pub deleted: bool,
    /// Only on group messages that the user sent.
    #[serde(default)]
    pub receipt: Option<Receipt>,
}

impl Notification {
    /// What decides whether it is unread for `user`, whose inbox it is in.
    pub fn state(&self, user: &str) -> State {
        State {
            read: self.read_at.is_some(),
            archived: self.archived_at.is_some(),
            deleted: self.deleted,
            own: self.actor.id == user && self.kind == Kind::Message,
            snoozed_until: self.snoozed_until,
        }
    }

    /// The view that it belongs to; none where its target is missing.
    pub fn view(&self) -> Option<View> {
        match self.kind {
            Kind::Announcement => Some(View::Announcements),
            Kind::Message => self.conversation.clone().map(View::Conversation),
            Kind::Reminder => self.target.as_ref().map(|t| View::Target(format!("{}:{}", t.kind, t.id))),
        }
    }
}

/// The thread of a reminder: `<type>:<id>#<action>`.
pub fn reminder_thread(target: &Target, action: &str) -> String {
    format!("{}:{}#{action}", target.kind, target.id)
}

/// The thread of all announcements.
pub const ANNOUNCEMENTS_THREAD: &str = "announcements";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notification_keeps_its_shape_on_the_wire() {
        let text = r#"{"msgid":"m1","stamp":"2026-11-20T06:14:00.123456Z","version":1,"kind":"reminder",
            "created_at":"2026-11-20T06:14:00.123456Z","thread":"article:42#comment",
            "actor":{"id":"bob","name":"Bob"},"action":"comment","target":{"type":"article","id":"42"},
            "conversation":null,"title":"","body":"hi","format":"markdown","priority":4,"tags":["a"],"url":null,
            "icon":null,"actions":[{"action":"view","label":"Open","url":"https://example.org","clear":true}],
            "attachment":null,"data":{"n":1},"seen_at":null,"read_at":null,"archived_at":null,
            "snoozed_until":null,"deleted":false,"receipt":null,"later_field":true}"#;
        let n: Notification = serde_json::from_str(text).unwrap();
        assert_eq!(n.view().unwrap().to_string(), "target/article:42");
        let back = serde_json::to_value(&n).unwrap();
        assert_eq!(back["created_at"], "2026-11-20T06:14:00.123456Z");
        for field in ["conversation", "url", "attachment", "read_at", "receipt"] {
            assert!(back.get(field).is_some_and(Value::is_null), "{field} is there and null");
        }
    }

    #[test]
    fn unknown_enum_values_and_priorities_are_refused() {
        assert!(serde_json::from_str::<Kind>("\"rumour\"").is_err());
        assert!(serde_json::from_str::<Priority>("6").is_err());
        assert!(serde_json::from_str::<Priority>("0").is_err());
        assert!(serde_json::from_str::<Priority>("2.5").is_err());
        assert!(serde_json::from_str::<Priority>("\"3\"").is_err());
        for five in ["5", "5.0", "5e0"] {
            assert_eq!(serde_json::from_str::<Priority>(five).unwrap().get(), 5);
        }
    }

    #[test]
    fn only_ones_own_messages_count_as_own() {
        let text = r#"{"msgid":"m","stamp":"2026-11-20T06:14:00Z","version":1,"kind":"message",
            "created_at":"2026-11-20T06:14:00Z","thread":"user:bob","actor":{"id":"al","name":"Al"},
            "conversation":"user:bob"}"#;
        let n: Notification = serde_json::from_str(text).unwrap();
        assert!(n.state("al").own);
        assert!(!n.state("bob").own);
    }
}
