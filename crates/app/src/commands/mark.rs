//! Marks and taking them back. Refuses to send anything: the replica queues it, the engine sends it.

use tidings_model::{MsgId, Stamp};
use tidings_replica::{self as replica, Targets};

use super::list::place;
use crate::app::App;
use crate::error::{Error, Result};
use crate::page::{Mark, Marked, Place, ThreadId};
use crate::wishes::items;

/// Threads that one call marks at most.
const THREADS: usize = 10_000;

impl App {
    /// Marks threads.
    pub async fn mark(&self, mut threads: Vec<ThreadId>, mark: &Mark) -> Result<Marked> {
        threads.truncate(THREADS);
        self.put(Targets::Threads(threads), in_replica(mark)).await
    }

    /// Marks one item of a thread.
    pub async fn mark_item(&self, thread: ThreadId, msgid: String, mark: &Mark) -> Result<Marked> {
        let ids = self
            .disk(move |r| match r.threads_by_id(&[thread])?.first() {
                Some(row) => items(r, row.source, &[MsgId(msgid)]),
                None => Ok(Vec::new()),
            })
            .await?;
        if ids.is_empty() {
            return Err(Error::NotFound);
        }
        self.put(Targets::Items(ids), in_replica(mark)).await
    }

    /// Marks everything in a place read.
    pub async fn mark_all_read(&self, at: &Place) -> Result<Marked> {
        self.put(Targets::Place(place(at)), replica::Mark::Read).await
    }

    /// Takes a mark back.
    pub async fn undo(&self, undo: u64) -> Result<()> {
        let undo = self.take_undo(undo).ok_or(Error::NotFound)?;
        self.disk(move |r| r.undo(&undo)).await.map(drop)
    }

    async fn put(&self, targets: Targets, mark: replica::Mark) -> Result<Marked> {
        let marked = self.disk(move |r| r.mark(targets, mark)).await?;
        if matches!(mark, replica::Mark::Snooze { .. }) {
            self.inner.retimed.notify_one();
        }
        let threads = marked.changed.threads.len() as u64;
        Ok(Marked { undo: self.keep_undo(marked.undo), threads: threads.max(u64::from(marked.items > 0)) })
    }
}

const fn in_replica(mark: &Mark) -> replica::Mark {
    match mark {
        Mark::Read => replica::Mark::Read,
        Mark::Unread => replica::Mark::Unread,
        Mark::Seen => replica::Mark::Seen,
        Mark::Archive => replica::Mark::Archive,
        Mark::Unarchive => replica::Mark::Unarchive,
        Mark::Snooze { until } => replica::Mark::Snooze { until: Stamp::from_millis(*until) },
        Mark::Unsnooze => replica::Mark::Unsnooze,
        Mark::Pin => replica::Mark::Pin,
        Mark::Unpin => replica::Mark::Unpin,
        Mark::Mute => replica::Mark::Mute,
        Mark::Unmute => replica::Mark::Unmute,
    }
}
