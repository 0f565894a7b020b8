//! The actors of a thread as its row stores them: the number of distinct actors, and the latest of them by name. The
//! user's own items have no part in it.

use rusqlite::Connection;
use tidings_model::{Actor, Stamp};

use super::entry::ThreadEntry;
use crate::tables::thread_actors::{self, AddedActors, LatestActor};
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
        if self.added_actors.is_empty() && self.removed_actors.is_empty() {
            return Ok(());
        }
        let mut latest: Vec<LatestActor> = serde_json::from_str(&self.row.actors)?;
        if !self.added_actors.is_empty() {
            self.row.actor_count += thread_actors::add(tx, id, &self.added_actors)?;
            merge(&mut latest, &self.added_actors);
        }
        if !self.removed_actors.is_empty() {
            self.row.actor_count -= thread_actors::remove(tx, id, &self.removed_actors)?;
            // Who is not among the latest is not among them afterwards either.
            if latest.iter().any(|actor| self.removed_actors.contains_key(&actor.id)) {
                latest = thread_actors::latest(tx, id, Thread::MAX_ACTORS)?;
            }
        }
        self.row.actors = serde_json::to_string(&latest)?;
        Ok(())
    }
}

/// Puts the actors who entered among the latest ones, which are all of the thread's or later than every other.
fn merge(latest: &mut Vec<LatestActor>, added: &AddedActors) {
    for (id, (name, at, _)) in added {
        match latest.iter_mut().find(|actor| actor.id == *id) {
            Some(known) if at.as_micros() >= known.at => {
                known.at = at.as_micros();
                known.name.clone_from(name);
            }
            Some(_) => {}
            None => latest.push(LatestActor { id: id.clone(), name: name.clone(), at: at.as_micros() }),
        }
    }
    latest.sort_unstable_by(|a, b| b.at.cmp(&a.at).then_with(|| a.id.cmp(&b.id)));
    latest.truncate(Thread::MAX_ACTORS);
}
