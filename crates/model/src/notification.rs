//! A notification: an envelope, the content that its publisher wrote, and its state in one user's inbox. Announcements,
//! reminders and messages have the same shape.

mod carrier;
mod content;
mod kind;
mod parts;
mod question;

use serde::{Deserialize, Serialize};

use crate::{Stamp, State, View};

pub use self::carrier::Carrier;
pub(crate) use self::carrier::{carries_content, read, write};
pub use self::content::{Content, Stored};
pub use self::kind::{Format, InvalidPriority, Kind, MsgId, Priority};
pub use self::parts::{Action, ActionKind, Actor, Attachment, Receipt, Target};
pub use self::question::{Answer, Choice, ChoiceStyle, Question, QuestionState};

/// One notification in one user's inbox, as `/sync` and `/inbox` return it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(remote = "Self")]
pub struct Notification {
    /// Identifies the notification for good; receivers deduplicate by it.
    pub msgid: MsgId,
    /// The stamp of its last change in this inbox, which is its position in `/sync`.
    pub stamp: Stamp,
    /// The number of its changes in this inbox, from 1.
    pub version: u32,
    /// Announcement, reminder or message.
    pub kind: Kind,
    /// The stamp of its creation.
    pub created_at: Stamp,
    /// The thread key, by which clients group notifications.
    pub thread: String,
    /// The user, program or topic that caused the notification.
    pub actor: Actor,
    /// The id of the action in the catalog; only reminders have one.
    #[serde(default)]
    pub action: Option<String>,
    /// The target of the action; only reminders have one.
    #[serde(default)]
    pub target: Option<Target>,
    /// The conversation, `user:<peer>` or `group:<gid>`; only messages have one.
    #[serde(default)]
    pub conversation: Option<String>,
    /// The content that its publisher wrote. On the wire its fields are members of the same object as these.
    #[serde(flatten, skip_deserializing)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub content: Content,
    /// The time at which a list first showed it; `None` until then.
    #[serde(default)]
    pub seen_at: Option<Stamp>,
    /// The time at which it was read; for an item of auto class that its view's mark covers, that mark.
    #[serde(default)]
    pub read_at: Option<Stamp>,
    /// The time at which it was archived (done).
    #[serde(default)]
    pub archived_at: Option<Stamp>,
    /// The end of the snooze.
    #[serde(default)]
    pub snoozed_until: Option<Stamp>,
    /// Of auto class: the mark of its view makes it read. Set from the catalog when the item arrives in this inbox
    /// and whenever its publisher revises it.
    #[serde(default)]
    pub auto: bool,
    /// The stamp of its publisher's last revision. A view's mark covers the item only if it is not earlier; an edited
    /// message it covers by `created_at` alone.
    #[serde(default)]
    pub revised_at: Option<Stamp>,
    /// A tombstone: the item was deleted and its content is the default.
    #[serde(default)]
    pub deleted: bool,
    /// The number of its readers; only on group messages that the user sent.
    #[serde(default)]
    pub receipt: Option<Receipt>,
}

carries_content!(Notification, ignored: &[], required: None);

impl Notification {
    /// The inputs of [`is_unread`](crate::is_unread). `user` is the id of the inbox's user, whose own messages are
    /// never unread.
    pub fn state(&self, user: &str) -> State {
        State {
            read: self.read_at.is_some(),
            archived: self.archived_at.is_some(),
            deleted: self.deleted,
            own: self.actor.id == user && self.kind != Kind::Reminder,
            snoozed_until: self.snoozed_until,
            closed: self.content.question.as_ref().is_some_and(Question::is_closed),
        }
    }

    /// The time at which its content was created or last revised, by which lists go; a view mark before that time does not
    /// cover it. An edited message keeps the time of its creation.
    pub fn content_at(&self) -> Stamp {
        crate::unread::content_at(self.created_at, self.revised_at.filter(|_| self.kind != Kind::Message))
    }

    /// The view by whose visit it is read; `None` for a reminder without a target.
    ///
    /// ```
    /// # let json = r#"{"msgid":"m","stamp":"2026-11-20T06:14:00Z","version":1,"kind":"message",
    /// #   "created_at":"2026-11-20T06:14:00Z","thread":"user:bob","actor":{"id":"bob","name":"Bob"},
    /// #   "conversation":"user:bob","body":"Lunch?"}"#;
    /// let notification: tidings_model::Notification = serde_json::from_str(json)?;
    /// assert_eq!(notification.content.body, "Lunch?");
    /// assert_eq!(notification.view().unwrap().to_string(), "conversation/user:bob");
    /// # Ok::<_, serde_json::Error>(())
    /// ```
    pub fn view(&self) -> Option<View> {
        match self.kind {
            Kind::Announcement => Some(View::Announcements),
            Kind::Message => self.conversation.clone().map(View::Conversation),
            Kind::Reminder => self.target.as_ref().map(|t| View::Target(format!("{}:{}", t.kind, t.id))),
        }
    }
}

/// The thread key of a reminder: `<type>:<id>#<action>`.
pub fn reminder_thread(target: &Target, action: &str) -> String {
    format!("{}:{}#{action}", target.kind, target.id)
}

/// The thread key of all announcements.
pub const ANNOUNCEMENTS_THREAD: &str = "announcements";

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

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
    fn ones_own_messages_and_announcements_count_as_own() {
        let text = r#"{"msgid":"m","stamp":"2026-11-20T06:14:00Z","version":1,"kind":"message",
            "created_at":"2026-11-20T06:14:00Z","thread":"user:bob","actor":{"id":"al","name":"Al"},
            "conversation":"user:bob"}"#;
        let n: Notification = serde_json::from_str(text).unwrap();
        assert!(n.state("al").own);
        assert!(!n.state("bob").own);
        assert!(Notification { kind: Kind::Announcement, ..n.clone() }.state("al").own);
        assert!(
            !Notification { kind: Kind::Reminder, ..n }.state("al").own,
            "a topic may be named like a user"
        );
    }

    #[test]
    fn an_edited_message_stays_where_it_was_written_and_all_else_comes_anew() {
        let text = r#"{"msgid":"m","stamp":"2026-11-20T06:14:00Z","version":1,"kind":"message",
            "created_at":"2026-11-20T06:14:00Z","revised_at":"2026-11-21T06:14:00Z","thread":"user:bob",
            "actor":{"id":"al","name":"Al"},"conversation":"user:bob"}"#;
        let message: Notification = serde_json::from_str(text).unwrap();
        assert_eq!(message.content_at(), message.created_at);
        let announcement = Notification { kind: Kind::Announcement, ..message };
        assert_eq!(Some(announcement.content_at()), announcement.revised_at);
        assert_eq!(announcement.view(), Some(View::Announcements));
        let target = Target { kind: "article".into(), id: "7".into(), ..Target::default() };
        assert_eq!(reminder_thread(&target, "like"), "article:7#like");
    }
}
