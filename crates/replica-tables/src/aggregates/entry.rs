//! One thread within a transaction: its row before and after, and the values that must be queried before it is
//! written.

use rusqlite::Connection;
use tidings_model::Kind;

use crate::columns::ThreadPlace;
use crate::thread_actors::{AddedActors, RemovedActors};
use crate::thread_counts::{ItemFlags, ThreadCounts};
use crate::threads::ThreadRow;
use crate::{Result, SourceId, ThreadId};
use crate::{items, outgoing, thread_actors, threads};

pub(super) struct ThreadEntry {
    pub(super) row: ThreadRow,
    /// The counts before this transaction; `None` for a new thread.
    pub(super) before: Option<ThreadCounts>,
    /// The newest item must be queried.
    pub(super) newest_unknown: bool,
    /// What the row has of the newest item must be queried.
    pub(super) newest_changed: bool,
    pub(super) wake_unknown: bool,
    /// When the thread last came back from a snooze must be queried.
    woken_unknown: bool,
    /// The newest archived item must be queried.
    done_unknown: bool,
    pub(super) added_actors: AddedActors,
    pub(super) removed_actors: RemovedActors,
    /// The row must be written and the thread reported as changed.
    pub(super) touched: bool,
}

impl ThreadEntry {
    /// The entry of a thread that was inserted in this transaction.
    pub(super) fn new(source: SourceId, kind: Kind) -> Self {
        let row = ThreadRow::empty(source, ThreadCounts::empty(kind));
        Self::with(row, None, true)
    }

    /// The entry of an existing thread, with its row.
    pub(super) fn of(row: ThreadRow) -> Self {
        let before = row.counts;
        Self::with(row, Some(before), false)
    }

    fn with(row: ThreadRow, before: Option<ThreadCounts>, touched: bool) -> Self {
        let (added_actors, removed_actors) = (AddedActors::new(), RemovedActors::new());
        Self {
            row,
            before,
            newest_unknown: false,
            newest_changed: false,
            wake_unknown: false,
            woken_unknown: false,
            done_unknown: false,
            added_actors,
            removed_actors,
            touched,
        }
    }

    /// Makes an item that entered the thread, or left another place of it, the thread's newest one if it is. Only the
    /// items that put the thread in its place are compared. `was` is the place before.
    pub(super) fn consider_newest(&mut self, was: ThreadPlace, item: &ItemFlags) {
        let place = self.row.counts.place();
        if item.place() != place {
            return;
        }
        // The first of a place before is alone in it.
        let is_alone = self.row.counts.total == 1 || place.as_row() < was.as_row();
        if !is_alone {
            match self.row.newest_at {
                _ if self.newest_unknown => return,
                Some(at) if (item.listed_at, item.id) < (at, self.row.last_item) => return,
                None if Some(item.listed_at) <= self.row.woken_at => {
                    self.newest_unknown = true;
                    return;
                }
                _ => {}
            }
        }
        (self.row.newest_at, self.row.last_item) = (Some(item.listed_at), item.id);
        self.row.last_priority = item.priority;
        self.row.counts.kind = item.kind;
        self.newest_unknown = false;
    }

    /// Updates `woken_at` with an item that came back from a snooze.
    pub(super) fn consider_woken(&mut self, item: &ItemFlags) {
        if !item.archived {
            self.row.woken_at = self.row.woken_at.max(item.woken);
        }
    }

    /// Updates `woken_at` with an item that left what came back from a snooze: it is archived, left the thread, or sleeps
    /// again.
    pub(super) fn leave_woken(&mut self, item: &ItemFlags) {
        self.woken_unknown |= !item.archived && item.woken.is_some() && self.row.woken_at == item.woken;
    }

    /// Updates `wake_at` with an item of the thread that may be the first to wake.
    pub(super) fn consider_wake(&mut self, item: &ItemFlags) {
        if let (Some(at), false) = (item.asleep, item.archived) {
            self.row.wake_at = Some(self.row.wake_at.map_or(at, |w| w.min(at)));
        }
        // An archived item does not decide when the thread wakes, so the time must be queried.
        self.wake_unknown |= item.asleep.is_some() && item.archived;
    }

    /// Updates `done_at` with an item that is archived now.
    pub(super) fn consider_done(&mut self, item: &ItemFlags) {
        if item.archived {
            self.row.done_at = self.row.done_at.max(Some(item.listed_at));
        }
    }

    /// Updates `done_at` with an item that left what is archived, or the thread.
    pub(super) fn leave_done(&mut self, item: &ItemFlags) {
        self.done_unknown |= item.archived && self.row.done_at == Some(item.listed_at);
    }

    /// Writes the row; `false` if no list shows the thread any more.
    pub(super) fn write(&mut self, tx: &Connection, id: ThreadId) -> Result<bool> {
        if self.row.counts.total == 0 {
            if !self.complete_without_items(tx, id)? {
                return Ok(false);
            }
        } else {
            self.complete(tx, id)?;
        }
        self.row.write(tx, id)?;
        Ok(self.row.counts.place() != ThreadPlace::Unlisted)
    }

    /// Updates a thread without items; `false` if its row was deleted.
    fn complete_without_items(&mut self, tx: &Connection, id: ThreadId) -> Result<bool> {
        thread_actors::clear(tx, id)?;
        self.row = ThreadRow::empty(self.row.source, self.row.counts);
        let message = outgoing::preview(tx, id)?;
        self.row.counts.has_outgoing = message.is_some();
        if let Some((at, _)) = message {
            self.row.newest_at = Some(at);
            return Ok(true);
        }
        Ok(self.row.counts.has_settings() || !threads::delete(tx, id)?)
    }

    /// Queries the values that the deltas did not determine.
    fn complete(&mut self, tx: &Connection, id: ThreadId) -> Result<()> {
        if self.woken_unknown {
            self.row.woken_at = items::last_woken(tx, id)?;
            self.newest_unknown |= self.row.newest_at.is_none();
        }
        let newest = if self.newest_unknown {
            items::newest(tx, id, self.row.counts.place())?
        } else if self.newest_changed {
            items::as_newest(tx, self.row.last_item)?
        } else {
            None
        };
        if let Some(newest) = newest {
            (self.row.last_item, self.row.newest_at) = (newest.id, Some(newest.listed_at));
            (self.row.last_priority, self.row.counts.kind) = (newest.priority, newest.kind);
        }
        if self.row.counts.asleep == 0 {
            self.row.wake_at = None;
        } else if self.wake_unknown {
            self.row.wake_at = threads::next_wake(tx, id)?;
        }
        if self.row.counts.archived == 0 {
            self.row.done_at = None;
        } else if self.done_unknown {
            self.row.done_at = items::newest_archived(tx, id)?;
        }
        self.write_actors(tx, id)
    }
}
