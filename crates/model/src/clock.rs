//! The source of the current time. Only `main` makes a [`SystemClock`]; all other code receives a [`Clock`].
//!
//! A server asks its store for the clock (`UpkeepStore::clock`): in SQLite it is the one that the store was handed, in
//! PostgreSQL the database's.

use crate::Stamp;

/// A source of the current time.
///
/// ```
/// use tidings_model::{Clock, Stamp};
///
/// struct Fixed;
/// impl Clock for Fixed {
///     fn now(&self) -> Stamp {
///         Stamp::from_secs(60)
///     }
/// }
/// assert_eq!(Fixed.now().to_string(), "1970-01-01T00:01:00.000000Z");
/// ```
pub trait Clock: Send + Sync + 'static {
    /// The current time.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machines_clock_is_not_the_beginning_of_time_and_is_the_same_when_shared() {
        let now = std::sync::Arc::new(SystemClock).now();
        assert!(now > Stamp::from_secs(1_700_000_000) && SystemClock.now() >= now);
    }
}
