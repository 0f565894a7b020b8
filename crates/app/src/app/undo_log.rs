//! What can be taken back in this session. Refuses to keep more than a reader would remember.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;

use tidings_replica::Undo;

use super::{App, lock};

/// Undos that are kept.
const UNDOS: usize = 20;
/// Undos of threads that were opened.
const READS: usize = 60;

/// What can be taken back, oldest first.
#[derive(Default)]
pub(super) struct UndoLog {
    actions: VecDeque<(u64, Undo)>,
    /// Threads that were read by being opened.
    automatic: VecDeque<(u64, Undo)>,
}

impl App {
    /// Keeps an undo. What was merely read or seen pushes out no other action.
    pub(crate) fn keep_undo(&self, undo: Option<Undo>, automatic: bool) -> Option<u64> {
        let id = self.inner.next_undo_id.fetch_add(1, Ordering::Relaxed);
        let mut undo_log = lock(&self.inner.undo_log);
        let (ring, most) =
            if automatic { (&mut undo_log.automatic, READS) } else { (&mut undo_log.actions, UNDOS) };
        ring.push_back((id, undo?));
        while ring.len() > most {
            ring.pop_front();
        }
        Some(id)
    }

    /// What was done cannot be taken back any more: the inbox is another one.
    pub(crate) fn forget_undos(&self) {
        *lock(&self.inner.undo_log) = UndoLog::default();
    }

    pub(crate) fn take_undo(&self, id: u64) -> Option<Undo> {
        let mut undo_log = lock(&self.inner.undo_log);
        let UndoLog { actions, automatic } = &mut *undo_log;
        [actions, automatic].into_iter().find_map(|ring| {
            let at = ring.iter().position(|(kept, _)| *kept == id)?;
            ring.remove(at).map(|(_, undo)| undo)
        })
    }
}
