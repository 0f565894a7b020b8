//! Marks on all that a list holds, however much that is: in portions, between which others write. Refuses to hold more
//! than a bit for each change in memory.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;

use rusqlite::{Connection, params};
use tidings_model::{Kind, Stamp};

use crate::held::Held;
use crate::ids::Ids;
use crate::mark::{Marking, act, meant};
use crate::overlay::Act;
use crate::row::Marks;
use crate::stretch::{self, Stretches};
use crate::{
    Changed, Find, Is, ItemId, Mark, Marked, Order, Place, Replica, Result, SourceId, ThreadId, Undo, threads,
};

/// Items, or threads, of one portion: two full operations.
const PORTION: usize = 1_000;
/// Between two portions, so that whoever waits comes first.
const BREATH: Duration = Duration::from_millis(1);

/// What changed in one and the same way.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Wide {
    /// The act was done to these items.
    Items { act: Act, items: Ids },
    /// These threads were pinned, silenced, or the opposite.
    Flags { mark: Mark, threads: Ids },
}

/// All that a list holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Everything {
    /// Where.
    pub place: Place,
    /// What is sought from `Inbox` is sought only there.
    pub within: bool,
    /// What is sought; nothing means the whole place.
    pub find: Find,
}

/// What is to be done.
enum Plan {
    Flags(Vec<ThreadId>),
    Items(Vec<ItemId>),
    /// With one operation a source.
    Read(Vec<ReadAll>),
}

struct ReadAll {
    source: SourceId,
    kind: Option<Kind>,
    through: Stamp,
    items: Vec<ItemId>,
}

impl Replica {
    /// Marks every thread of a list. What arrives meanwhile may or may not be marked; what changed otherwise meanwhile
    /// is not touched. Gives how many threads it concerned beside what the mark did.
    ///
    /// # Errors
    /// What was marked before something failed stays marked.
    pub fn mark_everything(&self, all: &Everything, mark: Mark) -> Result<(Marked, u64)> {
        let (plan, mut threads) = self.read(|conn| plan(conn, all, mark))?;
        let mut run =
            Run { replica: self, now: self.clock.now(), done: Marked::default(), plain: Vec::new() };
        let mut undo = Undo::default();
        match plan {
            Plan::Flags(ids) => {
                run.portions(&mut undo, None, &ids, move |m, portion| m.flag(portion, mark))?;
                threads = run.plain.len() as u64;
                if threads > 0 {
                    undo.wide.push(Wide::Flags { mark, threads: run.plain.drain(..).collect() });
                }
            }
            Plan::Items(items) => {
                if let Some(act) = act(mark) {
                    run.portions(&mut undo, Some(act), &items, move |m, portion| {
                        m.act_on(act, portion, mark)
                    })?;
                    run.remember(&mut undo, act);
                }
            }
            Plan::Read(sources) => {
                for one in sources {
                    let ReadAll { source, kind, through, items } = one;
                    let seq = Arc::new(AtomicI64::new(0));
                    run.portions(&mut undo, Some(Act::Read), &items, move |m, portion| {
                        m.read_portion(source, kind, through, &seq, portion)
                    })?;
                }
                run.remember(&mut undo, Act::Read);
            }
        }
        run.done.undo = Some(undo).filter(|undo| !undo.is_empty());
        Ok((run.done, threads))
    }

    /// Takes a wide mark back, in portions.
    pub(crate) fn undo_wide(&self, wide: &Wide, done: &mut Marked) -> Result<()> {
        let mut none = Undo::default();
        let mut run =
            Run { replica: self, now: self.clock.now(), done: std::mem::take(done), plain: Vec::new() };
        let undone = match *wide {
            Wide::Items { act, ref items } => {
                let all: Vec<ItemId> = items.newest_first().collect();
                run.portions(&mut none, None, &all, move |m, portion| m.undo_plain(act, portion))
            }
            Wide::Flags { mark, ref threads } => {
                let all: Vec<ThreadId> = threads.newest_first().collect();
                run.portions(&mut none, None, &all, move |m, portion| m.flag(portion, opposite(mark)))
            }
        };
        *done = run.done;
        undone
    }
}

/// A wide mark while it is being put.
struct Run<'r> {
    replica: &'r Replica,
    now: Stamp,
    done: Marked,
    /// What changed in one and the same way.
    plain: Vec<i64>,
}

impl Run<'_> {
    /// Runs a job on each portion, in a transaction of its own.
    fn portions<F>(&mut self, undo: &mut Undo, plainly: Option<Act>, ids: &[i64], job: F) -> Result<()>
    where
        F: for<'a, 't> Fn(&mut Marking<'a, 't>, &[i64]) -> Result<()> + Clone + Send + 'static,
    {
        for portion in ids.chunks(PORTION) {
            let (portion, job) = (portion.to_vec(), job.clone());
            let (items, before, plain, changed) =
                self.replica.marked(self.now, plainly, move |m| job(m, &portion))?;
            self.done.items += items;
            self.done.changed = merged(&self.done.changed, &changed);
            self.plain.extend(plain);
            undo.add(before);
            std::thread::sleep(BREATH);
        }
        Ok(())
    }

    fn remember(&mut self, undo: &mut Undo, act: Act) {
        if !self.plain.is_empty() {
            undo.wide.push(Wide::Items { act, items: self.plain.drain(..).collect() });
        }
    }
}

const fn opposite(mark: Mark) -> Mark {
    match mark {
        Mark::Pin => Mark::Unpin,
        Mark::Unpin => Mark::Pin,
        Mark::Mute => Mark::Unmute,
        Mark::Unmute => Mark::Mute,
        other => other,
    }
}

pub(crate) fn merged(one: &Changed, other: &Changed) -> Arc<Changed> {
    let mut all = one.clone();
    all.threads.extend(&other.threads);
    all.gone.extend(&other.gone);
    all.refetch |= other.refetch || all.threads.len() + all.gone.len() > Changed::LISTED;
    if all.refetch {
        (all.threads, all.gone) = (Vec::new(), Vec::new());
    }
    all.numbers = other.numbers.clone();
    Arc::new(all)
}

/// Whether an act changed nothing but what it is there for, so that its opposite takes it back.
pub(crate) fn is_plain(act: Act, was: &Marks, is: &Marks) -> bool {
    let back = match act {
        Act::Read if was.read.is_none() => Marks { read: None, ..*is },
        Act::Unread if is.read.is_none() => Marks { read: was.read, ..*is },
        Act::Archive if was.archived.is_none() => Marks { archived: None, ..*is },
        Act::Unarchive if is.archived.is_none() => Marks { archived: was.archived, ..*is },
        Act::Snooze(_) if was.snoozed.is_none() => Marks { snoozed: None, ..*is },
        _ => return false,
    };
    back == *was
}

/// What an act left behind, taken back; none where something else happened to it since. Times are not compared: the
/// server has its own as soon as it has answered.
pub(crate) fn plain_back(act: Act, is: &Marks, now: Stamp) -> Option<Marks> {
    Some(match act {
        Act::Read if is.read.is_some() => Marks { read: None, ..*is },
        Act::Unread if is.read.is_none() => Marks { read: Some(now), ..*is },
        Act::Archive if is.archived.is_some() => Marks { archived: None, ..*is },
        Act::Unarchive if is.archived.is_none() => Marks { archived: Some(now), ..*is },
        Act::Snooze(until) if is.snoozed == Some(until) => Marks { snoozed: None, ..*is },
        _ => return None,
    })
}

fn plan(conn: &Connection, all: &Everything, mark: Mark) -> Result<(Plan, u64)> {
    let held = Held::of(all.place, all.within, &all.find);
    if mark == Mark::Read
        && all.find.is_empty()
        && let Some(sources) = read_all(conn, all.place)?
    {
        let unread = Find { is: vec![Is::Unread], ..Find::default() };
        let unread = Held::of(all.place, true, &unread);
        return Ok((Plan::Read(sources), Stretches::of(conn, &unread, Order::Newest)?.threads()));
    }
    let ids = threads::all(conn, &held, &all.find)?;
    if act(mark).is_none() {
        return Ok((Plan::Flags(ids), 0));
    }
    let (items, threads) = items(conn, &ids, mark)?;
    Ok((Plan::Items(items), threads))
}

/// The items that a mark is meant for, those of a source together so that they share operations, and of how many
/// threads they are.
fn items(conn: &Connection, threads: &[ThreadId], mark: Mark) -> Result<(Vec<ItemId>, u64)> {
    let newest = if mark == Mark::Unread { "ORDER BY i.created_at DESC, i.id DESC LIMIT 1" } else { "" };
    let sql = format!(
        "SELECT i.source, i.id FROM items i INDEXED BY items_thread WHERE i.thread = ?1 AND {} {newest}",
        meant(mark)
    );
    let mut rows = conn.prepare_cached(&sql)?;
    let mut found: Vec<(SourceId, ItemId)> = Vec::new();
    let mut concerned = 0;
    for thread in threads {
        let before = found.len();
        for row in rows.query_map([thread], |r| Ok((r.get(0)?, r.get(1)?)))? {
            found.push(row?);
        }
        concerned += u64::from(found.len() > before);
    }
    found.sort_by_key(|(source, _)| *source);
    Ok((found.into_iter().map(|(_, id)| id).collect(), concerned))
}

/// What one operation a source reads; none where a place is not told apart by kind and source.
fn read_all(conn: &Connection, place: Place) -> Result<Option<Vec<ReadAll>>> {
    let (only, kind) = match place {
        Place::Inbox | Place::Unread => (None, None),
        Place::Kind(kind) => (None, Some(kind)),
        Place::Source(source) => (Some(source), None),
        Place::Pinned | Place::Snoozed | Place::Done => return Ok(None),
    };
    let mut all = Vec::new();
    for source in stretch::sources(conn)? {
        if only.is_some_and(|only| only != source) {
            continue;
        }
        let through = crate::read_all::newest_of(conn, source)?;
        let mut rows = conn.prepare_cached(
            "SELECT id FROM items i WHERE i.unread = 1 AND +i.source = ?1 AND (?2 IS NULL OR +i.kind = ?2)
                AND i.created_at <= ?3
             UNION ALL
             SELECT id FROM items i WHERE i.asleep = 1 AND i.deleted = 0 AND i.own = 0 AND +i.source = ?1
                AND (?2 IS NULL OR +i.kind = ?2) AND +i.created_at <= ?3",
        )?;
        let items: Vec<ItemId> = rows
            .query_map(params![source, kind.map(Kind::as_row), through.as_micros()], |r| r.get(0))?
            .collect::<Result<_, _>>()?;
        if !items.is_empty() {
            all.push(ReadAll { source, kind, through, items });
        }
    }
    Ok(Some(all))
}
