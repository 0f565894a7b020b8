//! The engine's waits: between two tries after failures, and between two pulls on a timer.

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};

/// The engine's waits.
///
/// ```
/// use std::time::Duration;
///
/// let config = tidings_sync::BackoffConfig { poll_interval: Duration::from_secs(60), ..Default::default() };
/// assert_eq!(config.first_delay, Duration::from_secs(1));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackoffConfig {
    /// The wait after the first failure. It doubles with each further one; jitter adds up to as much again.
    pub first_delay: Duration,
    /// The longest wait between two tries, before jitter.
    pub max_delay: Duration,
    /// The time after which a source is pulled without a hint or request; at most 60 s for a source without a live
    /// channel.
    pub poll_interval: Duration,
}

impl Default for BackoffConfig {
    fn default() -> Self {
        Self {
            first_delay: Duration::from_secs(1),
            max_delay: Duration::from_secs(5 * 60),
            poll_interval: Duration::from_secs(10 * 60),
        }
    }
}

/// Exponential backoff with jitter.
pub(crate) struct Backoff {
    config: BackoffConfig,
    delays: ExponentialBackoff,
}

impl Backoff {
    pub(crate) fn new(config: BackoffConfig) -> Self {
        let delays = ExponentialBuilder::new()
            .with_min_delay(config.first_delay)
            .with_max_delay(config.max_delay)
            .with_factor(2.0)
            .with_jitter()
            .without_max_times()
            .build();
        Self { config, delays }
    }

    /// Starts over after a success: the next failure counts as the first.
    pub(crate) fn reset(&mut self) {
        *self = Self::new(self.config);
    }

    /// The wait after this failure: at least what the server asked for, and the longest one after a permanent error.
    pub(crate) fn after(&mut self, error: &crate::Error) -> Duration {
        let wait = self.delays.next().unwrap_or(self.config.max_delay);
        let wait = if error.is_permanent() { wait.max(self.config.max_delay) } else { wait };
        wait.max(error.retry_after().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidings_net::Error as NetError;

    #[test]
    fn waits_grow_to_a_limit_and_start_over_after_a_success() {
        let config = BackoffConfig::default();
        let mut backoff = Backoff::new(config);
        let waits: Vec<_> = (0..20).map(|_| backoff.after(&NetError::Unreachable.into())).collect();
        assert!(waits[0] >= config.first_delay && waits[0] <= 2 * config.first_delay, "{:?}", waits[0]);
        assert!(waits[5] >= 16 * config.first_delay, "{:?}", waits[5]);
        assert!(waits.iter().all(|wait| *wait <= 2 * config.max_delay));
        backoff.reset();
        assert!(backoff.after(&NetError::Unreachable.into()) <= 2 * config.first_delay);
    }

    #[test]
    fn a_server_that_asks_for_patience_gets_it() {
        let mut backoff = Backoff::new(BackoffConfig::default());
        let error = NetError::Unavailable { status: 503, retry_after: Some(Duration::from_secs(90)) };
        assert!(backoff.after(&error.into()) >= Duration::from_secs(90));
        assert!(backoff.after(&NetError::Refused(404).into()) >= BackoffConfig::default().max_delay);
    }
}
