//! The one clock of the tests.

use std::fmt;
use std::sync::{Arc, Mutex};

use tidings_model::{Clock, Stamp, SystemClock};

/// A clock that a test sets: it stands where it was put, or runs with the machine's, ahead by so much.
///
/// Clones share their time.
#[derive(Clone)]
pub struct ManualClock(Arc<Mutex<Inner>>);

struct Inner {
    time: Time,
    hook: Option<Hook>,
}

#[derive(Clone, Copy)]
enum Time {
    /// It stands here.
    At(Stamp),
    /// The machine's clock plus so many microseconds.
    Ahead(i64),
}

type Hook = Arc<dyn Fn() + Send + Sync>;

impl ManualClock {
    /// A clock that stands at a time.
    pub fn at(time: Stamp) -> Self {
        Self(Arc::new(Mutex::new(Inner { time: Time::At(time), hook: None })))
    }

    /// A clock that runs with the machine's.
    pub fn running() -> Self {
        Self(Arc::new(Mutex::new(Inner { time: Time::Ahead(0), hook: None })))
    }

    /// Moves it, forward or back.
    pub fn advance_micros(&self, micros: i64) {
        match &mut self.inner().time {
            Time::At(at) => *at = at.plus_micros(micros),
            Time::Ahead(ahead) => *ahead += micros,
        }
    }

    /// Moves it by whole seconds, forward or back.
    pub fn advance(&self, secs: i64) {
        self.advance_micros(secs * 1_000_000);
    }

    /// Sets it to a time, where it stands from now on.
    pub fn set(&self, time: Stamp) {
        self.inner().time = Time::At(time);
    }

    /// Lets it run with the machine's from now on.
    pub fn run(&self) {
        self.inner().time = Time::Ahead(0);
    }

    /// Calls `hook` on the thread of whoever asks for the time, before the answer: to hold that thread or to let it panic.
    pub fn before_each_reading(&self, hook: impl Fn() + Send + Sync + 'static) {
        self.inner().hook = Some(Arc::new(hook));
    }

    fn inner(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.0.lock().unwrap()
    }
}

impl Default for ManualClock {
    /// Stands in January 2027.
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
