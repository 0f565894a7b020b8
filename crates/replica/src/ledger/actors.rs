//! Who acts in a thread, the latest first, and everybody who ever did. Refuses the user's own deeds.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};
use tidings_model::{Actor, Stamp};

use super::entry::Entry;
use crate::{Result, Thread, ThreadId};

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

    pub(super) fn settle_actors(&mut self, tx: &Connection, id: ThreadId) -> Result<()> {
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
