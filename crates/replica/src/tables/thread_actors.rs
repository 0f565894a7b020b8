//! The table `thread_actors`: who acts in each thread other than the user itself, and when last.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::{Actor, Stamp};

use super::columns::{limit, stamp};
use super::sql;
use crate::{Replica, Result, SourceId, ThreadId};

/// Actors of items that came to a thread: name, time of the latest, how many items.
pub(crate) type Came = BTreeMap<String, (String, Stamp, i64)>;
/// Actors of items that left a thread: time of the latest, how many items.
pub(crate) type Left = BTreeMap<String, (Stamp, i64)>;

/// Adds items that came, and gives how many of their actors are new in the thread.
pub(crate) fn add(tx: &Connection, thread: ThreadId, came: &Came) -> Result<i64> {
    let mut upsert = tx.prepare_cached(
        "INSERT INTO thread_actors (thread, actor, name, last_at, items) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE SET items = items + ?5, name = CASE WHEN ?4 >= last_at THEN ?3 ELSE name END,
            last_at = max(last_at, ?4)
         RETURNING items = ?5",
    )?;
    let mut new = 0;
    for (actor, (name, at, items)) in came {
        let is_new: bool =
            upsert.query_row(params![thread, actor, name, at.as_micros(), items], |r| r.get(0))?;
        new += i64::from(is_new);
    }
    Ok(new)
}

/// Takes off items that left, and gives how many actors have none left. Where an actor's latest item left, the one before
/// it is looked for among the newest.
pub(crate) fn remove(tx: &Connection, thread: ThreadId, left: &Left) -> Result<i64> {
    let mut take = tx.prepare_cached(
        "UPDATE thread_actors SET items = items - ?3 WHERE thread = ?1 AND actor = ?2 RETURNING items, last_at",
    )?;
    let mut forget = tx.prepare_cached("DELETE FROM thread_actors WHERE thread = ?1 AND actor = ?2")?;
    let (mut gone, mut without_latest) = (0, BTreeSet::new());
    for (actor, (at, items)) in left {
        let rest: Option<(i64, Stamp)> =
            take.query_row(params![thread, actor, items], |r| Ok((r.get(0)?, stamp(r, 1)?))).optional()?;
        match rest {
            Some((..=0, _)) => {
                forget.execute(params![thread, actor])?;
                gone += 1;
            }
            Some((_, last)) if *at >= last => {
                without_latest.insert(actor.as_str());
            }
            _ => {}
        }
    }
    find_latest(tx, thread, without_latest)?;
    Ok(gone)
}

/// Items of a thread, the newest first, in which the latest one of an actor is looked for.
const NEWEST: i64 = 100;

/// Writes when each of these actors acted last. Whoever did nothing among the newest items gets the time of the oldest of
/// those, and so stands behind all who did.
fn find_latest(tx: &Connection, thread: ThreadId, mut actors: BTreeSet<&str>) -> Result<()> {
    if actors.is_empty() {
        return Ok(());
    }
    let mut newest = tx.prepare_cached(
        "SELECT actor, actor_name, created_at, own, deleted FROM items WHERE thread = ?1
         ORDER BY created_at DESC, id DESC LIMIT ?2",
    )?;
    let mut write = tx.prepare_cached(
        "UPDATE thread_actors SET last_at = ?3, name = ifnull(?4, name) WHERE thread = ?1 AND actor = ?2",
    )?;
    let mut rows = newest.query([thread, NEWEST])?;
    let mut oldest = 0;
    while let Some(r) = rows.next()? {
        oldest = r.get::<_, i64>(2)?;
        let (own, deleted): (bool, bool) = (r.get(3)?, r.get(4)?);
        let actor: String = r.get(0)?;
        if !own && !deleted && actors.remove(actor.as_str()) {
            write.execute(params![thread, actor, oldest, r.get::<_, String>(1)?])?;
            if actors.is_empty() {
                return Ok(());
            }
        }
    }
    for actor in actors {
        write.execute(params![thread, actor, oldest, None::<String>])?;
    }
    Ok(())
}

/// The latest actors of a thread: by time, then by id.
pub(crate) fn latest(conn: &Connection, thread: ThreadId, most: usize) -> Result<Vec<Actor>> {
    let sql = "SELECT actor, name FROM thread_actors WHERE thread = ?1 ORDER BY last_at DESC, actor LIMIT ?2";
    sql::all(conn, sql, [thread, limit(most)], |r| Ok(Actor { id: r.get(0)?, name: r.get(1)? }))
}

/// A thread has no items any more.
pub(crate) fn clear(tx: &Connection, thread: ThreadId) -> Result<()> {
    sql::run(tx, "DELETE FROM thread_actors WHERE thread = ?1", [thread]).map(drop)
}

impl Replica {
    /// What people call a user, as the conversations here have it: the given one first, then the one with that user.
    pub fn name_of(&self, source: SourceId, conversation: &str, user: &str) -> Result<Option<String>> {
        let sql = "SELECT a.name FROM threads t JOIN thread_actors a ON a.thread = t.id AND a.actor = ?3
             WHERE t.source = ?1 AND t.key = ?2 AND a.name <> ''";
        self.read(|conn| {
            for key in [conversation, &format!("user:{user}")] {
                let found = sql::first(conn, sql, params![source, key, user], |r| r.get(0))?;
                if found.is_some() {
                    return Ok(found);
                }
            }
            Ok(None)
        })
    }
}
