//! The actors of a thread as its row stores them: the number of distinct actors, and all of them or the latest by name.
//! The user's own items have no part in it.

use std::collections::BTreeSet;

use rusqlite::Connection;
use tidings_model::{Actor, Stamp};

use super::entry::ThreadEntry;
use crate::thread_actors::{self, AddedActors, MAX_IN_ROW, RemovedActors, RowActor};
use crate::{Result, Thread, ThreadId};

impl ThreadEntry {
    /// Counts an item of an actor that entered the thread.
    pub(super) fn add_actor(&mut self, actor: &Actor, at: Stamp) {
        match self.added_actors.get_mut(&actor.id) {
            Some((name, last, items)) => {
                if at >= *last {
                    (*last, *name) = (at, actor.name.clone());
                }
                *items += 1;
            }
            None => {
                self.added_actors.insert(actor.id.clone(), (actor.name.clone(), at, 1));
            }
        }
    }

    /// Counts an item of an actor that left the thread.
    pub(super) fn remove_actor(&mut self, actor: &str, at: Stamp) {
        let (last, items) = self.removed_actors.entry(actor.to_owned()).or_insert((at, 0));
        *last = at.max(*last);
        *items += 1;
    }

    /// Writes the actors that entered and left, and updates `actors` and `actor_count` of the row.
    pub(super) fn write_actors(&mut self, tx: &Connection, id: ThreadId) -> Result<()> {
        if self.added_actors.is_empty() && self.removed_actors.is_empty() {
            return Ok(());
        }
        let mut actors: Vec<RowActor> = serde_json::from_str(&self.row.actors)?;
        if self.row.actor_count <= MAX_IN_ROW {
            merge(&mut actors, &self.added_actors);
            subtract(tx, id, &mut actors, &self.removed_actors)?;
            self.row.actor_count = i64::try_from(actors.len()).unwrap_or(i64::MAX);
            if self.row.actor_count > MAX_IN_ROW {
                thread_actors::insert(tx, id, &actors)?;
                shorten(&mut actors);
            }
        } else {
            self.update_table(tx, id, &mut actors)?;
            if self.row.actor_count <= MAX_IN_ROW {
                actors = thread_actors::take(tx, id)?;
            }
        }
        self.row.actors = serde_json::to_string(&actors)?;
        Ok(())
    }

    /// Updates the actors of a thread that has them in the table, and the latest of them.
    fn update_table(&mut self, tx: &Connection, id: ThreadId, latest: &mut Vec<RowActor>) -> Result<()> {
        if !self.added_actors.is_empty() {
            self.row.actor_count += thread_actors::add(tx, id, &self.added_actors)?;
            merge(latest, &self.added_actors);
        }
        if !self.removed_actors.is_empty() {
            self.row.actor_count -= thread_actors::remove(tx, id, &self.removed_actors)?;
            // Who is not among the latest is not among them afterwards either.
            if latest.iter().any(|actor| self.removed_actors.contains_key(&actor.id)) {
                *latest = thread_actors::latest(tx, id, Thread::MAX_ACTORS)?;
            }
        }
        shorten(latest);
        Ok(())
    }
}

/// Leaves the latest actors, as the row of a thread has them whose others are in the table.
fn shorten(actors: &mut Vec<RowActor>) {
    actors.truncate(Thread::MAX_ACTORS);
    for actor in actors {
        actor.items = 0;
    }
}

fn sort(actors: &mut [RowActor]) {
    actors.sort_unstable_by(|a, b| b.at.cmp(&a.at).then_with(|| a.id.cmp(&b.id)));
}

/// Puts the actors who entered among those of the row, which are all of the thread's or later than every other.
fn merge(actors: &mut Vec<RowActor>, added: &AddedActors) {
    for (id, (name, at, items)) in added {
        match actors.iter_mut().find(|actor| actor.id == *id) {
            Some(known) => {
                known.items += items;
                if at.as_micros() >= known.at {
                    known.at = at.as_micros();
                    known.name.clone_from(name);
                }
            }
            None => actors.push(RowActor {
                id: id.clone(),
                name: name.clone(),
                at: at.as_micros(),
                items: *items,
            }),
        }
    }
    sort(actors);
}

/// Subtracts the items that left from the actors of the row, which are all of the thread's. If an actor's latest item
/// left, the actor's previous one is searched among the newest items.
fn subtract(
    tx: &Connection,
    thread: ThreadId,
    actors: &mut Vec<RowActor>,
    removed: &RemovedActors,
) -> Result<()> {
    let mut without_latest = BTreeSet::new();
    for actor in actors.iter_mut() {
        if let Some((at, items)) = removed.get(&actor.id) {
            actor.items -= items;
            if actor.items > 0 && at.as_micros() >= actor.at {
                without_latest.insert(actor.id.clone());
            }
        }
    }
    actors.retain(|actor| actor.items > 0);
    if without_latest.is_empty() {
        return Ok(());
    }
    let previous = thread_actors::previous_items(tx, thread, without_latest)?;
    for actor in actors.iter_mut() {
        if let Some((at, name)) = previous.get(&actor.id) {
            actor.at = *at;
            if let Some(name) = name {
                actor.name.clone_from(name);
            }
        }
    }
    sort(actors);
    Ok(())
}
