//! Threads and counters, kept by deltas: everything that changes items in one transaction tells the ledger what each
//! was and is, and the ledger writes each thread and each counter once. Refuses to look at an item's contents.

mod actors;
mod entry;
mod tally;

use std::collections::{BTreeMap, HashMap};

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::{Actor, Kind};

use self::actors::meet;
use self::entry::{Entry, Newest, ROW};
use self::tally::Share;
use crate::{Changed, NotifySettings, Result, SourceId, ThreadId, ThreadPreview, counts};

pub(crate) use self::tally::{Facts, SHARES};

/// The ledger of one transaction.
pub(crate) struct Ledger<'t> {
    tx: &'t Connection,
    threads: HashMap<ThreadId, Entry>,
    keys: HashMap<SourceId, HashMap<String, ThreadId>>,
    items: BTreeMap<(SourceId, Kind), (i64, i64)>,
    pub(crate) refetch: bool,
}

impl<'t> Ledger<'t> {
    pub(crate) fn new(tx: &'t Connection) -> Self {
        Self { tx, threads: HashMap::new(), keys: HashMap::new(), items: BTreeMap::new(), refetch: false }
    }

    /// The thread with this key, made if it is not there.
    pub(crate) fn thread(&mut self, source: SourceId, key: &str, kind: Kind) -> Result<ThreadId> {
        if let Some(id) = self.keys.get(&source).and_then(|keys| keys.get(key)) {
            return Ok(*id);
        }
        let known: Option<ThreadId> = self
            .tx
            .prepare_cached("SELECT id FROM threads WHERE source = ?1 AND key = ?2")?
            .query_row(params![source, key], |r| r.get(0))
            .optional()?;
        let id = match known {
            Some(id) => {
                self.load(id)?;
                id
            }
            None => self.create(source, key, kind)?,
        };
        self.keys.entry(source).or_default().insert(key.to_owned(), id);
        Ok(id)
    }

    fn create(&mut self, source: SourceId, key: &str, kind: Kind) -> Result<ThreadId> {
        self.tx
            .prepare_cached(
                "INSERT INTO threads (source, key, kind, place, last_at, last_item, last_priority, total, archived,
                    asleep, unread, unseen, unread1, unread2, unread3, unread4, unread5, wake_at, pinned, muted,
                    actor_count, actors, last)
                 VALUES (?1, ?2, ?3, 3, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0, 0, 0, '[]', '{}')",
            )?
            .execute(params![source, key, kind.as_row()])?;
        let id = self.tx.last_insert_rowid();
        self.threads.insert(id, Entry::empty(source, kind));
        Ok(id)
    }

    fn load(&mut self, id: ThreadId) -> Result<()> {
        if self.threads.contains_key(&id) {
            return Ok(());
        }
        let entry = self
            .tx
            .prepare_cached(ROW)?
            .query_row([id], Entry::of)
            .optional()?
            .ok_or(crate::Error::NoThread(id))?;
        self.threads.insert(id, entry);
        Ok(())
    }

    fn entry(&mut self, id: ThreadId) -> Result<&mut Entry> {
        self.load(id)?;
        let entry = self.threads.get_mut(&id).ok_or(crate::Error::NoThread(id))?;
        entry.touched = true;
        Ok(entry)
    }

    fn count(&mut self, source: SourceId, item: &Facts, sign: i64) {
        let counter = self.items.entry((source, item.kind)).or_default();
        counter.0 += sign;
        counter.1 += sign * i64::from(item.unread);
    }

    /// An item is in the thread that was not. `actor` is none for own ones; `nth` of the page, or to be looked up.
    pub(crate) fn enter(
        &mut self,
        thread: ThreadId,
        item: &Facts,
        actor: Option<&Actor>,
        nth: Option<usize>,
    ) -> Result<()> {
        let entry = self.entry(thread)?;
        entry.now.add(item, 1);
        entry.wake(item);
        if (item.created_at, item.id) >= (entry.last_at, entry.last_item) || entry.now.total == 1 {
            (entry.last_at, entry.last_item, entry.last_priority) = (item.created_at, item.id, item.priority);
            entry.now.kind = item.kind;
            entry.newest = nth.map_or(Newest::Unknown, Newest::Nth);
        }
        if let Some(actor) = actor {
            entry.came(actor, item.created_at);
        }
        let source = entry.source;
        self.count(source, item, 1);
        Ok(())
    }

    /// An item that was in the thread is not any more. `actor` is none for own ones.
    pub(crate) fn leave(&mut self, thread: ThreadId, item: &Facts, actor: Option<&str>) -> Result<()> {
        let entry = self.entry(thread)?;
        entry.now.add(item, -1);
        entry.wake_unknown |= item.asleep.is_some();
        if let Some(actor) = actor {
            entry.went(actor, item.created_at);
        }
        if item.id == entry.last_item {
            entry.newest = Newest::Unknown;
        }
        let source = entry.source;
        self.count(source, item, -1);
        Ok(())
    }

    /// An item's state changed, not its words.
    pub(crate) fn turn(&mut self, thread: ThreadId, was: &Facts, is: &Facts) -> Result<()> {
        let entry = self.entry(thread)?;
        entry.now.add(was, -1);
        entry.now.add(is, 1);
        entry.wake_unknown |= was.asleep.is_some() && was.asleep != is.asleep;
        entry.wake(is);
        let source = entry.source;
        self.count(source, was, -1);
        self.count(source, is, 1);
        Ok(())
    }

    /// Something about the thread is shown differently, though nothing is counted differently.
    pub(crate) fn touch(&mut self, thread: ThreadId) -> Result<()> {
        self.entry(thread).map(|_| ())
    }

    /// Whether anything sleeps in a thread that this transaction changed.
    pub(crate) fn sleeps(&self, thread: ThreadId) -> bool {
        self.threads.get(&thread).is_some_and(|entry| entry.now.asleep > 0)
    }

    /// Whether the thread is pinned and muted.
    pub(crate) fn flags(&mut self, thread: ThreadId) -> Result<(bool, bool)> {
        self.load(thread)?;
        Ok(self.threads.get(&thread).map_or((false, false), |t| (t.now.pinned, t.now.muted)))
    }

    /// Pins or silences a thread.
    pub(crate) fn set_flags(&mut self, thread: ThreadId, pinned: bool, muted: bool) -> Result<()> {
        let entry = self.entry(thread)?;
        (entry.now.pinned, entry.now.muted) = (pinned, muted);
        Ok(())
    }

    /// What the thread may tell.
    pub(crate) fn notify(&mut self, thread: ThreadId) -> Result<NotifySettings> {
        self.load(thread)?;
        Ok(self.threads.get(&thread).map_or_else(NotifySettings::default, |t| t.now.notify()))
    }

    /// Counts by what the thread may tell from now on; its row has it already.
    pub(crate) fn set_notify(&mut self, thread: ThreadId, told: NotifySettings) -> Result<()> {
        self.entry(thread)?.now.notify = told;
        Ok(())
    }

    /// The item's words changed: the thread's row is looked up anew where it shows them.
    pub(crate) fn reword(&mut self, thread: ThreadId, item: i64) -> Result<()> {
        let entry = self.entry(thread)?;
        if entry.last_item == item {
            entry.newest = Newest::Unknown;
        }
        Ok(())
    }

    /// Writes threads and counters, and says what changed. `nth` tells of the page's items.
    pub(crate) fn close(mut self, nth: &dyn Fn(usize) -> Option<ThreadPreview>) -> Result<Changed> {
        let mut changed = Changed { refetch: self.refetch, ..Changed::default() };
        let mut shares: BTreeMap<(SourceId, Kind), (i64, i64, Share)> = BTreeMap::new();
        for ((source, kind), (items, unread)) in &self.items {
            shares.insert((*source, *kind), (*items, *unread, [0; 19]));
        }
        let mut threads: Vec<(ThreadId, Entry)> =
            self.threads.drain().filter(|(_, entry)| entry.touched).collect();
        threads.sort_unstable_by_key(|(id, _)| *id);
        for (id, entry) in &mut threads {
            if let Newest::Nth(n) = entry.newest {
                entry.newest = nth(n).map_or(Newest::Unknown, |last| Newest::Is(Box::new(last)));
            }
            if entry.write(self.tx, *id)? {
                changed.threads.push(*id);
            } else if entry.before.is_some() {
                changed.gone.push(*id);
            }
            for (tally, sign) in [(entry.before, -1), (Some(entry.now), 1)] {
                let Some(tally) = tally else { continue };
                let share = shares.entry((entry.source, tally.kind)).or_default();
                for (sum, part) in share.2.iter_mut().zip(tally.share()) {
                    *sum += sign * part;
                }
            }
        }
        add(self.tx, &shares)?;
        meet(self.tx, threads.iter().flat_map(|(_, entry)| &entry.came))?;
        if changed.threads.len() + changed.gone.len() > Changed::MAX_LISTED {
            changed = Changed { refetch: true, ..Changed::default() };
        }
        changed.counts = counts::read(self.tx)?;
        Ok(changed)
    }
}

/// Moves the counters.
fn add(tx: &Connection, shares: &BTreeMap<(SourceId, Kind), (i64, i64, Share)>) -> Result<()> {
    static SQL: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| {
        let all: Vec<&str> = ["items", "unread"].into_iter().chain(SHARES).collect();
        let values: Vec<String> = (3..all.len() + 3).map(|n| format!("?{n}")).collect();
        let sums: Vec<String> =
            all.iter().zip(&values).map(|(name, value)| format!("{name} = {name} + {value}")).collect();
        format!(
            "INSERT INTO counters (source, kind, {}) VALUES (?1, ?2, {}) ON CONFLICT DO UPDATE SET {}",
            all.join(", "),
            values.join(", "),
            sums.join(", ")
        )
    });
    let mut statement = tx.prepare_cached(&SQL)?;
    for ((source, kind), (items, unread, share)) in shares {
        if *items == 0 && *unread == 0 && share.iter().all(|n| *n == 0) {
            continue;
        }
        let values = [*source, kind.as_row(), *items, *unread].into_iter().chain(*share);
        statement.execute(rusqlite::params_from_iter(values))?;
    }
    Ok(())
}
