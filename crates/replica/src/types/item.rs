//! Items, and pages of them.

use tidings_model::{Actor, Kind, MsgId, Notification, Stamp};

use super::{ItemId, SourceId, ThreadId};

/// A notification in the replica, with the marks in force: local marks that wait to be sent, else the server's.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Row id.
    pub id: ItemId,
    /// Its thread.
    pub thread: ThreadId,
    /// Its source.
    pub source: SourceId,
    /// The notification; `read_at` of an item of auto class is its view's mark, if that covers it.
    pub notification: Notification,
    /// Whether it is unread, by [`tidings_model::is_unread`].
    pub unread: bool,
    /// Whether it is the user's own.
    pub own: bool,
    /// Whether a mark other than `seen` on it, or an answer to it, waits to be sent.
    pub pending: bool,
    /// Whether an answer to its question waits to be sent.
    pub answer_waits: bool,
    /// What the user answered too late, so that another answer counts or none.
    pub late_answer: Option<String>,
}

/// A filter on lists of items, which are sorted newest first. The default selects all that were not deleted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ItemFilter {
    /// Only unread items.
    pub unread: bool,
    /// Only items that are neither archived nor snoozed.
    pub inbox: bool,
    /// Only items of this kind.
    pub kind: Option<Kind>,
    /// Only threads with this key, in any source.
    pub thread: Option<String>,
    /// Only items of this source.
    pub source: Option<SourceId>,
    /// Only items with content from before this time.
    pub before: Option<Stamp>,
}

/// Where a page of a thread's items is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemPosition {
    /// The newest items.
    Newest,
    /// Those before an item.
    Before(MsgId),
    /// Those after an item.
    After(MsgId),
    /// An item with a few before it, and those after it.
    Around(MsgId),
    /// The first unread item with a few before it, and those after it; the newest items if none is unread.
    FirstUnread,
    /// The oldest items.
    First,
}

/// Items of one thread, oldest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ItemPage {
    /// The items.
    pub items: Vec<Item>,
    /// The number of items of the thread before these.
    pub earlier: u64,
    /// The number of items of the thread after these.
    pub later: u64,
    /// The latest actors among the earlier items, at most [`Thread::MAX_ACTORS`](super::Thread::MAX_ACTORS).
    pub earlier_actors: Vec<Actor>,
}
