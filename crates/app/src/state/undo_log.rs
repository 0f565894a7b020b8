//! The marks that can be undone in this session, each by an id.

use std::collections::VecDeque;

use parking_lot::Mutex;
use tidings_replica::Undo;

/// The most actions that are kept.
const MAX_ACTIONS: usize = 20;
/// The most automatic marks that are kept.
const MAX_AUTOMATIC: usize = 60;

/// The undo log. Automatic marks (read, seen) have a ring of their own, so that they displace no action.
#[derive(Default)]
pub(crate) struct UndoLog(Mutex<Rings>);

/// The entries of both rings, oldest first.
#[derive(Default)]
struct Rings {
    last_id: u64,
    actions: VecDeque<(u64, Undo)>,
    /// Marks of threads that were read by being opened.
    automatic: VecDeque<(u64, Undo)>,
}

impl UndoLog {
    /// Adds an undo and returns its id; `None` if the mark changed nothing.
    pub(crate) fn add(&self, undo: Option<Undo>, automatic: bool) -> Option<u64> {
        let undo = undo?;
        let mut rings = self.0.lock();
        rings.last_id += 1;
        let id = rings.last_id;
        let (ring, max) =
            if automatic { (&mut rings.automatic, MAX_AUTOMATIC) } else { (&mut rings.actions, MAX_ACTIONS) };
        ring.push_back((id, undo));
        while ring.len() > max {
            ring.pop_front();
        }
        Some(id)
    }

    /// Takes an undo out by its id.
    pub(crate) fn take(&self, id: u64) -> Option<Undo> {
        let Rings { actions, automatic, .. } = &mut *self.0.lock();
        [actions, automatic].into_iter().find_map(|ring| {
            let index = ring.iter().position(|(entry_id, _)| *entry_id == id)?;
            ring.remove(index).map(|(_, undo)| undo)
        })
    }

    /// Forgets all undos, because the inbox was replaced by another one.
    pub(crate) fn clear(&self) {
        let mut rings = self.0.lock();
        rings.actions.clear();
        rings.automatic.clear();
    }
}
