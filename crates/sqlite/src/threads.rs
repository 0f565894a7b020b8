//! Threads, channels and counters of the writer. `tests/interleavings` compiles it with others in their place, which try one order
//! of steps after the other.

pub(crate) use std::sync::atomic::{AtomicBool, Ordering};
pub(crate) use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
pub(crate) use std::thread::{self, JoinHandle};

/// Whether several threads run at once.
pub(crate) fn are_parallel() -> bool {
    thread::available_parallelism().is_ok_and(|processors| processors.get() > 1)
}
