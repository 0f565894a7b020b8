//! The actors of each thread other than the user. Those of a thread with few are in its row; the table `thread_actors` has
//! those of every other thread, each with the time of the latest item.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize, Serializer};
use tidings_model::Stamp;

use super::columns::{limit, stamp};
use super::sql;
use crate::{Result, ThreadId};

/// A thread with more actors has them in the table, and its row has the latest [`MAX_ACTORS`](crate::Thread::MAX_ACTORS).
/// Most threads have one or two: a page of a backlog that touches them would write a page of the table for each.
pub(crate) const MAX_IN_ROW: i64 = 8;

/// Items that entered a thread, by actor id: name, time of the latest item, number of items.
pub(crate) type AddedActors = BTreeMap<String, (String, Stamp, i64)>;
/// Items that left a thread, by actor id: time of the latest item, number of items.
pub(crate) type RemovedActors = BTreeMap<String, (Stamp, i64)>;
/// The latest item of an actor whose later one left: its time, and its name if it was found.
pub(crate) type PreviousItems = BTreeMap<String, (i64, Option<String>)>;

/// An actor of a thread, as the thread's row has it: a JSON array of these four, so that many threads share a page of the file.
#[derive(Deserialize)]
pub(crate) struct RowActor {
    pub(crate) id: String,
    pub(crate) name: String,
    /// The time of the actor's latest item, in microseconds since 1970.
    pub(crate) at: i64,
    /// The number of the actor's items; 0 if the table has it.
    pub(crate) items: i64,
}

impl Serialize for RowActor {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        (&self.id, &self.name, self.at, self.items).serialize(serializer)
    }
}

/// Writes the actors of a thread that had them in its row.
pub(crate) fn insert(tx: &Connection, thread: ThreadId, actors: &[RowActor]) -> Result<()> {
    let mut insert = tx.prepare_cached(
        "INSERT INTO thread_actors (thread, actor, name, last_at, items) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for RowActor { id, name, at, items } in actors {
        insert.execute(params![thread, id, name, at, items])?;
    }
    Ok(())
}

/// Takes the actors of a thread that has few of them again.
pub(crate) fn take(tx: &Connection, thread: ThreadId) -> Result<Vec<RowActor>> {
    let actors = latest(tx, thread, usize::try_from(MAX_IN_ROW).unwrap_or_default())?;
    clear(tx, thread)?;
    Ok(actors)
}

/// Adds items that entered, and returns the number of actors who are new in the thread.
pub(crate) fn add(tx: &Connection, thread: ThreadId, added: &AddedActors) -> Result<i64> {
    let mut upsert = tx.prepare_cached(
        "INSERT INTO thread_actors (thread, actor, name, last_at, items) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE SET items = items + ?5, name = CASE WHEN ?4 >= last_at THEN ?3 ELSE name END,
            last_at = max(last_at, ?4)
         RETURNING items = ?5",
    )?;
    let mut new = 0;
    for (actor, (name, at, items)) in added {
        let is_new: bool =
            upsert.query_row(params![thread, actor, name, at.as_micros(), items], |r| r.get(0))?;
        new += i64::from(is_new);
    }
    Ok(new)
}

/// Subtracts items that left, and returns the number of actors without any item left. If an actor's latest item left,
/// the actor's previous one is searched among the newest items.
pub(crate) fn remove(tx: &Connection, thread: ThreadId, removed: &RemovedActors) -> Result<i64> {
    let mut subtract = tx.prepare_cached(
        "UPDATE thread_actors SET items = items - ?3 WHERE thread = ?1 AND actor = ?2 RETURNING items, last_at",
    )?;
    let mut forget = tx.prepare_cached("DELETE FROM thread_actors WHERE thread = ?1 AND actor = ?2")?;
    let (mut gone, mut without_latest) = (0, BTreeSet::new());
    for (actor, (at, items)) in removed {
        let rest: Option<(i64, Stamp)> = subtract
            .query_row(params![thread, actor, items], |r| Ok((r.get(0)?, stamp(r, 1)?)))
            .optional()?;
        match rest {
            Some((..=0, _)) => {
                forget.execute(params![thread, actor])?;
                gone += 1;
            }
            Some((_, last)) if *at >= last => {
                without_latest.insert(actor.clone());
            }
            _ => {}
        }
    }
    let mut write = tx.prepare_cached(
        "UPDATE thread_actors SET last_at = ?3, name = ifnull(?4, name) WHERE thread = ?1 AND actor = ?2",
    )?;
    for (actor, (at, name)) in previous_items(tx, thread, without_latest)? {
        write.execute(params![thread, actor, at, name])?;
    }
    Ok(gone)
}

/// The number of newest items of a thread in which an actor's latest one is searched.
const NEWEST_ITEMS: i64 = 100;

/// The time and name of the latest item of each of these actors. An actor without an item among the newest ones gets the
/// time of the oldest of those, and so sorts after all actors who have one.
pub(crate) fn previous_items(
    tx: &Connection,
    thread: ThreadId,
    mut actors: BTreeSet<String>,
) -> Result<PreviousItems> {
    let mut previous = PreviousItems::new();
    if actors.is_empty() {
        return Ok(previous);
    }
    let mut newest = tx.prepare_cached(
        "SELECT actor, actor_name, listed_at, own, deleted FROM items WHERE thread = ?1
         ORDER BY listed_at DESC, id DESC LIMIT ?2",
    )?;
    let mut rows = newest.query([thread, NEWEST_ITEMS])?;
    let mut oldest = 0;
    while let Some(r) = rows.next()? {
        oldest = r.get::<_, i64>(2)?;
        let (own, deleted): (bool, bool) = (r.get(3)?, r.get(4)?);
        let actor: String = r.get(0)?;
        if !own && !deleted && actors.remove(&actor) {
            previous.insert(actor, (oldest, Some(r.get(1)?)));
            if actors.is_empty() {
                return Ok(previous);
            }
        }
    }
    previous.extend(actors.into_iter().map(|actor| (actor, (oldest, None))));
    Ok(previous)
}

/// The latest actors of a thread that are in the table, sorted by time, then by id. Reads all of the thread's.
pub(crate) fn latest(conn: &Connection, thread: ThreadId, most: usize) -> Result<Vec<RowActor>> {
    let sql = "SELECT actor, name, last_at, items FROM thread_actors WHERE thread = ?1
         ORDER BY last_at DESC, actor LIMIT ?2";
    sql::all(conn, sql, [thread, limit(most)], |r| {
        Ok(RowActor { id: r.get(0)?, name: r.get(1)?, at: r.get(2)?, items: r.get(3)? })
    })
}

/// Deletes all actors of a thread.
pub(crate) fn clear(tx: &Connection, thread: ThreadId) -> Result<()> {
    sql::run(tx, "DELETE FROM thread_actors WHERE thread = ?1", [thread]).map(drop)
}
