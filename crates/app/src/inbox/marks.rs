//! Marks and undo. The replica queues the operation of a mark, and the sync engine sends it.
//!
//! Marks go to the program one after the other. Every list and event says how many changes of the replica it knows
//! of; over older rows the page lays the marks that it asked for.

use std::sync::Arc;

use tidings_ipc::{BulkTarget, Marked, Place, Rule, ThreadId};
use tidings_model::{Mark, MsgId};
use tidings_replica::{self as replica, Item, ItemId, ItemPosition, Replica, SourceId, Targets};
use tidings_sources::keeps_subscriptions;

use super::search::{ResolvedQuery, Searches};
use crate::context::{Context, part};
use crate::error::{Error, Result};
use crate::notify::silence::Silence;
use crate::state::undo_log::UndoLog;

/// The most threads that one call marks.
const MAX_THREADS: usize = 10_000;
/// The most items that one call names.
const MAX_ITEMS: usize = 1_000;
/// Items that are read from a thread at a time.
const ITEM_PAGE_SIZE: usize = 500;

part! {
    /// Marks threads and items, and undoes it.
    pub(crate) struct Marks {
        context: Arc<Context>,
        searches: Arc<Searches>,
        undo_log: Arc<UndoLog>,
        silence: Arc<Silence>,
    }
}

impl Marks {
    /// Marks threads. A mark of subscriptions changes those threads only whose service keeps them.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a mark of subscriptions if no service of the threads keeps them.
    pub(crate) async fn mark(&self, mut threads: Vec<ThreadId>, mark: Mark) -> Result<Marked> {
        threads.truncate(MAX_THREADS);
        if mark.is_of_subscription() {
            threads = self.context.disk(move |r| with_subscriptions(r, &threads)).await?;
            if threads.is_empty() {
                return Err(Error::NotFound);
            }
        }
        let automatic = threads.len() == 1 && is_automatic(mark);
        self.apply_mark(Targets::Threads(threads), mark, automatic).await
    }

    /// Marks single items of a thread. The user's own items are neither read nor unread.
    ///
    /// # Errors
    /// [`Error::NotFound`] if none of them is in the thread, or the mark is one of threads.
    pub(crate) async fn mark_items(
        &self,
        thread: ThreadId,
        msgids: Vec<String>,
        mark: Mark,
    ) -> Result<Marked> {
        let items = self.context.disk(move |r| named_items(r, thread, msgids, mark)).await?;
        let ids: Vec<ItemId> = items.into_iter().map(|item| item.id).collect();
        if ids.is_empty() || !mark.is_of_items() {
            return Err(Error::NotFound);
        }
        self.apply_mark(Targets::Items(ids), mark, false).await
    }

    /// Marks as read the items that were on screen: all of a thread up to the item `through`, and those of `seen` that
    /// are read one by one. Items whose view is read as a whole are read up to `through` only. Items that are gone by
    /// now are left out.
    pub(crate) async fn read_items(
        &self,
        thread: ThreadId,
        seen: Vec<String>,
        through: Option<String>,
    ) -> Result<Marked> {
        let through = through.map(MsgId);
        let targets = self.context.disk(move |r| read_targets(r, thread, seen, through.as_ref())).await?;
        self.apply_mark(targets, Mark::Read, true).await
    }

    /// Marks an item of a thread and the later ones as unread; the user's own items stay as they are.
    pub(crate) async fn unread_from(&self, thread: ThreadId, msgid: String) -> Result<Marked> {
        let msgid = MsgId(msgid);
        let ids = self.context.disk(move |r| items_from(r, thread, &msgid)).await?;
        if ids.is_empty() {
            return Err(Error::NotFound);
        }
        self.apply_mark(Targets::Items(ids), Mark::Unread, false).await
    }

    /// Marks everything in a place read.
    pub(crate) async fn mark_all_read(&self, place: &Place) -> Result<Marked> {
        let target = BulkTarget { place: place.clone(), search: None, within: true };
        self.mark_bulk(&target, Mark::Read).await
    }

    /// Marks every thread of a list, also those that the page has not loaded.
    pub(crate) async fn mark_bulk(&self, target: &BulkTarget, mark: Mark) -> Result<Marked> {
        let ResolvedQuery { place, filter, .. } =
            self.searches.resolve_query(&target.place, target.search.as_deref()).await?;
        let replica_target = replica::BulkTarget { place, place_only: target.within, filter };
        let (marked, threads) = self.context.disk(move |r| r.mark_bulk(&replica_target, mark)).await?;
        self.recompute_timers(mark);
        Ok(Marked {
            undo: self.undo_log.add(marked.undo, false),
            threads,
            as_of: self.context.replica.changes(),
        })
    }

    /// Applies a rule, which acts on arriving items, to the newest items; it need not be saved.
    pub(crate) async fn apply_rule(&self, rule: Rule) -> Result<Marked> {
        let marked = self.context.disk(move |r| r.apply_rule(rule)).await?;
        Ok(self.logged(marked, false))
    }

    /// Undoes a mark.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the mark was undone already or has left the undo log.
    pub(crate) async fn undo(&self, undo: u64) -> Result<()> {
        let undo = self.undo_log.take(undo).ok_or(Error::NotFound)?;
        self.context.disk(move |r| r.undo(&undo)).await?;
        // It may be a snooze or a mute for a time that is back.
        self.silence.timers_changed();
        Ok(())
    }

    /// Computes the timers again after a mark that ends by itself.
    fn recompute_timers(&self, mark: Mark) {
        if matches!(mark, Mark::Snooze { .. } | Mark::Mute { until: Some(_) }) {
            self.silence.timers_changed();
        }
    }

    async fn apply_mark(&self, targets: Targets, mark: Mark, automatic: bool) -> Result<Marked> {
        let marked = self.context.disk(move |r| r.mark(targets, mark)).await?;
        self.recompute_timers(mark);
        Ok(self.logged(marked, automatic))
    }

    /// The effect of a mark, with its undo in the log.
    fn logged(&self, marked: replica::Marked, automatic: bool) -> Marked {
        let threads = marked.changed.threads.len() as u64;
        Marked {
            undo: self.undo_log.add(marked.undo, automatic),
            threads: threads.max(u64::from(marked.items > 0)),
            as_of: self.context.replica.changes(),
        }
    }
}

/// Those threads whose service keeps subscriptions.
fn with_subscriptions(r: &Replica, threads: &[ThreadId]) -> replica::Result<Vec<ThreadId>> {
    let sources = r.sources()?;
    let keeps = |id: SourceId| sources.iter().any(|row| row.id == id && keeps_subscriptions(&row.protocol));
    Ok(r.threads_by_id(threads)?.into_iter().filter(|row| keeps(row.source)).map(|row| row.id).collect())
}

/// The items that were read by being on screen.
fn read_targets(
    r: &Replica,
    thread: ThreadId,
    seen: Vec<String>,
    through: Option<&MsgId>,
) -> replica::Result<Targets> {
    let mut ids = Vec::new();
    if let Some(through) = through
        && let Some(before) = r.unread_through(thread, through, MAX_THREADS + 1)?
    {
        let newest = r.items_of(thread, &ItemPosition::Newest, 1)?.items.pop();
        if before.len() > MAX_THREADS && newest.is_some_and(|newest| newest.notification.msgid == *through) {
            return Ok(Targets::Threads(vec![thread]));
        }
        ids = before;
    }
    let alone = named_items(r, thread, seen, Mark::Read)?.into_iter();
    ids.extend(alone.filter(|item| item.unread && !item.notification.auto).map(|item| item.id));
    ids.sort_unstable();
    ids.dedup();
    Ok(Targets::Items(ids))
}

/// The items of a thread with these msgids, at most [`MAX_ITEMS`], which a mark can change.
fn named_items(
    r: &Replica,
    thread: ThreadId,
    mut msgids: Vec<String>,
    mark: Mark,
) -> replica::Result<Vec<Item>> {
    msgids.truncate(MAX_ITEMS);
    let Some(row) = r.threads_by_id(&[thread])?.pop() else { return Ok(Vec::new()) };
    let msgids: Vec<MsgId> = msgids.into_iter().map(MsgId).collect();
    let items = r.items_by_msgid(Some(row.source), &msgids)?.into_iter();
    let changes = |own: bool| !own || !matches!(mark, Mark::Read | Mark::Unread);
    Ok(items.filter(|item| item.thread == thread && changes(item.own)).collect())
}

/// An item of a thread and the later ones, without the user's own; empty if the item is not in the thread.
fn items_from(r: &Replica, thread: ThreadId, msgid: &MsgId) -> replica::Result<Vec<ItemId>> {
    let mut ids = Vec::new();
    let mut position = ItemPosition::Newest;
    loop {
        let page = r.items_of(thread, &position, ITEM_PAGE_SIZE)?;
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
        position = ItemPosition::Before(first.notification.msgid.clone());
    }
}

/// Whether a mark follows from viewing, as opposed to an action of the reader.
const fn is_automatic(mark: Mark) -> bool {
    matches!(mark, Mark::Read | Mark::Seen)
}
