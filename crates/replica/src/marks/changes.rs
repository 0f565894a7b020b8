//! What a mark changed, as its undo keeps it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tidings_model::Stamp;
use tidings_replica_tables::flags::Flags;
use tidings_replica_tables::item_state::Marks;

use crate::search::id_set::IdSet;
use crate::{Changed, ItemId, Mark, Subscription, ThreadId};

/// The effect of a mark.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Marked {
    /// The number of items that changed.
    pub items: u64,
    /// The changed threads and the new counts.
    pub changed: Arc<Changed>,
    /// The argument for [`Replica::undo`](crate::Replica::undo); `None` if nothing changed or the mark cannot be
    /// undone.
    pub undo: Option<Undo>,
}

/// The most changes that are recorded one by one.
pub(crate) const MAX_CHANGES: usize = 20_000;

/// The undo of a mark, in memory only. It has up to 20,000 changes one by one, or the changes of a bulk mark, which have
/// the same form, with one bit each.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Undo {
    pub(crate) changes: Vec<MarkChange>,
    pub(crate) bulk: Vec<BulkChange>,
    /// Whether the changes were too many to record them one by one.
    pub(crate) too_many: bool,
}

impl Undo {
    /// Records changes one by one; discards all of them if they are too many.
    pub(crate) fn add(&mut self, changes: Vec<MarkChange>) {
        for change in changes {
            push_change(&mut self.changes, change);
        }
        self.too_many |= self.changes.len() > MAX_CHANGES;
        if self.too_many {
            self.changes = Vec::new();
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.bulk.is_empty()
    }
}

/// One change that a mark made, with the state before (`was`) and after (`is`), for the undo.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum MarkChange {
    Item {
        id: ItemId,
        was: Marks,
        was_deleted: bool,
        is: Marks,
        is_deleted: bool,
    },
    /// The mark of a view moved.
    View {
        id: i64,
        was: Option<Stamp>,
        is: Option<Stamp>,
    },
    /// A thread was pinned, unpinned, muted or unmuted.
    Flags {
        thread: ThreadId,
        was: Flags,
        is: Flags,
    },
    /// The reader wants another subscription of a thread at its service.
    Subscription {
        thread: ThreadId,
        was: Option<Subscription>,
        is: Subscription,
    },
}

/// Appends a change; two consecutive moves of the same view's mark are merged.
pub(crate) fn push_change(all: &mut Vec<MarkChange>, change: MarkChange) {
    if let (Some(MarkChange::View { id, is, .. }), MarkChange::View { id: view, was, is: now }) =
        (all.last_mut(), &change)
        && id == view
        && is == was
    {
        *is = *now;
        return;
    }
    all.push(change);
}

/// The changes of one mark that all have the same form, stored as a set of ids.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum BulkChange {
    /// Items on which the mark was put.
    Items { mark: Mark, items: IdSet },
    /// Threads that the mark pinned, unpinned, muted or unmuted.
    Flags { mark: Mark, threads: IdSet },
}

impl BulkChange {
    /// The number of threads whose flags changed.
    pub(super) fn flagged(&self) -> u64 {
        match self {
            Self::Items { .. } => 0,
            Self::Flags { threads, .. } => threads.newest_first().count().try_into().unwrap_or(u64::MAX),
        }
    }
}

/// The mark that undoes a mark on threads.
pub(crate) const fn opposite(mark: Mark) -> Mark {
    match mark {
        Mark::Pin => Mark::Unpin,
        Mark::Unpin => Mark::Pin,
        Mark::Mute { .. } => Mark::Unmute,
        Mark::Unmute => Mark::Mute { until: None },
        other => other,
    }
}

/// Whether a mark changed nothing but its own time, so that the inverse change undoes it.
pub(crate) fn is_uniform(mark: Mark, before: &Marks, after: &Marks) -> bool {
    let back = match mark {
        Mark::Read if before.read.is_none() => Marks { read: None, ..*after },
        Mark::Unread if after.read.is_none() => Marks { read: before.read, ..*after },
        Mark::Archive if before.archived.is_none() => Marks { archived: None, ..*after },
        Mark::Unarchive if after.archived.is_none() => Marks { archived: before.archived, ..*after },
        Mark::Snooze { .. } if before.snoozed.is_none() => Marks { snoozed: None, ..*after },
        _ => return false,
    };
    back == *before
}

/// The marks before a mark that changed only its own time; `None` if another change to the item followed. Times are
/// not compared: the server sets its own when it answers.
pub(crate) fn before_uniform(mark: Mark, after: &Marks, now: Stamp) -> Option<Marks> {
    Some(match mark {
        Mark::Read if after.read.is_some() => Marks { read: None, ..*after },
        Mark::Unread if after.read.is_none() => Marks { read: Some(now), ..*after },
        Mark::Archive if after.archived.is_some() => Marks { archived: None, ..*after },
        Mark::Unarchive if after.archived.is_none() => Marks { archived: Some(now), ..*after },
        Mark::Snooze { until } if after.snoozed == Some(until) => Marks { snoozed: None, ..*after },
        _ => return None,
    })
}
