//! Items, and pages of them.

use tidings_model::{Actor, Kind, Notification, Stamp};

use super::{ItemId, SourceId, ThreadId};

/// A notification in the replica, with the marks in force: the local ones that wait to be sent, else the server's.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Row id.
    pub id: ItemId,
    /// Its thread.
    pub thread: ThreadId,
    /// Its source.
    pub source: SourceId,
    /// The notification; `read_at` of auto class is its view's mark.
    pub notification: Notification,
    /// By `tidings_model::is_unread`.
    pub unread: bool,
    /// From the user itself.
    pub own: bool,
    /// A mark on it other than that it was seen waits to be sent.
    pub pending: bool,
}

/// Which items to list, newest first. The default is all that were not deleted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ItemFilter {
    /// Only unread ones.
    pub unread: bool,
    /// Only one kind.
    pub kind: Option<Kind>,
    /// Only threads with this key, of whatever source.
    pub thread: Option<String>,
    /// Only one source.
    pub source: Option<SourceId>,
    /// Only created before this time.
    pub before: Option<Stamp>,
}

/// Items of one thread, oldest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ItemPage {
    /// The items.
    pub items: Vec<Item>,
    /// Items of the thread before these.
    pub earlier: u64,
    /// Items of the thread after these.
    pub later: u64,
    /// The latest actors among the earlier items, at most [`Thread::ACTORS`](super::Thread::ACTORS).
    pub earlier_actors: Vec<Actor>,
}
