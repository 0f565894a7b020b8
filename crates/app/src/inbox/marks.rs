//! Marks and undo. The replica queues the operation of a mark, and the sync engine sends it.

use tidings_model::{Mark, MsgId};
use tidings_replica::{self as replica, ItemId, Replica, Targets};

use super::search::ResolvedQuery;
use crate::app::App;
use crate::error::{Error, Result};
use crate::ipc::{BulkTarget, Marked, Place, ThreadId};

/// The most threads that one call marks.
const MAX_THREADS: usize = 10_000;
/// Items that are read from a thread at a time.
const ITEM_PAGE_SIZE: usize = 500;

impl App {
    /// Marks threads.
    pub async fn mark(&self, mut threads: Vec<ThreadId>, mark: Mark) -> Result<Marked> {
        threads.truncate(MAX_THREADS);
        let automatic = threads.len() == 1 && is_automatic(mark);
        self.apply_mark(Targets::Threads(threads), mark, automatic).await
    }

    /// Marks an item of a thread and the later ones as unread; the user's own items stay as they are.
    pub async fn unread_from(&self, thread: ThreadId, msgid: String) -> Result<Marked> {
        let msgid = MsgId(msgid);
        let ids = self.disk(move |r| items_from(r, thread, &msgid)).await?;
        if ids.is_empty() {
            return Err(Error::NotFound);
        }
        self.apply_mark(Targets::Items(ids), Mark::Unread, false).await
    }

    /// Marks everything in a place read.
    pub async fn mark_all_read(&self, place: &Place) -> Result<Marked> {
        let target = BulkTarget { place: place.clone(), search: None, within: true };
        self.mark_bulk(&target, Mark::Read).await
    }

    /// Marks every thread of a list, also those that the page has not loaded.
    pub async fn mark_bulk(&self, target: &BulkTarget, mark: Mark) -> Result<Marked> {
        let ResolvedQuery { place, filter, .. } =
            self.resolve_query(&target.place, target.search.as_deref()).await?;
        let replica_target = replica::BulkTarget { place, place_only: target.within, filter };
        let (marked, threads) = self.disk(move |r| r.mark_bulk(&replica_target, mark)).await?;
        if matches!(mark, Mark::Snooze { .. }) {
            self.inner.timers_changed.notify_one();
        }
        Ok(Marked {
            undo: self.inner.undo_log.add(marked.undo, false),
            threads,
            as_of: self.inner.replica.changes(),
        })
    }

    /// Undoes a mark.
    ///
    /// # Errors
    /// [`Error::NotFound`] where the mark was undone already or has left the undo log.
    pub async fn undo(&self, undo: u64) -> Result<()> {
        let undo = self.inner.undo_log.take(undo).ok_or(Error::NotFound)?;
        self.disk(move |r| r.undo(&undo)).await.map(drop)
    }

    async fn apply_mark(&self, targets: Targets, mark: Mark, automatic: bool) -> Result<Marked> {
        let marked = self.disk(move |r| r.mark(targets, mark)).await?;
        if matches!(mark, Mark::Snooze { .. }) {
            self.inner.timers_changed.notify_one();
        }
        let threads = marked.changed.threads.len() as u64;
        Ok(Marked {
            undo: self.inner.undo_log.add(marked.undo, automatic),
            threads: threads.max(u64::from(marked.items > 0)),
            as_of: self.inner.replica.changes(),
        })
    }
}

/// An item of a thread and the later ones, without the user's own; empty where the item is not in the thread.
fn items_from(r: &Replica, thread: ThreadId, msgid: &MsgId) -> replica::Result<Vec<ItemId>> {
    let mut ids = Vec::new();
    let mut before = None;
    loop {
        let page = r.items_of(thread, before.as_ref(), ITEM_PAGE_SIZE)?;
        for item in page.items.iter().rev() {
            if !item.own {
                ids.push(item.id);
            }
            if item.notification.msgid == *msgid {
                return Ok(ids);
            }
        }
        let Some(first) = page.items.first().filter(|_| page.earlier > 0 && ids.len() < MAX_THREADS) else {
            return Ok(Vec::new());
        };
        before = Some(first.notification.msgid.clone());
    }
}

/// Whether a mark follows from viewing, as opposed to an action of the reader.
const fn is_automatic(mark: Mark) -> bool {
    matches!(mark, Mark::Read | Mark::Seen)
}
