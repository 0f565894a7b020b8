//! Marks, their targets, and their undo.

pub use tidings_model::Mark;
use tidings_model::{Kind, MsgId, Stamp, View};

use crate::{ItemId, SourceId, ThreadId};

/// The targets of a mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Targets {
    /// All items of these threads.
    Threads(Vec<ThreadId>),
    /// Single items, by row id.
    Items(Vec<ItemId>),
    /// Single items by msgid, in every source that has them; unknown msgids are skipped.
    MsgIds(Vec<MsgId>),
    /// Every item created at or before a time. `Read` sends one operation for each source, other marks name the
    /// items.
    All {
        /// Only items of this source.
        source: Option<SourceId>,
        /// Only items of this kind.
        kind: Option<Kind>,
        /// The time; `None` stands for the newest item that the replica has.
        through: Option<Stamp>,
    },
}

/// A view with its mark in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewMark {
    /// The view.
    pub view: View,
    /// The time up to which items of auto class are read; `None` if the view was never visited.
    pub through: Option<Stamp>,
}

/// The outcome of an answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerOutcome {
    /// It is shown, and waits to be sent.
    Answered,
    /// The question is answered already, or its time is over.
    Closed,
    /// The question does not offer this answer, or takes no text.
    NotOffered,
    /// There is no such notification, or it asks nothing.
    NoQuestion,
}
