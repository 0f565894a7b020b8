//! Marks, what they are put on, and what takes them back.

use std::sync::Arc;

pub use tidings_model::Mark;
use tidings_model::{Kind, MsgId, Stamp, View};

use super::{Changed, ItemId, Place, SourceId, ThreadId};

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
