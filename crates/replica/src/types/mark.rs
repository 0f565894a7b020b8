//! Marks, what they are put on, and what takes them back.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tidings_model::{Kind, MsgId, Stamp, View};

use crate::tables::item_state::Marks;

use super::{Changed, ItemId, Place, SourceId, ThreadId};

/// A change of state that a reader asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mark {
    /// Read; of auto class: moves the view's mark forward to the newest of them.
    Read,
    /// Unread again; of a thread its newest item that is not the user's own; of auto class moves the mark back to
    /// just before the oldest of them.
    Unread,
    /// A list showed them.
    Seen,
    /// Archived: done.
    Archive,
    /// Not archived any more.
    Unarchive,
    /// Snoozed until a time.
    Snooze {
        /// When it wakes.
        until: Stamp,
    },
    /// Not snoozed any more.
    Unsnooze,
    /// Deleted. Can be undone only until it was sent.
    Delete,
    /// Threads only, on this device only: pinned.
    Pin,
    /// Threads only: not pinned any more.
    Unpin,
    /// Threads only, on this device only: muted.
    Mute,
    /// Threads only: not muted any more.
    Unmute,
}

impl Mark {
    /// Whether it changes items; else it changes the settings of threads.
    pub(crate) const fn is_of_items(self) -> bool {
        !matches!(self, Self::Pin | Self::Unpin | Self::Mute | Self::Unmute)
    }

    /// What the outbox calls the operation that asks a server for it.
    pub(crate) const fn operation(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Unread => "unread",
            Self::Seen => "seen",
            Self::Archive => "archive",
            Self::Unarchive => "unarchive",
            Self::Snooze { .. } => "snooze",
            Self::Unsnooze => "unsnooze",
            Self::Delete => "delete",
            Self::Pin => "pin",
            Self::Unpin => "unpin",
            Self::Mute => "mute",
            Self::Unmute => "unmute",
        }
    }

    /// The mark that an operation asks for; none for those that act on views or on everything.
    pub(crate) fn of_operation(operation: &str, at: Option<Stamp>) -> Option<Self> {
        if operation == "snooze" {
            return at.map(|until| Self::Snooze { until });
        }
        let others = [
            Self::Read,
            Self::Unread,
            Self::Seen,
            Self::Archive,
            Self::Unarchive,
            Self::Unsnooze,
            Self::Delete,
        ];
        others.into_iter().find(|mark| mark.operation() == operation)
    }

    /// Puts it on an item's marks, as of `when`. Deletion is not among them, and of auto class it is the view's mark that
    /// says what is read.
    pub(crate) fn apply(self, marks: &mut Marks, when: Stamp, auto: bool) {
        match self {
            Self::Read if auto => {}
            Self::Read => marks.read = marks.read.or(Some(when)),
            Self::Unread => marks.read = None,
            Self::Seen => marks.seen = marks.seen.or(Some(when)),
            Self::Archive => marks.archived = marks.archived.or(Some(when)),
            Self::Unarchive => marks.archived = None,
            Self::Snooze { until } => marks.snoozed = Some(until),
            Self::Unsnooze => marks.snoozed = None,
            Self::Delete | Self::Pin | Self::Unpin | Self::Mute | Self::Unmute => {}
        }
    }
}

/// What a mark is put on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Targets {
    /// Whole threads.
    Threads(Vec<ThreadId>),
    /// Single items by row id.
    Items(Vec<ItemId>),
    /// Single items by name, in whatever source has them; unknown names are passed over.
    MsgIds(Vec<MsgId>),
    /// Every item created at or before a time. `Read` sends one operation a source, other marks name the items.
    All {
        /// Only one source.
        source: Option<SourceId>,
        /// Only one kind.
        kind: Option<Kind>,
        /// Up to here; none = up to the newest that is here.
        through: Option<Stamp>,
    },
    /// Everything in a place, as it is now.
    Place(Place),
}

/// What a mark did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Marked {
    /// Items that changed.
    pub items: u64,
    /// Threads that changed, and the numbers after it.
    pub changed: Arc<Changed>,
    /// For [`Replica::undo`](crate::Replica::undo); none where nothing changed or nothing can be taken back.
    pub undo: Option<Undo>,
}

/// How to take a mark back, in memory only: up to 20,000 changes one by one, or those that a bulk mark made in one and
/// the same way, a bit each.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Undo {
    pub(crate) changes: Vec<crate::marks::Change>,
    pub(crate) bulk: Vec<crate::marks::bulk::BulkChange>,
    /// There were too many changes to remember them one by one.
    pub(crate) too_many: bool,
}

/// A view and its mark, as it is in force here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewMark {
    /// The view's name.
    pub view: View,
    /// Items of auto class with content up to this time are read; none where the view was never visited.
    pub through: Option<Stamp>,
}
