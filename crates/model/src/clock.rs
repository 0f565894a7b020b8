//! Where the time comes from. Refuses to be read by accident: everyone but a program's `main` is handed a clock.

use crate::Stamp;

/// A source of the current time; tests pass one that they move by hand.
pub trait Clock: Send + Sync + 'static {
    /// The wall clock, in microseconds since 1970 UTC.
    fn now(&self) -> Stamp;
}

/// The machine's wall clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Stamp {
        Stamp::from_micros(chrono::Utc::now().timestamp_micros())
    }
}

impl<C: Clock + ?Sized> Clock for std::sync::Arc<C> {
    fn now(&self) -> Stamp {
        (**self).now()
    }
}
