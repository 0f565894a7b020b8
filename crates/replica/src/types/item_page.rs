//! Pages of the items of one thread, and what may be asked of a list of items.

use tidings_model::{Actor, Kind, MsgId, Stamp};

use crate::{Item, SourceId};

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
    /// The latest actors among the earlier items, at most [`Thread::MAX_ACTORS`](crate::Thread::MAX_ACTORS).
    pub earlier_actors: Vec<Actor>,
}
