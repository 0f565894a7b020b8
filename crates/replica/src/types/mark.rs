//! Marks, what they are put on, and what takes them back. Refuses to put them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tidings_model::{Kind, MsgId, Stamp, View};

use super::{Changed, ItemId, Place, SourceId, ThreadId};

/// What to do with items or threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mark {
    /// Read; of auto class: moves the view's mark forward to the newest of them.
    Read,
    /// Unread again; of a thread its newest item that is not the user's own; of auto class moves the mark back to
    /// just before the oldest of them.
    Unread,
    /// A list showed them.
    Seen,
    /// Done.
    Archive,
    /// Not done after all.
    Unarchive,
    /// Asleep until a time.
    Snooze {
        /// When it wakes.
        until: Stamp,
    },
    /// Awake.
    Unsnooze,
    /// Gone. Can be undone only until it was sent.
    Delete,
    /// Threads only, kept here alone: pinned.
    Pin,
    /// Threads only: not pinned.
    Unpin,
    /// Threads only, kept here alone: silenced.
    Mute,
    /// Threads only: heard again.
    Unmute,
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
    /// Give this to `undo`; none where nothing changed or nothing can be taken back.
    pub undo: Option<Undo>,
}

/// How to take a mark back. Opaque; lives in memory only: up to 20,000 changes one by one, or all that a wide mark did in
/// one and the same way, a bit each.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Undo {
    pub(crate) before: Vec<crate::mark::Before>,
    pub(crate) wide: Vec<crate::wide::Wide>,
    /// There were more changes to remember one by one.
    pub(crate) too_many: bool,
}

/// A view and its mark, as it is in force here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewMark {
    /// Which view.
    pub view: View,
    /// Items of auto class created at or before it are read; none = never looked at.
    pub through: Option<Stamp>,
}
