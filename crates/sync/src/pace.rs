//! How long to wait for what. Refuses to be read from anywhere: whoever starts the engine hands it in.

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};

/// The engine's intervals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// The wait after a first failure; it doubles from there, and up to as much again is added by chance.
    pub first_retry: Duration,
    /// The longest wait between two tries, before chance.
    pub longest_retry: Duration,
    /// How often a source is pulled though nothing asked for it.
    pub look: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            first_retry: Duration::from_secs(1),
            longest_retry: Duration::from_secs(5 * 60),
            look: Duration::from_secs(10 * 60),
        }
    }
}

/// Growing waits between failures.
pub(crate) struct Backoff {
    pace: Pace,
    waits: ExponentialBackoff,
}

impl Backoff {
    pub(crate) fn new(pace: Pace) -> Self {
        let waits = ExponentialBuilder::new()
            .with_min_delay(pace.first_retry)
            .with_max_delay(pace.longest_retry)
            .with_factor(2.0)
            .with_jitter()
            .without_max_times()
            .build();
        Self { pace, waits }
    }

    /// Something worked: the next failure is a first one again.
    pub(crate) fn reset(&mut self) {
        *self = Self::new(self.pace);
    }

    /// How long to wait after this failure. Never less than what the server asked for; what time won't mend waits
    /// longest.
    pub(crate) fn after(&mut self, error: &crate::Error) -> Duration {
        let wait = self.waits.next().unwrap_or(self.pace.longest_retry);
        let wait = if error.is_permanent() { wait.max(self.pace.longest_retry) } else { wait };
        wait.max(error.retry_after().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    #[test]
    fn waits_grow_to_a_limit_and_start_over_after_a_success() {
        let pace = Pace::default();
        let mut backoff = Backoff::new(pace);
        let waits: Vec<_> = (0..20).map(|_| backoff.after(&Error::Unreachable)).collect();
        assert!(waits[0] >= pace.first_retry && waits[0] <= 2 * pace.first_retry, "{:?}", waits[0]);
        assert!(waits[5] >= 16 * pace.first_retry, "{:?}", waits[5]);
        assert!(waits.iter().all(|wait| *wait <= 2 * pace.longest_retry));
        backoff.reset();
        assert!(backoff.after(&Error::Unreachable) <= 2 * pace.first_retry);
    }

    #[test]
    fn a_server_that_asks_for_patience_gets_it() {
        let mut backoff = Backoff::new(Pace::default());
        let error = Error::Unavailable { status: 503, retry_after: Some(Duration::from_secs(90)) };
        assert!(backoff.after(&error) >= Duration::from_secs(90));
        assert!(backoff.after(&Error::Refused(404)) >= Pace::default().longest_retry);
    }
}
