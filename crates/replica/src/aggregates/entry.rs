//! One thread in a transaction: its row as it was and as it is, and what is still to be looked up before it is written.

use rusqlite::Connection;
use tidings_model::{Kind, Stamp};

use super::thread_counts::{ItemFlags, ThreadCounts};
use crate::tables::thread_actors::{Came, Left};
use crate::tables::threads::ThreadRow;
use crate::tables::{items, outgoing, thread_actors, threads};
use crate::{Result, SourceId, ThreadId, ThreadPreview};

/// What the row shows of the newest item.
pub(super) enum Preview {
    /// What it shows already.
    Same,
    /// The item of this index in the page that is being applied.
    Nth(usize),
    /// This, to be written.
    Is(Box<ThreadPreview>),
    /// To be looked up, with which item is the newest.
    Unknown,
}

pub(super) struct ThreadEntry {
    pub(super) row: ThreadRow,
    /// The counts before this transaction; none where the thread is new.
    pub(super) before: Option<ThreadCounts>,
    /// `last_at` before this transaction.
    pub(super) was_last_at: Stamp,
    pub(super) preview: Preview,
    pub(super) wake_unknown: bool,
    pub(super) actors_came: Came,
    pub(super) actors_left: Left,
    /// The row is written, and shown anew.
    pub(super) touched: bool,
}

impl ThreadEntry {
    /// A thread that was not here.
    pub(super) fn new(source: SourceId, kind: Kind) -> Self {
        let row = ThreadRow::empty(source, ThreadCounts::empty(kind));
        Self::with(row, None, Stamp::from_micros(i64::MIN), true)
    }

    /// A thread as its row has it.
    pub(super) fn read(tx: &Connection, id: ThreadId) -> Result<Self> {
        let row = ThreadRow::read(tx, id)?;
        let (before, last_at) = (row.counts, row.last_at);
        Ok(Self::with(row, Some(before), last_at, false))
    }

    fn with(row: ThreadRow, before: Option<ThreadCounts>, was_last_at: Stamp, touched: bool) -> Self {
        let (actors_came, actors_left) = (Came::new(), Left::new());
        let (preview, wake_unknown) = (Preview::Same, false);
        Self { row, before, was_last_at, preview, wake_unknown, actors_came, actors_left, touched }
    }

    /// An item that is in the thread may be the first to wake.
    pub(super) fn consider_wake(&mut self, item: &ItemFlags) {
        if let (Some(at), false) = (item.asleep, item.archived) {
            self.row.wake_at = Some(self.row.wake_at.map_or(at, |w| w.min(at)));
        }
        // An archived item that sleeps does not hold the thread.
        self.wake_unknown |= item.asleep.is_some() && item.archived;
    }

    /// Brings the row up to date; `false` when no list shows the thread any more.
    pub(super) fn write(&mut self, tx: &Connection, id: ThreadId) -> Result<bool> {
        if self.row.counts.total == 0 {
            if !self.complete_without_items(tx, id)? {
                return Ok(false);
            }
        } else {
            self.complete(tx, id)?;
        }
        let preview = match &self.preview {
            Preview::Is(preview) => Some(serde_json::to_string(preview)?),
            _ => None,
        };
        self.row.write(tx, id, preview.as_deref())?;
        Ok(self.row.counts.place() != crate::tables::columns::ThreadPlace::Unlisted)
    }

    /// Brings a thread without items up to date; `false` when its row is gone.
    fn complete_without_items(&mut self, tx: &Connection, id: ThreadId) -> Result<bool> {
        thread_actors::clear(tx, id)?;
        self.row = ThreadRow::empty(self.row.source, self.row.counts);
        self.preview = Preview::Is(Box::default());
        let message = outgoing::preview(tx, id)?;
        self.row.counts.is_new = message.is_some();
        if let Some((at, preview)) = message {
            (self.row.last_at, self.preview) = (at, Preview::Is(Box::new(preview)));
            return Ok(true);
        }
        Ok(self.row.counts.is_kept() || !threads::delete(tx, id)?)
    }

    /// Looks up what deltas could not tell.
    fn complete(&mut self, tx: &Connection, id: ThreadId) -> Result<()> {
        if matches!(self.preview, Preview::Unknown)
            && let Some(newest) = items::newest(tx, id)?
        {
            let n = &newest.notification;
            (self.row.last_item, self.row.last_at) = (newest.id, n.created_at);
            (self.row.last_priority, self.row.counts.kind) = (n.content.priority.get(), n.kind);
            self.preview = Preview::Is(Box::new(items::preview(n, newest.own)));
        }
        if self.row.counts.asleep == 0 {
            self.row.wake_at = None;
        } else if self.wake_unknown {
            self.row.wake_at = threads::next_wake(tx, id)?;
        }
        self.write_actors(tx, id)
    }
}
