//! An item of a service that has no stamps and keeps less state than a Tidings server.

use tidings_model::{Actor, Content, Kind, MsgId, Stamp, Target};

/// An item as a source of another protocol pulls it. If the service keeps no state of it, the state that the
/// replica has stays: marks of such items are the reader's own, on this device.
#[derive(Debug, Clone, PartialEq)]
pub struct ServiceItem {
    /// Identifies the item within its source; stays the same when the item changes.
    pub msgid: MsgId,
    /// Announcement, reminder or message.
    pub kind: Kind,
    /// The service's own time of its creation or, if the item is news again, of its last change. The replica adds
    /// microseconds if several items of a source share one.
    pub created_at: Stamp,
    /// The thread key.
    pub thread: String,
    /// The user, program or topic that caused it.
    pub actor: Actor,
    /// The id of the action, such as `review_requested`; only reminders have one.
    pub action: Option<String>,
    /// The target of the action; only reminders have one.
    pub target: Option<Target>,
    /// The conversation; only messages have one.
    pub conversation: Option<String>,
    /// The content.
    pub content: Content,
    /// Whether it is read at the service; `None` if the service keeps no such state, or did not say.
    pub read: Option<bool>,
    /// Whether it is done at the service; `None` if the service keeps no such state, or did not say.
    pub archived: Option<bool>,
    /// Whether a later `created_at` than the stored one, or other text, makes it unread again. A correction has
    /// `false`: it only increases the version.
    pub news: bool,
    /// Whether the service deleted it. Its other fields but `msgid` are then ignored.
    pub deleted: bool,
    /// Which part of it counts if the replica has the item.
    pub part: Part,
}

/// The part of a [`ServiceItem`] that counts if the replica has the item. If only its state counts, the content of the
/// stored one stays, with its time, and only `read` and `archived` are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Part {
    /// All of it.
    #[default]
    Whole,
    /// All of it if its `created_at` is later than the stored one, else its state.
    IfNewer,
    /// Its state only.
    IfNew,
    /// Its state only; an item that the replica does not have is ignored.
    State,
    /// All of it if the stored one has this version, else its state; an item that the replica does not have is ignored.
    OfVersion(u32),
}

impl ServiceItem {
    /// A new reminder or announcement, unread if the service keeps no state, with an empty content.
    pub fn new(msgid: impl Into<MsgId>, created_at: Stamp, thread: impl Into<String>, actor: Actor) -> Self {
        Self {
            msgid: msgid.into(),
            kind: Kind::Reminder,
            created_at,
            thread: thread.into(),
            actor,
            action: None,
            target: None,
            conversation: None,
            content: Content::default(),
            read: None,
            archived: None,
            news: true,
            deleted: false,
            part: Part::Whole,
        }
    }

    /// The state of an item whose content the service did not say again.
    pub fn state(msgid: impl Into<MsgId>, read: Option<bool>, archived: Option<bool>) -> Self {
        let item = Self::new(msgid, Stamp::ZERO, "", Actor::default());
        Self { read, archived, news: false, part: Part::State, ..item }
    }

    /// An item that the service deleted.
    pub fn deleted(msgid: impl Into<MsgId>) -> Self {
        Self { deleted: true, ..Self::new(msgid, Stamp::ZERO, "", Actor::default()) }
    }
}
