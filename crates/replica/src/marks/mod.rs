//! Marks that a reader puts on items, threads and views: state, counters and outbox change in one transaction. A mark
//! without effect writes nothing.

pub(crate) mod bulk;
pub(crate) mod changes;
pub(crate) mod jobs;
pub(crate) mod read_all;
mod seen;
pub(crate) mod undo;
mod views;

use std::collections::BTreeMap;

use rusqlite::Connection;
use tidings_model::{Kind, MsgId, Stamp};
use tidings_replica_tables::aggregates::Aggregates;
use tidings_replica_tables::item_state::ItemState;
use tidings_replica_tables::outbox::Named;
use tidings_replica_tables::{server_state, sql, subscriptions};

use self::changes::{MarkChange, is_uniform, opposite};
use crate::outbox;
use crate::{Error, ItemId, Mark, Result, SourceId, Subscription, Targets, ThreadId};

/// The state of putting one mark.
pub(crate) struct Marking<'a, 't> {
    pub(crate) tx: &'t Connection,
    pub(crate) aggregates: &'a mut Aggregates<'t>,
    pub(crate) now: Stamp,
    /// The changes in their order, for the undo.
    pub(crate) changes: Vec<MarkChange>,
    /// The mark whose changes of the same form are stored by id alone; `None` stores every change in full.
    pub(crate) uniform: Option<Mark>,
    /// The ids of such changes: items, or threads whose flags changed.
    pub(crate) uniform_ids: Vec<i64>,
    /// The most rows of one transaction.
    pub(crate) portion: usize,
    /// The number of items that changed.
    pub(crate) items: u64,
    /// The change of the number of unread items, by source and kind.
    pub(crate) unread: BTreeMap<(SourceId, Kind), i64>,
}

/// The condition on `items i` that selects the items of a thread or place to which a mark applies.
pub(crate) const fn condition_for(mark: Mark) -> &'static str {
    match mark {
        Mark::Read => "(i.unread = 1 OR i.asleep = 1) AND i.deleted = 0",
        Mark::Unread => "i.own = 0 AND i.archived_at IS NULL AND i.deleted = 0",
        Mark::Seen => "i.unread = 1 AND i.seen_at IS NULL",
        Mark::Archive | Mark::Snooze { .. } => "i.archived_at IS NULL AND i.deleted = 0",
        Mark::Unarchive => "i.archived_at IS NOT NULL AND i.deleted = 0",
        Mark::Unsnooze => "i.asleep = 1 AND i.deleted = 0",
        Mark::Delete
        | Mark::Pin
        | Mark::Unpin
        | Mark::Mute { .. }
        | Mark::Unmute
        | Mark::Subscribe
        | Mark::Unsubscribe
        | Mark::Ignore => "i.deleted = 0",
    }
}

/// Those of the threads in which nothing is unread. A snooze makes their newest item unread, so that they come back unread
/// on every device.
pub(crate) fn read_threads(conn: &Connection, threads: &[ThreadId]) -> Result<Vec<ThreadId>> {
    let sql = "SELECT 1 FROM threads WHERE id = ?1 AND unread = 0";
    let mut read = Vec::new();
    for thread in threads {
        read.extend(sql::first(conn, sql, [thread], |_| Ok(*thread))?);
    }
    Ok(read)
}

impl<'a, 't> Marking<'a, 't> {
    pub(crate) fn new(
        tx: &'t Connection,
        aggregates: &'a mut Aggregates<'t>,
        now: Stamp,
        portion: usize,
    ) -> Self {
        let (changes, uniform_ids) = (Vec::new(), Vec::new());
        let unread = BTreeMap::new();
        Self { tx, aggregates, now, changes, uniform: None, uniform_ids, portion, items: 0, unread }
    }

    /// Puts a mark on threads or on named items.
    pub(crate) fn put(&mut self, targets: &Targets, mark: Mark) -> Result<()> {
        if !mark.is_of_items() {
            return if let Targets::Threads(threads) = targets { self.flags(threads, mark) } else { Ok(()) };
        }
        let items = self.items_of(targets, mark)?;
        let Mark::Snooze { .. } = mark else { return self.change(mark, items) };
        let read: Vec<ItemId> = match targets {
            Targets::Threads(threads) => {
                let read = self.items_of_threads(&read_threads(self.tx, threads)?, Mark::Unread)?;
                read.iter().map(|item| item.id).collect()
            }
            _ => items.iter().map(|item| item.id).collect(),
        };
        self.change(mark, items)?;
        // What was read comes back unread.
        self.put_on_items(Mark::Unread, &read, false)
    }

    /// The items of targets to which a mark applies.
    fn items_of(&self, targets: &Targets, mark: Mark) -> Result<Vec<ItemState>> {
        match targets {
            Targets::Threads(threads) => self.items_of_threads(threads, mark),
            Targets::Items(ids) => self.items_where("i.id = ?1 AND i.deleted = 0", ids),
            Targets::MsgIds(ids) => {
                // The index starts with the source, so each source is queried.
                let ids: Vec<&str> = ids.iter().map(MsgId::as_str).collect();
                self.items_where(
                    "i.source IN (SELECT id FROM sources WHERE removing = 0) AND i.msgid = ?1 AND i.deleted = 0",
                    &ids,
                )
            }
            // Such targets are planned beforehand, on a reader's connection.
            Targets::All { .. } => Ok(Vec::new()),
        }
    }

    /// The items that meet a condition, which is evaluated once for each value.
    pub(crate) fn items_where<T: rusqlite::ToSql>(
        &self,
        condition: &str,
        values: &[T],
    ) -> Result<Vec<ItemState>> {
        let condition = format!("WHERE {condition}");
        let mut items = Vec::new();
        for value in values {
            items.extend(ItemState::select(self.tx, &condition, [value])?);
        }
        Ok(items)
    }

    fn items_of_threads(&self, threads: &[ThreadId], mark: Mark) -> Result<Vec<ItemState>> {
        if mark == Mark::Read {
            // Two short indexes replace a scan of the whole thread.
            let mut items = self.items_where("i.thread = ?1 AND i.unread = 1", threads)?;
            items.extend(
                self.items_where("i.thread = ?1 AND i.asleep = 1 AND i.own = 0 AND i.deleted = 0", threads)?,
            );
            return Ok(items);
        }
        let newest = if mark == Mark::Unread { "ORDER BY i.listed_at DESC, i.id DESC LIMIT 1" } else { "" };
        self.items_where(&format!("i.thread = ?1 AND {} {newest}", condition_for(mark)), threads)
    }

    /// Puts a mark on those of the items that it changes.
    fn change(&mut self, mark: Mark, items: Vec<ItemState>) -> Result<()> {
        if mark == Mark::Seen {
            return self.set_seen(items);
        }
        let mut by_source: BTreeMap<SourceId, Vec<Named>> = BTreeMap::new();
        let mut by_view: BTreeMap<i64, ItemState> = BTreeMap::new();
        for before in items {
            if let Some(view) = before.view
                && matches!(mark, Mark::Read | Mark::Unread)
            {
                if before.is_read() == (mark == Mark::Read) {
                    continue;
                }
                let further = |other: &ItemState| match mark {
                    Mark::Read => before.content_at() > other.content_at(),
                    _ => before.created_at < other.created_at,
                };
                let alone = before.marks.read.is_some();
                if by_view.get(&view).is_none_or(further) {
                    by_view.insert(view, before.clone());
                }
                // The item also has a read mark of its own, which must go as well.
                if !alone {
                    continue;
                }
            }
            let mut after = before.clone();
            after.marks.apply(mark, self.now, false);
            after.deleted |= mark == Mark::Delete;
            if after.marks == before.marks && after.deleted == before.deleted {
                continue;
            }
            by_source.entry(after.source).or_default().push(after.named());
            self.write(&before, after)?;
        }
        for (source, named) in by_source {
            outbox::queue(self.tx, source, mark, &named, self.now)?;
        }
        for (view, item) in by_view {
            self.mark_view(mark, view, &item)?;
        }
        Ok(())
    }

    /// Writes an item's new state; the server's state stays in `server_state`.
    fn write(&mut self, before: &ItemState, mut after: ItemState) -> Result<()> {
        server_state::put_if_absent(self.tx, before.id, &before.marks)?;
        self.write_item(before, &mut after)?;
        self.record_item(before, &after);
        Ok(())
    }

    /// Records an item's change for the undo.
    pub(crate) fn record_item(&mut self, before: &ItemState, after: &ItemState) {
        let uniform = self.uniform.filter(|_| before.deleted == after.deleted);
        if uniform.is_some_and(|mark| is_uniform(mark, &before.marks, &after.marks)) {
            self.uniform_ids.push(before.id);
        } else {
            self.changes.push(MarkChange::Item {
                id: before.id,
                was: before.marks,
                was_deleted: before.deleted,
                is: after.marks,
                is_deleted: after.deleted,
            });
        }
    }

    /// Writes an item's new state and counts the change.
    pub(crate) fn write_item(&mut self, before: &ItemState, after: &mut ItemState) -> Result<()> {
        after.derive(self.now);
        outbox::count_change(self.tx, self.aggregates, before, after)?;
        *self.unread.entry((after.source, after.kind)).or_default() +=
            i64::from(after.unread) - i64::from(before.unread);
        self.items += 1;
        after.write(self.tx)
    }

    /// Puts a mark on items. Items that the reader did not name (`named` is false) are skipped if they no longer
    /// qualify.
    pub(crate) fn put_on_items(&mut self, mark: Mark, items: &[ItemId], named: bool) -> Result<()> {
        let condition = if named { "i.deleted = 0" } else { condition_for(mark) };
        let items = self.items_where(&format!("i.id = ?1 AND {condition}"), items)?;
        self.change(mark, items)
    }

    /// Pins, unpins, mutes or unmutes threads. Those that the opposite mark puts back are recorded by id.
    pub(crate) fn put_on_threads(&mut self, mark: Mark, threads: &[ThreadId]) -> Result<()> {
        self.flags(threads, mark)?;
        for change in std::mem::take(&mut self.changes) {
            match change {
                MarkChange::Flags { thread, was, is } if is.marked(opposite(mark)) == was => {
                    self.uniform_ids.push(thread);
                }
                other => self.changes.push(other),
            }
        }
        Ok(())
    }

    /// Queues another subscription of threads at their service. An ignored thread is muted here, too.
    pub(crate) fn subscribe(&mut self, threads: &[ThreadId], to: Subscription) -> Result<()> {
        for thread in threads.iter().copied() {
            let before = match self.aggregates.flags(thread) {
                Err(Error::NoThread(_)) => continue,
                other => other?,
            };
            let was = subscriptions::in_force(self.tx, thread)?;
            if was != Some(to) {
                subscriptions::want(self.tx, thread, to)?;
                self.aggregates.touch(thread)?;
                self.changes.push(MarkChange::Subscription { thread, was, is: to });
            }
            let after = before.with_muted(true, None);
            if to == Subscription::Ignored && after != before {
                self.aggregates.set_flags(thread, after)?;
                self.changes.push(MarkChange::Flags { thread, was: before, is: after });
            }
        }
        Ok(())
    }

    fn flags(&mut self, threads: &[ThreadId], mark: Mark) -> Result<()> {
        for thread in threads.iter().copied() {
            let before = match self.aggregates.flags(thread) {
                Err(Error::NoThread(_)) => continue,
                other => other?,
            };
            let after = before.marked(mark);
            if after != before {
                self.aggregates.set_flags(thread, after)?;
                self.changes.push(MarkChange::Flags { thread, was: before, is: after });
            }
        }
        Ok(())
    }
}
