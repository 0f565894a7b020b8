//! Threads and counters, kept by deltas. Every change of an item in a transaction reports the item's flags before and
//! after; each thread and counter is written once, at the end.
//!
//! There are no row triggers, and the page never counts. `tidings check` counts everything again and must agree.

mod actors;
mod entry;
pub mod inbox_counts;

use std::collections::{BTreeMap, HashMap};

use rusqlite::Connection;
use tidings_model::{Actor, Kind};

use self::entry::ThreadEntry;
use crate::counters::{self, Counters};
use crate::flags::Flags;
use crate::people;
use crate::thread_counts::ItemFlags;
use crate::threads::{self, ThreadRow};
use crate::{Changed, NotifySettings, Result, SourceId, ThreadId};

/// What a large write calls between its rows: [`Error::GaveWay`](crate::Error::GaveWay) if a short write waits.
pub type GiveWay<'t> = &'t dyn Fn() -> Result<()>;

/// Of a write that gives way to none.
pub const KEEP_ON: GiveWay<'static> = &|| Ok(());

/// Rows after which a large write looks again whether another waits, a few milliseconds' worth.
pub const ROWS_BETWEEN_LOOKS: usize = 64;

/// The threads and counters that one transaction changes.
pub struct Aggregates<'t> {
    tx: &'t Connection,
    give_way: GiveWay<'t>,
    threads: HashMap<ThreadId, ThreadEntry>,
    keys: HashMap<SourceId, HashMap<String, ThreadId>>,
    counters: BTreeMap<(SourceId, Kind), Counters>,
    /// Subscribers must query everything again: many things have changed, or a source or setting has.
    pub refetch: bool,
}

impl<'t> Aggregates<'t> {
    /// The aggregates of a transaction, which calls `give_way` between the threads that it writes at its end.
    pub fn new(tx: &'t Connection, give_way: GiveWay<'t>) -> Self {
        Self {
            tx,
            give_way,
            threads: HashMap::new(),
            keys: HashMap::new(),
            counters: BTreeMap::new(),
            refetch: false,
        }
    }

    /// The thread with this key; inserts it if it does not exist.
    pub fn thread(&mut self, source: SourceId, key: &str, kind: Kind) -> Result<ThreadId> {
        if let Some(id) = self.keys.get(&source).and_then(|keys| keys.get(key)) {
            return Ok(*id);
        }
        let id = if let Some((id, row)) = ThreadRow::find(self.tx, source, key)? {
            self.threads.entry(id).or_insert_with(|| ThreadEntry::of(row));
            id
        } else {
            let id = threads::insert(self.tx, source, key, kind)?;
            self.threads.insert(id, ThreadEntry::new(source, kind));
            id
        };
        self.keys.entry(source).or_default().insert(key.to_owned(), id);
        Ok(id)
    }

    fn load(&mut self, id: ThreadId) -> Result<()> {
        if !self.threads.contains_key(&id) {
            self.threads.insert(id, ThreadEntry::of(ThreadRow::read(self.tx, id)?));
        }
        Ok(())
    }

    fn entry(&mut self, id: ThreadId) -> Result<&mut ThreadEntry> {
        self.load(id)?;
        let entry = self.threads.get_mut(&id).ok_or(crate::Error::NoThread(id))?;
        entry.touched = true;
        Ok(entry)
    }

    fn count(&mut self, source: SourceId, item: &ItemFlags, sign: i64) {
        let counters = self.counters.entry((source, item.kind)).or_default();
        counters.items += sign;
        counters.unread += sign * i64::from(item.unread);
    }

    /// Counts an item that entered a thread. `actor` is `None` for the user's own items.
    pub fn add_item(&mut self, thread: ThreadId, item: &ItemFlags, actor: Option<&Actor>) -> Result<()> {
        let entry = self.entry(thread)?;
        let was = entry.row.counts.place();
        entry.row.counts.add(item, 1);
        entry.consider_wake(item);
        entry.consider_woken(item);
        entry.consider_newest(was, item);
        entry.consider_done(item);
        if let Some(actor) = actor {
            entry.add_actor(actor, item.listed_at);
        }
        let source = entry.row.source;
        self.count(source, item, 1);
        Ok(())
    }

    /// Counts an item that left a thread. `actor` is `None` for the user's own items.
    pub fn remove_item(&mut self, thread: ThreadId, item: &ItemFlags, actor: Option<&str>) -> Result<()> {
        let entry = self.entry(thread)?;
        entry.row.counts.add(item, -1);
        entry.wake_unknown |= item.asleep.is_some();
        if let Some(actor) = actor {
            entry.remove_actor(actor, item.listed_at);
        }
        entry.newest_unknown |= item.id == entry.row.last_item;
        entry.leave_woken(item);
        entry.leave_done(item);
        let source = entry.row.source;
        self.count(source, item, -1);
        Ok(())
    }

    /// Counts a change of an item's flags; its content is the same.
    pub fn change_item(&mut self, thread: ThreadId, before: &ItemFlags, after: &ItemFlags) -> Result<()> {
        let entry = self.entry(thread)?;
        let was = entry.row.counts.place();
        entry.row.counts.add(before, -1);
        entry.row.counts.add(after, 1);
        if before.place() != after.place() {
            if entry.row.last_item == after.id {
                entry.newest_unknown |= entry.row.counts.total > 1;
            } else {
                entry.consider_newest(was, after);
            }
        }
        entry.wake_unknown |= before.asleep.is_some() && before.asleep != after.asleep;
        entry.consider_wake(after);
        if (before.woken, before.archived) != (after.woken, after.archived) {
            entry.leave_woken(before);
            entry.consider_woken(after);
        }
        if before.archived != after.archived {
            entry.leave_done(before);
            entry.consider_done(after);
        }
        let source = entry.row.source;
        self.count(source, before, -1);
        self.count(source, after, 1);
        Ok(())
    }

    /// Marks a thread as changed whose counts are the same.
    pub fn touch(&mut self, thread: ThreadId) -> Result<()> {
        self.entry(thread).map(|_| ())
    }

    /// Marks the thread with this key as changed, if lists show it.
    pub fn touch_listed(&mut self, source: SourceId, key: &str) -> Result<()> {
        match threads::by_key(self.tx, source, key)? {
            Some(thread) => self.touch(thread.id),
            None => Ok(()),
        }
    }

    /// Whether a thread that this transaction changed has snoozed items.
    #[inline]
    pub fn has_snoozed(&self, thread: ThreadId) -> bool {
        self.threads.get(&thread).is_some_and(|entry| entry.row.counts.asleep > 0)
    }

    /// Whether the thread is pinned and muted.
    pub fn flags(&mut self, thread: ThreadId) -> Result<Flags> {
        self.load(thread)?;
        Ok(self.threads.get(&thread).map_or_else(Flags::default, |t| t.row.counts.flags))
    }

    /// Sets whether a thread is pinned and muted.
    pub fn set_flags(&mut self, thread: ThreadId, flags: Flags) -> Result<()> {
        self.entry(thread)?.row.counts.flags = flags;
        Ok(())
    }

    /// The notify settings of the thread; a muted thread has the level `Nothing`.
    pub fn notify(&mut self, thread: ThreadId) -> Result<NotifySettings> {
        self.load(thread)?;
        Ok(self.threads.get(&thread).map_or_else(NotifySettings::default, |t| t.row.counts.notify()))
    }

    /// Assigns the thread to the counters of its new notify settings, which are in its row already.
    pub fn set_notify(&mut self, thread: ThreadId, notify: NotifySettings) -> Result<()> {
        self.entry(thread)?.row.counts.notify = notify;
        Ok(())
    }

    /// Reports a change of an item's content or priority.
    pub fn content_changed(&mut self, thread: ThreadId, item: i64) -> Result<()> {
        let entry = self.entry(thread)?;
        entry.newest_changed |= entry.row.last_item == item;
        Ok(())
    }

    /// Writes threads and counters, and returns the changes.
    pub fn finish(mut self) -> Result<Changed> {
        let mut changed = Changed { refetch: self.refetch, ..Changed::default() };
        let mut threads: Vec<(ThreadId, ThreadEntry)> =
            self.threads.drain().filter(|(_, entry)| entry.touched).collect();
        threads.sort_unstable_by_key(|(id, _)| *id);
        for (nth, (id, entry)) in threads.iter_mut().enumerate() {
            if nth % ROWS_BETWEEN_LOOKS == 0 {
                (self.give_way)()?;
            }
            if entry.write(self.tx, *id)? {
                changed.threads.push(*id);
            } else if entry.before.is_some() {
                changed.gone.push(*id);
            }
            for (counts, sign) in [(entry.before, -1), (Some(entry.row.counts), 1)] {
                if let Some(counts) = counts {
                    let counters = self.counters.entry((entry.row.source, counts.kind)).or_default();
                    counters.add(&counts.counters(), sign);
                }
            }
        }
        counters::add(self.tx, &self.counters)?;
        people::record(self.tx, threads.iter().map(|(_, entry)| (entry.row.source, &entry.added_actors)))?;
        if changed.threads.len() + changed.gone.len() > Changed::MAX_LISTED {
            changed = Changed { refetch: true, ..Changed::default() };
        }
        changed.counts = inbox_counts::read(self.tx)?;
        Ok(changed)
    }
}
