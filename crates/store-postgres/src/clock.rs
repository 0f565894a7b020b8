//! The clock of the database, by which all ages, due times and stamps go, whatever the clocks of its servers say.
//!
//! Stamps, ages and due times are therefore the same for all servers. A server whose own clock differs is not
//! ready.

use std::time::{Duration, Instant};

#[cfg(any(test, feature = "conformance"))]
use std::sync::Arc;

use parking_lot::Mutex;
use tidings_model::{Clock, Stamp};

/// The database's clock at the moment of the statement, in microseconds since 1970, as an expression.
macro_rules! now_micros {
    () => {
        "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
    };
}
pub(super) use now_micros;

/// Reads the database's clock.
pub(super) const NOW: &str = concat!("SELECT ", now_micros!());

/// The database's clock as this process read it last. From then on the time that passes here is added, so that the
/// machine's own clock is never asked. A transaction that writes reads it anew, and so does each look for what is due.
pub(super) struct DatabaseClock {
    last: Mutex<ClockReading>,
    /// A clock in its place, which a test moves.
    #[cfg(any(test, feature = "conformance"))]
    stands_in: Option<Arc<dyn Clock>>,
}

#[derive(Clone, Copy)]
struct ClockReading {
    time: Stamp,
    read_at: Instant,
}

impl std::fmt::Debug for DatabaseClock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("DatabaseClock").field(&self.now()).finish()
    }
}

impl DatabaseClock {
    /// The clock of a database that gave this time a moment ago.
    pub(super) fn at(micros: i64) -> Self {
        let last = Mutex::new(ClockReading { time: Stamp::from_micros(micros), read_at: Instant::now() });
        Self {
            last,
            #[cfg(any(test, feature = "conformance"))]
            stands_in: None,
        }
    }

    /// The same with another clock in its place.
    #[cfg(any(test, feature = "conformance"))]
    pub(super) fn replaced_by(self, clock: Option<Arc<dyn Clock>>) -> Self {
        Self { stands_in: clock, ..self }
    }

    /// Takes what the database gave a moment ago as its time; gives it.
    pub(super) fn read(&self, micros: i64) -> Stamp {
        #[cfg(any(test, feature = "conformance"))]
        if let Some(clock) = &self.stands_in {
            return clock.now();
        }
        let time = Stamp::from_micros(micros);
        *self.last.lock() = ClockReading { time, read_at: Instant::now() };
        time
    }

    /// What its time is by now.
    pub(super) fn now(&self) -> Stamp {
        #[cfg(any(test, feature = "conformance"))]
        if let Some(clock) = &self.stands_in {
            return clock.now();
        }
        let ClockReading { time, read_at } = *self.last.lock();
        time.plus_micros(micros_of(read_at.elapsed()))
    }
}

impl Clock for DatabaseClock {
    fn now(&self) -> Stamp {
        self.now()
    }
}

fn micros_of(passed: Duration) -> i64 {
    i64::try_from(passed.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_on_from_what_was_read_last_also_backwards() {
        let clock = DatabaseClock::at(1_000_000);
        let first = clock.now();
        assert!(first >= Stamp::from_micros(1_000_000) && clock.now() >= first);
        assert_eq!(clock.read(500), Stamp::from_micros(500));
        assert!(clock.now() < Stamp::from_micros(1_000_000), "the database's clock was set back");
    }
}
