//! The marks that can be taken back in this session, each by a number.

use std::collections::VecDeque;
use std::sync::Mutex;

use tidings_replica::Undo;

use crate::app::lock;

/// Actions that are kept.
const ACTIONS: usize = 20;
/// Automatic marks that are kept.
const AUTOMATIC: usize = 60;

/// What can be taken back. What was merely read or seen pushes out no action.
#[derive(Default)]
pub(crate) struct UndoLog(Mutex<Rings>);

/// Each with the oldest first.
#[derive(Default)]
struct Rings {
    last_id: u64,
    actions: VecDeque<(u64, Undo)>,
    /// Of threads that were read by being opened.
    automatic: VecDeque<(u64, Undo)>,
}

impl UndoLog {
    /// Keeps an undo, and gives its number.
    pub(crate) fn keep(&self, undo: Option<Undo>, automatic: bool) -> Option<u64> {
        let undo = undo?;
        let mut rings = lock(&self.0);
        rings.last_id += 1;
        let id = rings.last_id;
        let (ring, most) =
            if automatic { (&mut rings.automatic, AUTOMATIC) } else { (&mut rings.actions, ACTIONS) };
        ring.push_back((id, undo));
        while ring.len() > most {
            ring.pop_front();
        }
        Some(id)
    }

    /// An undo by its number, once.
    pub(crate) fn take(&self, id: u64) -> Option<Undo> {
        let Rings { actions, automatic, .. } = &mut *lock(&self.0);
        [actions, automatic].into_iter().find_map(|ring| {
            let at = ring.iter().position(|(kept, _)| *kept == id)?;
            ring.remove(at).map(|(_, undo)| undo)
        })
    }

    /// Nothing can be taken back any more: the inbox is another one.
    pub(crate) fn clear(&self) {
        let mut rings = lock(&self.0);
        rings.actions.clear();
        rings.automatic.clear();
    }
}
