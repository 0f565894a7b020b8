//! The turn of work that takes a processor for many milliseconds. One such piece of work runs at a time in the process,
//! so that the app's own server answers meanwhile on a machine of two processors.

use parking_lot::{Mutex, MutexGuard};

static TURN: Mutex<()> = Mutex::new(());

/// Waits for the turn, and has it until the value is dropped. A thread that has it must not ask for it again. One piece is
/// a body or a picture of the largest size, some 20 ms.
pub(crate) fn take() -> MutexGuard<'static, ()> {
    TURN.lock()
}
