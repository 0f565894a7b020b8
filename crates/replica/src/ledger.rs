//! Threads and counters, kept by deltas: everything that changes items in one transaction tells the ledger what each
//! was and is, and the ledger writes each thread and each counter once. Refuses to look at an item's contents.

use std::collections::{BTreeMap, HashMap};

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::{Actor, Kind, Stamp};

use crate::{Changed, Last, Result, SourceId, Tell, Telling, Thread, ThreadId, numbers, row};

/// What counts of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) id: i64,
    pub(crate) kind: Kind,
    pub(crate) created_at: Stamp,
    pub(crate) priority: u8,
    pub(crate) unread: bool,
    pub(crate) seen: bool,
    pub(crate) archived: bool,
    /// When it wakes, if it sleeps.
    pub(crate) asleep: Option<Stamp>,
}

/// The countable part of a thread's row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Tally {
    kind: Kind,
    total: i64,
    archived: i64,
    asleep: i64,
    unread: i64,
    unseen: i64,
    by_priority: [i64; 5],
    pinned: bool,
    muted: bool,
    /// What it may tell when it is not muted.
    told: Telling,
}

/// A thread's share of the counters, as [`SHARES`] has them.
type Share = [i64; 19];

/// The counters that come from threads, in the order of a [`Share`].
pub(crate) const SHARES: [&str; 19] = [
    "inbox",
    "unread_threads",
    "pinned",
    "snoozed",
    "done",
    "follow0",
    "follow1",
    "follow2",
    "follow3",
    "follow4",
    "follow5",
    "follow_unseen",
    "heard0",
    "heard1",
    "heard2",
    "heard3",
    "heard4",
    "heard5",
    "heard_unseen",
];

impl Tally {
    /// Unread items by priority, behind those that count by the thread's own least priority, and what is unseen.
    fn heard(&self) -> [i64; 7] {
        let [n1, n2, n3, n4, n5] = self.by_priority;
        match self.told.from_priority {
            Some(least) => {
                let own = self.by_priority.iter().skip(usize::from(least).saturating_sub(1)).sum();
                [own, 0, 0, 0, 0, 0, self.unseen]
            }
            None => [0, n1, n2, n3, n4, n5, self.unseen],
        }
    }

    /// 0 inbox, 1 snoozed, 2 done, 3 without items.
    fn place(&self) -> i64 {
        match (self.total, self.total - self.archived - self.asleep) {
            (0, _) => 3,
            (_, 1..) => 0,
            _ if self.asleep > 0 => 1,
            _ => 2,
        }
    }

    /// Its share of the counters.
    fn share(&self) -> Share {
        let place = self.place();
        let mut share = [0; 19];
        let (places, heard) = share.split_at_mut(5);
        places.copy_from_slice(&[
            i64::from(place == 0),
            i64::from(place == 0 && self.unread > 0),
            i64::from(place < 3 && self.pinned),
            i64::from(place == 1),
            i64::from(place == 2),
        ]);
        let (follow, own) = heard.split_at_mut(7);
        match (self.muted, self.told.tell) {
            (true, _) => {}
            (false, None) => follow.copy_from_slice(&self.heard()),
            (false, Some(_)) => own.copy_from_slice(&self.heard()),
        }
        share
    }

    /// What it may tell.
    fn telling(&self) -> Telling {
        if self.muted { Telling { tell: Some(Tell::Nothing), ..self.told } } else { self.told }
    }

    /// Its row is kept while there is no item in it.
    fn is_kept(&self) -> bool {
        self.pinned || self.muted || self.told != Telling::default()
    }

    fn add(&mut self, item: &Facts, sign: i64) {
        self.total += sign;
        self.archived += sign * i64::from(item.archived);
        self.asleep += sign * i64::from(item.asleep.is_some() && !item.archived);
        if item.unread {
            self.unread += sign;
            self.unseen += sign * i64::from(!item.seen);
            if let Some(n) = self.by_priority.get_mut(usize::from(item.priority).saturating_sub(1)) {
                *n += sign;
            }
        }
    }
}

/// What the row says of the newest item.
enum Newest {
    /// What stands there.
    Same,
    /// This item of the page that is being applied.
    Nth(usize),
    /// This.
    Is(Box<Last>),
    /// To be looked up.
    Unknown,
}

struct Entry {
    source: SourceId,
    before: Option<Tally>,
    now: Tally,
    last_at: Stamp,
    /// `last_at` before this transaction.
    was_last_at: Stamp,
    last_item: i64,
    last_priority: u8,
    newest: Newest,
    wake_at: Option<Stamp>,
    wake_unknown: bool,
    actors: String,
    actor_count: i64,
    /// Who came in this transaction: name, latest item, items.
    came: BTreeMap<String, (String, Stamp, i64)>,
    actors_unknown: bool,
    touched: bool,
}

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
        let empty = Tally {
            kind,
            total: 0,
            archived: 0,
            asleep: 0,
            unread: 0,
            unseen: 0,
            by_priority: [0; 5],
            pinned: false,
            muted: false,
            told: Telling::default(),
        };
        let entry = Entry {
            source,
            before: None,
            now: empty,
            last_at: Stamp::ZERO,
            was_last_at: Stamp::from_micros(i64::MIN),
            last_item: 0,
            last_priority: 3,
            newest: Newest::Same,
            wake_at: None,
            wake_unknown: false,
            actors: "[]".into(),
            actor_count: 0,
            came: BTreeMap::new(),
            actors_unknown: false,
            touched: true,
        };
        self.threads.insert(id, entry);
        Ok(id)
    }

    fn load(&mut self, id: ThreadId) -> Result<()> {
        if self.threads.contains_key(&id) {
            return Ok(());
        }
        let entry = self
            .tx
            .prepare_cached(
                "SELECT source, kind, last_at, last_item, last_priority, total, archived, asleep, unread, unseen,
                    unread1, unread2, unread3, unread4, unread5, wake_at, pinned, muted, actor_count, actors,
                    tell, from_priority, sound
                 FROM threads WHERE id = ?1",
            )?
            .query_row([id], |r| {
                let tally = Tally {
                    kind: row::kind(r, 1)?,
                    total: r.get(5)?,
                    archived: r.get(6)?,
                    asleep: r.get(7)?,
                    unread: r.get(8)?,
                    unseen: r.get(9)?,
                    by_priority: [r.get(10)?, r.get(11)?, r.get(12)?, r.get(13)?, r.get(14)?],
                    pinned: r.get(16)?,
                    muted: r.get(17)?,
                    told: Telling::of(r, 20)?,
                };
                Ok(Entry {
                    source: r.get(0)?,
                    before: Some(tally),
                    now: tally,
                    last_at: row::stamp(r, 2)?,
                    was_last_at: row::stamp(r, 2)?,
                    last_item: r.get(3)?,
                    last_priority: r.get(4)?,
                    newest: Newest::Same,
                    wake_at: row::time(r, 15)?,
                    wake_unknown: false,
                    actors: r.get(19)?,
                    actor_count: r.get(18)?,
                    came: BTreeMap::new(),
                    actors_unknown: false,
                    touched: false,
                })
            })
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

    /// An item that was in the thread is not any more.
    pub(crate) fn leave(&mut self, thread: ThreadId, item: &Facts) -> Result<()> {
        let entry = self.entry(thread)?;
        entry.now.add(item, -1);
        entry.wake_unknown |= item.asleep.is_some();
        entry.actors_unknown = true;
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
    pub(crate) fn telling(&mut self, thread: ThreadId) -> Result<Telling> {
        self.load(thread)?;
        Ok(self.threads.get(&thread).map_or_else(Telling::default, |t| t.now.telling()))
    }

    /// Counts by what the thread may tell from now on; its row has it already.
    pub(crate) fn set_told(&mut self, thread: ThreadId, told: Telling) -> Result<()> {
        self.entry(thread)?.now.told = told;
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
    pub(crate) fn close(mut self, nth: &dyn Fn(usize) -> Option<Last>) -> Result<Changed> {
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
        if changed.threads.len() + changed.gone.len() > Changed::LISTED {
            changed = Changed { refetch: true, ..Changed::default() };
        }
        changed.numbers = numbers::read(self.tx)?;
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

impl Entry {
    fn wake(&mut self, item: &Facts) {
        if let (Some(at), false) = (item.asleep, item.archived) {
            self.wake_at = Some(self.wake_at.map_or(at, |w| w.min(at)));
        }
        // An archived item that sleeps does not hold the thread.
        self.wake_unknown |= item.asleep.is_some() && item.archived;
    }

    fn came(&mut self, actor: &Actor, at: Stamp) {
        match self.came.get_mut(&actor.id) {
            Some((name, last, items)) => {
                if at >= *last {
                    (*last, *name) = (at, actor.name.clone());
                }
                *items += 1;
            }
            None => {
                self.came.insert(actor.id.clone(), (actor.name.clone(), at, 1));
            }
        }
    }

    /// Brings the row up to date; `false` when the thread is gone.
    fn write(&mut self, tx: &Connection, id: ThreadId) -> Result<bool> {
        if self.now.total == 0 {
            tx.prepare_cached("DELETE FROM thread_actors WHERE thread = ?1")?.execute([id])?;
            if !self.now.is_kept() {
                // A row that was deleted here and waits for its tombstone still names the thread.
                let held: bool = tx
                    .prepare_cached("SELECT EXISTS (SELECT 1 FROM items WHERE thread = ?1)")?
                    .query_row([id], |r| r.get(0))?;
                if !held {
                    tx.prepare_cached("DELETE FROM threads WHERE id = ?1")?.execute([id])?;
                    return Ok(false);
                }
            }
            (self.last_at, self.last_item, self.last_priority) = (Stamp::ZERO, 0, 3);
            self.newest = Newest::Is(Box::default());
            (self.actors, self.actor_count) = ("[]".into(), 0);
            self.wake_at = None;
        } else {
            self.settle(tx, id)?;
        }
        let n = &self.now;
        let [u1, u2, u3, u4, u5] = n.by_priority;
        let last = match &self.newest {
            Newest::Is(last) => Some(serde_json::to_string(last)?),
            _ => None,
        };
        tx.prepare_cached(
            "UPDATE threads SET kind = ?2, place = ?3, last_at = ?4, last_item = ?5, last_priority = ?6, total = ?7,
                archived = ?8, asleep = ?9, unread = ?10, unseen = ?11, unread1 = ?12, unread2 = ?13, unread3 = ?14,
                unread4 = ?15, unread5 = ?16, wake_at = ?17, pinned = ?18, muted = ?19, actor_count = ?20,
                actors = ?21, last = ifnull(?22, last)
             WHERE id = ?1",
        )?
        .execute(params![
            id,
            n.kind.as_row(),
            n.place(),
            self.last_at.as_micros(),
            self.last_item,
            self.last_priority,
            n.total,
            n.archived,
            n.asleep,
            n.unread,
            n.unseen,
            u1,
            u2,
            u3,
            u4,
            u5,
            self.wake_at.map(Stamp::as_micros),
            n.pinned,
            n.muted,
            self.actor_count,
            self.actors,
            last
        ])?;
        Ok(n.total > 0)
    }

    /// Looks up what deltas could not tell.
    fn settle(&mut self, tx: &Connection, id: ThreadId) -> Result<()> {
        if matches!(self.newest, Newest::Unknown) {
            let (item, at, priority, kind, last) = row::newest(tx, id)?;
            (self.last_item, self.last_at, self.last_priority, self.now.kind) = (item, at, priority, kind);
            self.newest = Newest::Is(Box::new(last));
        }
        if self.now.asleep == 0 {
            self.wake_at = None;
        } else if self.wake_unknown {
            self.wake_at = tx
                .prepare_cached(
                    "SELECT min(snoozed_until) FROM items
                     WHERE asleep = 1 AND thread = ?1 AND archived_at IS NULL AND deleted = 0",
                )?
                .query_row([id], |r| row::time(r, 0))?;
        }
        self.settle_actors(tx, id)
    }

    fn settle_actors(&mut self, tx: &Connection, id: ThreadId) -> Result<()> {
        if self.actors_unknown {
            tx.prepare_cached("DELETE FROM thread_actors WHERE thread = ?1")?.execute([id])?;
            // With a single max(), the other columns come from the row that has it.
            self.actor_count = i64::try_from(
                tx.prepare_cached(
                    "INSERT INTO thread_actors (thread, actor, name, last_at, items)
                     SELECT thread, actor, actor_name, max(created_at), count(*) FROM items
                     WHERE thread = ?1 AND deleted = 0 AND own = 0 GROUP BY actor",
                )?
                .execute([id])?,
            )
            .unwrap_or(i64::MAX);
            self.actors = top_actors(tx, id)?;
            return Ok(());
        }
        if self.came.is_empty() {
            return Ok(());
        }
        let mut upsert = tx.prepare_cached(
            "INSERT INTO thread_actors (thread, actor, name, last_at, items) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT DO UPDATE SET items = items + ?5, name = CASE WHEN ?4 >= last_at THEN ?3 ELSE name END,
                last_at = max(last_at, ?4)
             RETURNING items = ?5",
        )?;
        let append = self.came.values().all(|(_, at, _)| *at > self.was_last_at);
        for (actor, (name, at, items)) in &self.came {
            let new: bool =
                upsert.query_row(params![id, actor, name, at.as_micros(), items], |r| r.get(0))?;
            self.actor_count += i64::from(new);
        }
        if append {
            let mut all: Vec<_> = self.came.iter().map(|(id, (name, at, _))| (*at, id, name)).collect();
            all.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
            let before: Vec<Actor> = serde_json::from_str(&self.actors)?;
            let top: Vec<Actor> = all
                .into_iter()
                .map(|(_, id, name)| Actor { id: id.clone(), name: name.clone() })
                .chain(before.into_iter().filter(|actor| !self.came.contains_key(&actor.id)))
                .take(Thread::ACTORS)
                .collect();
            self.actors = serde_json::to_string(&top)?;
        } else {
            self.actors = top_actors(tx, id)?;
        }
        Ok(())
    }
}

/// Remembers who came, by the name used last.
fn meet<'e>(
    tx: &Connection,
    came: impl Iterator<Item = (&'e String, &'e (String, Stamp, i64))>,
) -> Result<()> {
    let mut people: BTreeMap<&str, (Stamp, &str)> = BTreeMap::new();
    for (actor, (name, at, _)) in came {
        let known = people.entry(actor).or_insert((*at, name));
        if *at >= known.0 {
            *known = (*at, name);
        }
    }
    let mut put = tx.prepare_cached(
        "INSERT INTO people (actor, name, last_at) VALUES (?1, ?2, ?3)
         ON CONFLICT DO UPDATE SET name = ?2, last_at = ?3 WHERE last_at < ?3",
    )?;
    for (actor, (at, name)) in people {
        put.execute(params![actor, name, at.as_micros()])?;
    }
    Ok(())
}

/// The latest actors of a thread, as its row keeps them.
pub(crate) fn top_actors(tx: &Connection, id: ThreadId) -> Result<String> {
    let actors = tx
        .prepare_cached(
            "SELECT actor, name FROM thread_actors WHERE thread = ?1 ORDER BY last_at DESC, actor LIMIT 3",
        )?
        .query_map([id], |r| Ok(Actor { id: r.get(0)?, name: r.get(1)? }))?
        .collect::<Result<Vec<_>, _>>()?;
    Ok(serde_json::to_string(&actors)?)
}
