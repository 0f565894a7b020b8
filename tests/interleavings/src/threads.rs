//! Threads, locks and counters that let `shuttle` decide who takes the next step, with the interfaces of those in the crates.

use std::ops::{Deref, DerefMut};
use std::sync::PoisonError;
use std::time::Duration;

use shuttle::rand::{Rng, thread_rng};
use shuttle::sync;

pub(crate) use shuttle::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
pub(crate) use shuttle::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
pub(crate) use shuttle::thread::{self, JoinHandle};

/// A lock that a panic does not poison, as those of `parking_lot`.
#[derive(Default)]
pub(crate) struct Mutex<T>(sync::Mutex<T>);

pub(crate) struct MutexGuard<'m, T> {
    mutex: &'m sync::Mutex<T>,
    /// `None` while it waits.
    locked: Option<sync::MutexGuard<'m, T>>,
}

impl<T> Mutex<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        MutexGuard { mutex: &self.0, locked: Some(locked(&self.0)) }
    }
}

fn locked<T>(mutex: &sync::Mutex<T>) -> sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.locked.as_deref().expect("it does not wait")
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.locked.as_deref_mut().expect("it does not wait")
    }
}

pub(crate) struct Condvar(sync::Condvar);

/// Whether a wait ended by its time.
pub(crate) struct Waited {
    timed_out: bool,
}

impl Waited {
    pub(crate) fn timed_out(&self) -> bool {
        self.timed_out
    }
}

impl Condvar {
    pub(crate) fn new() -> Self {
        Self(sync::Condvar::new())
    }

    /// Waits to be notified. One wait in four is over before, as if its time were.
    pub(crate) fn wait_for<T>(&self, guard: &mut MutexGuard<'_, T>, _: Duration) -> Waited {
        let timed_out = thread_rng().gen_bool(0.25);
        let waiting = guard.locked.take().expect("it does not wait yet");
        guard.locked = Some(if timed_out {
            drop(waiting);
            thread::yield_now();
            locked(guard.mutex)
        } else {
            self.0.wait(waiting).unwrap_or_else(PoisonError::into_inner)
        });
        Waited { timed_out }
    }

    pub(crate) fn notify_one(&self) {
        self.0.notify_one();
    }

    pub(crate) fn notify_all(&self) {
        self.0.notify_all();
    }
}

/// All threads of a scenario run on one, whose priority stays.
pub(crate) fn lower_priority() {}

/// Nobody looks out for work by the clock here.
pub(crate) fn are_parallel() -> bool {
    false
}
