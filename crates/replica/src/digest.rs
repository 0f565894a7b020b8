//! Digests: sums up the items since a time, and marks exactly the items that were summed up. One pass along the index
//! of time finds them, and ends at [`Digest::MAX_ITEMS`].
//!
//! The scope of a digest is a time and the last item that had arrived. So archiving it takes exactly the items that it
//! shows, whatever came meanwhile.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use rusqlite::{Connection, Row, params};
use tidings_model::{Kind, Stamp};
use tidings_replica_tables::aggregates::inbox_counts;
use tidings_replica_tables::columns::{count, kind, limit, stamp};
use tidings_replica_tables::items::IN_DIGEST;
use tidings_replica_tables::{sources, sql, threads};

use crate::marks::jobs;
use crate::{
    Digest, DigestLine, DigestPerson, DigestScope, DigestSource, Mark, Marked, Replica, Result, SourceId,
    ThreadId,
};

impl Replica {
    /// Sums up what happened since a time. `bars` gives the beginnings of the spans by which items are counted, for the
    /// time at which the digest begins.
    pub fn digest(&self, scope: DigestScope, bars: &dyn Fn(Stamp) -> Vec<Stamp>) -> Result<Digest> {
        self.read(|conn| {
            let since = bounded(conn, scope.since)?;
            let effective = DigestScope { since, ..scope };
            let sums = Sums::of(conn, &effective, bars(since))?;
            sums.into_digest(conn, effective, since > scope.since)
        })
    }

    /// Puts a mark on every item of a digest, in portions, as a [`Replica::mark_bulk`].
    ///
    /// # Errors
    /// The database's error. Portions that were written before the failure stay marked.
    pub fn mark_digest(&self, scope: DigestScope, mark: Mark) -> Result<Marked> {
        let plan = self.read(|conn| jobs::plan_digest(conn, &scope, mark, self.bounds.marked_rows))?;
        self.and_settle_kept(self.run_plan(plan, mark)?)
    }

    /// The number of unread items that count on the badge, with content from since a time. At most `most` unread items
    /// are looked at.
    pub fn counted_since(&self, since: Stamp, most: usize) -> Result<u64> {
        self.read(|conn| {
            let quiet = inbox_counts::quiet(conn)?;
            let sql = format!(
                "SELECT count(*) FROM (SELECT i.source, i.thread, i.priority FROM items i INDEXED BY items_unread
                    WHERE i.unread = 1 AND i.listed_at >= ?1 LIMIT ?2) i
                 CROSS JOIN threads t ON t.id = i.thread WHERE NOT {quiet}"
            );
            sql::one(conn, &sql, params![since.as_micros(), limit(most)], |r| count(r, 0))
        })
    }
}

/// The time at which a digest begins, so that it has at most [`Digest::MAX_ITEMS`] items.
fn bounded(conn: &Connection, since: Stamp) -> Result<Stamp> {
    let sql = "SELECT listed_at FROM items INDEXED BY items_time WHERE listed_at >= ?1
         ORDER BY listed_at DESC LIMIT 1 OFFSET ?2";
    let first_left_out =
        sql::first(conn, sql, params![since.as_micros(), limit(Digest::MAX_ITEMS)], |r| stamp(r, 0))?;
    Ok(first_left_out.map_or(since, |at| at.plus_micros(1)))
}

/// What is summed up of a thread.
struct ThreadSum {
    source: SourceId,
    items: u64,
    priority: u8,
    direct: bool,
    muted: bool,
    last_at: Stamp,
}

impl ThreadSum {
    /// The order of importance, the most important first.
    fn rank(&self) -> impl Ord + use<> {
        let high = if self.priority > 3 { self.priority } else { 0 };
        (self.muted, Reverse((high, self.direct, self.items, self.last_at)))
    }
}

struct PersonSum {
    name: String,
    items: u64,
    thread: ThreadId,
    last_at: Stamp,
}

#[derive(Default)]
struct Sums {
    items: u64,
    unread: u64,
    counted: u64,
    high: u64,
    /// The beginnings of the bars, and the number of items in each.
    starts: Vec<Stamp>,
    bars: Vec<u64>,
    threads: HashMap<ThreadId, ThreadSum>,
    people: HashMap<String, PersonSum>,
}

impl Sums {
    fn of(conn: &Connection, scope: &DigestScope, starts: Vec<Stamp>) -> Result<Self> {
        let mut sums = Self { bars: vec![0; starts.len()], starts, ..Self::default() };
        let sql = format!(
            "SELECT i.source, i.thread, i.listed_at, i.priority, i.unread, i.kind, i.actor, i.actor_name, t.key, t.muted,
                i.unread AND NOT {}
             FROM items i INDEXED BY items_time CROSS JOIN threads t ON t.id = i.thread
             WHERE {IN_DIGEST} AND t.source IN (SELECT id FROM sources WHERE removing = 0)",
            inbox_counts::quiet(conn)?
        );
        let mut rows = conn.prepare_cached(&sql)?;
        let mut rows = rows.query(params![scope.since.as_micros(), scope.last_item])?;
        while let Some(r) = rows.next()? {
            sums.add(r)?;
        }
        Ok(sums)
    }

    fn add(&mut self, r: &Row<'_>) -> rusqlite::Result<()> {
        let (thread, at, priority, kind): (ThreadId, Stamp, u8, Kind) =
            (r.get(1)?, stamp(r, 2)?, r.get(3)?, kind(r, 5)?);
        let key = r.get_ref(8)?.as_str()?;
        self.items += 1;
        self.unread += u64::from(r.get::<_, bool>(4)?);
        self.counted += u64::from(r.get::<_, bool>(10)?);
        self.high += u64::from(priority > 3);
        let bar = self.starts.partition_point(|start| *start <= at).saturating_sub(1);
        if let Some(items) = self.bars.get_mut(bar) {
            *items += 1;
        }
        let (source, muted) = (r.get(0)?, r.get(9)?);
        let sum = self.threads.entry(thread).or_insert(ThreadSum {
            source,
            items: 0,
            priority: 0,
            direct: false,
            muted,
            last_at: at,
        });
        sum.items += 1;
        sum.priority = sum.priority.max(priority);
        sum.direct |= kind == Kind::Message && key.starts_with("user:");
        sum.last_at = sum.last_at.max(at);
        // Topics, feeds and announcements are not from people.
        let is_person = kind == Kind::Reminder && !key.starts_with("topic:") && !key.starts_with("entry:");
        let from_person = kind == Kind::Message || is_person;
        let actor = r.get_ref(6)?.as_str()?;
        if from_person && !actor.is_empty() {
            let name = r.get_ref(7)?.as_str()?;
            self.add_person(actor, name, thread, at);
        }
        Ok(())
    }

    fn add_person(&mut self, actor: &str, name: &str, thread: ThreadId, at: Stamp) {
        if let Some(known) = self.people.get_mut(actor) {
            known.items += 1;
            if at >= known.last_at {
                (known.last_at, known.thread) = (at, thread);
                name.clone_into(&mut known.name);
            }
        } else {
            let sum = PersonSum { name: name.to_owned(), items: 1, thread, last_at: at };
            self.people.insert(actor.to_owned(), sum);
        }
    }

    fn into_digest(self, conn: &Connection, scope: DigestScope, is_shortened: bool) -> Result<Digest> {
        let people_count = self.people.len().try_into().unwrap_or(u64::MAX);
        let threads = self.threads.len().try_into().unwrap_or(u64::MAX);
        Ok(Digest {
            scope,
            is_shortened,
            items: self.items,
            unread: self.unread,
            counted: self.counted,
            high: self.high,
            threads,
            bars: self.bars,
            sources: by_source(conn, self.threads)?,
            people: busiest(self.people),
            people_count,
        })
    }
}

fn by_source(conn: &Connection, sums: HashMap<ThreadId, ThreadSum>) -> Result<Vec<DigestSource>> {
    let mut of_source: BTreeMap<SourceId, Vec<(ThreadId, ThreadSum)>> = BTreeMap::new();
    for (thread, sum) in sums {
        of_source.entry(sum.source).or_default().push((thread, sum));
    }
    let mut all = Vec::new();
    for source in sources::ids(conn)? {
        let Some(mut sums) = of_source.remove(&source) else { continue };
        let threads = sums.len().try_into().unwrap_or(u64::MAX);
        let items = sums.iter().map(|(_, sum)| sum.items).sum();
        sums.sort_by_cached_key(|(thread, sum)| (sum.rank(), Reverse(*thread)));
        sums.truncate(Digest::MAX_LINES);
        all.push(DigestSource { source, items, threads, lines: lines(conn, &sums)? });
    }
    Ok(all)
}

fn lines(conn: &Connection, sums: &[(ThreadId, ThreadSum)]) -> Result<Vec<DigestLine>> {
    let ids: Vec<ThreadId> = sums.iter().map(|(id, _)| *id).collect();
    let of_thread: HashMap<ThreadId, &ThreadSum> = sums.iter().map(|(id, sum)| (*id, sum)).collect();
    let line = |thread: crate::Thread| {
        let sum = of_thread.get(&thread.id)?;
        Some(DigestLine { items: sum.items, priority: sum.priority, direct: sum.direct, thread })
    };
    Ok(threads::by_id(conn, &ids)?.into_iter().filter_map(line).collect())
}

/// The people with the most items.
fn busiest(people: HashMap<String, PersonSum>) -> Vec<DigestPerson> {
    let mut all: Vec<(String, PersonSum)> = people.into_iter().collect();
    all.sort_by(|(a, x), (b, y)| (Reverse((x.items, x.last_at)), a).cmp(&(Reverse((y.items, y.last_at)), b)));
    all.truncate(Digest::MAX_PEOPLE);
    all.into_iter()
        .map(|(id, PersonSum { name, items, thread, .. })| DigestPerson { id, name, items, thread })
        .collect()
}
