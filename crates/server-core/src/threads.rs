//! Locks and counters of what many threads use at once. `tests/interleavings` compiles that code with others in their place,
//! which try one order of steps after the other.

pub(crate) use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

pub(crate) use parking_lot::Mutex;
