//! The actors of a thread as its row stores them: the number of distinct actors, and the latest of them by name. The
//! user's own items have no part in it.

use rusqlite::Connection;
use tidings_model::{Actor, Stamp};

use super::entry::ThreadEntry;
use crate::tables::thread_actors;
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

    /// Writes the actors that entered and left to `thread_actors`, and updates `actors` and `actor_count` of the row.
    pub(super) fn write_actors(&mut self, tx: &Connection, id: ThreadId) -> Result<()> {
        if !self.added_actors.is_empty() {
            self.row.actor_count += thread_actors::add(tx, id, &self.added_actors)?;
            // If every new item is newer than all earlier items, the latest actors follow without a query.
            self.row.actors = if self.added_actors.values().all(|(_, at, _)| *at > self.last_at_before) {
                self.with_added_actors()?
            } else {
                latest(tx, id)?
            };
        }
        if !self.removed_actors.is_empty() {
            self.row.actor_count -= thread_actors::remove(tx, id, &self.removed_actors)?;
            self.row.actors = latest(tx, id)?;
        }
        Ok(())
    }

    /// The latest actors as JSON, given that the actors who entered are all newer than those in the row.
    fn with_added_actors(&self) -> Result<String> {
        let mut added: Vec<_> = self.added_actors.iter().map(|(id, (name, at, _))| (*at, id, name)).collect();
        added.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        let before: Vec<Actor> = serde_json::from_str(&self.row.actors)?;
        let latest: Vec<Actor> = added
            .into_iter()
            .map(|(_, id, name)| Actor { id: id.clone(), name: name.clone() })
            .chain(before.into_iter().filter(|actor| !self.added_actors.contains_key(&actor.id)))
            .take(Thread::MAX_ACTORS)
            .collect();
        Ok(serde_json::to_string(&latest)?)
    }
}

fn latest(tx: &Connection, id: ThreadId) -> Result<String> {
    Ok(serde_json::to_string(&thread_actors::latest(tx, id, Thread::MAX_ACTORS)?)?)
}
