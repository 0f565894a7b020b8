//! Who acts in a thread, the latest first, and everybody who ever did. Refuses the user's own deeds.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::{Actor, Stamp};

use super::entry::Entry;
use crate::{Result, Thread, ThreadId, row};

impl Entry {
    pub(super) fn came(&mut self, actor: &Actor, at: Stamp) {
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

    /// An item of an actor left.
    pub(super) fn went(&mut self, actor: &str, at: Stamp) {
        let (last, items) = self.went.entry(actor.to_owned()).or_insert((at, 0));
        *last = at.max(*last);
        *items += 1;
    }

    pub(super) fn settle_actors(&mut self, tx: &Connection, id: ThreadId) -> Result<()> {
        self.add_actors(tx, id)?;
        self.take_actors(tx, id)
    }

    /// Takes off the items that left. Whoever has none left acts here no more; of whom the latest one left, the one
    /// before it is looked for among the newest.
    fn take_actors(&mut self, tx: &Connection, id: ThreadId) -> Result<()> {
        if self.went.is_empty() {
            return Ok(());
        }
        let mut take = tx.prepare_cached(
            "UPDATE thread_actors SET items = items - ?3 WHERE thread = ?1 AND actor = ?2 RETURNING items, last_at",
        )?;
        let mut forget = tx.prepare_cached("DELETE FROM thread_actors WHERE thread = ?1 AND actor = ?2")?;
        let mut sought: BTreeSet<&str> = BTreeSet::new();
        for (actor, (at, items)) in &self.went {
            let left: Option<(i64, Stamp)> = take
                .query_row(params![id, actor, items], |r| Ok((r.get(0)?, row::stamp(r, 1)?)))
                .optional()?;
            match left {
                Some((..=0, _)) => {
                    forget.execute(params![id, actor])?;
                    self.actor_count -= 1;
                }
                Some((_, last)) if *at >= last => {
                    sought.insert(actor);
                }
                _ => {}
            }
        }
        find_latest(tx, id, sought)?;
        self.actors = top_actors(tx, id)?;
        Ok(())
    }

    fn add_actors(&mut self, tx: &Connection, id: ThreadId) -> Result<()> {
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

/// Items of a thread, the newest first, in which the latest one of an actor is looked for.
const NEWEST: i64 = 100;

/// Keeps when each of these actors acted last. Who did nothing among the newest items gets the time of the oldest of
/// those: it stands behind all who did.
fn find_latest(tx: &Connection, id: ThreadId, mut sought: BTreeSet<&str>) -> Result<()> {
    if sought.is_empty() {
        return Ok(());
    }
    let mut newest = tx.prepare_cached(
        "SELECT actor, actor_name, created_at, own, deleted FROM items WHERE thread = ?1
         ORDER BY created_at DESC, id DESC LIMIT ?2",
    )?;
    let mut keep = tx.prepare_cached(
        "UPDATE thread_actors SET last_at = ?3, name = ifnull(?4, name) WHERE thread = ?1 AND actor = ?2",
    )?;
    let mut rows = newest.query([id, NEWEST])?;
    let mut oldest = 0;
    while let Some(r) = rows.next()? {
        oldest = r.get::<_, i64>(2)?;
        let (own, deleted): (bool, bool) = (r.get(3)?, r.get(4)?);
        let actor: String = r.get(0)?;
        if !own && !deleted && sought.remove(actor.as_str()) {
            keep.execute(params![id, actor, oldest, r.get::<_, String>(1)?])?;
            if sought.is_empty() {
                return Ok(());
            }
        }
    }
    for actor in sought {
        keep.execute(params![id, actor, oldest, None::<String>])?;
    }
    Ok(())
}

/// Remembers who came, by the name used last.
pub(super) fn meet<'e>(
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
fn top_actors(tx: &Connection, id: ThreadId) -> Result<String> {
    let actors = tx
        .prepare_cached(
            "SELECT actor, name FROM thread_actors WHERE thread = ?1 ORDER BY last_at DESC, actor LIMIT 3",
        )?
        .query_map([id], |r| Ok(Actor { id: r.get(0)?, name: r.get(1)? }))?
        .collect::<Result<Vec<_>, _>>()?;
    Ok(serde_json::to_string(&actors)?)
}
