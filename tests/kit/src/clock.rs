//! The clock that tests control.

use std::fmt;
use std::sync::{Arc, Mutex};

use tidings_model::{Clock, Stamp, SystemClock};

/// A clock that a test sets. It is either fixed at a time or follows the system clock with an offset.
///
/// Clones share the time.
#[derive(Clone)]
pub struct ManualClock(Arc<Mutex<Inner>>);

struct Inner {
    time: Time,
    hook: Option<Hook>,
}

#[derive(Clone, Copy)]
enum Time {
    /// Fixed at this time.
    At(Stamp),
    /// The system clock plus this many microseconds.
    Ahead(i64),
}

type Hook = Arc<dyn Fn() + Send + Sync>;

impl ManualClock {
    /// A clock that is fixed at a time.
    pub fn at(time: Stamp) -> Self {
        Self(Arc::new(Mutex::new(Inner { time: Time::At(time), hook: None })))
    }

    /// A clock that follows the system clock.
    pub fn running() -> Self {
        Self(Arc::new(Mutex::new(Inner { time: Time::Ahead(0), hook: None })))
    }

    /// Moves the clock by microseconds, backward if negative.
    pub fn advance_micros(&self, micros: i64) {
        match &mut self.inner().time {
            Time::At(at) => *at = at.plus_micros(micros),
            Time::Ahead(ahead) => *ahead += micros,
        }
    }

    /// Moves the clock by seconds, backward if negative.
    pub fn advance(&self, secs: i64) {
        self.advance_micros(secs * 1_000_000);
    }

    /// Fixes the clock at a time.
    pub fn set(&self, time: Stamp) {
        self.inner().time = Time::At(time);
    }

    /// Follows the system clock from now on, without an offset.
    pub fn run(&self) {
        self.inner().time = Time::Ahead(0);
    }

    /// Calls `hook` before each answer of [`Clock::now`], on the calling thread. The hook may block that thread or
    /// panic.
    pub fn before_each_reading(&self, hook: impl Fn() + Send + Sync + 'static) {
        self.inner().hook = Some(Arc::new(hook));
    }

    fn inner(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.0.lock().unwrap()
    }
}

impl Default for ManualClock {
    /// Fixed at 2027-01-15T08:00:00Z.
    fn default() -> Self {
        Self::at(Stamp::from_micros(1_800_000_000_000_000))
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Stamp {
        let hook = self.inner().hook.clone();
        if let Some(hook) = hook {
            hook();
        }
        match self.inner().time {
            Time::At(at) => at,
            Time::Ahead(micros) => SystemClock.now().plus_micros(micros),
        }
    }
}

impl fmt::Debug for ManualClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ManualClock").field(&self.now()).finish()
    }
}
