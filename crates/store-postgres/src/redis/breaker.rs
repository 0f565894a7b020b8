//! The circuit breaker: if Redis fails again and again, it is left alone for a while, so that no reader waits for it.

use std::time::Duration;

use tokio::time::Instant;

/// Failures in a row after which it opens.
const FAILURES: u32 = 5;
/// How long it stays open at first, and at most.
const OPEN_TIMES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(8));

/// Counts failures, and says whether another request may be tried.
#[derive(Debug, Default)]
pub(super) struct Breaker {
    /// The number of failures in a row.
    failures: u32,
    open: Option<Open>,
}

#[derive(Debug, Clone, Copy)]
struct Open {
    until: Instant,
    time: Duration,
}

/// What a request has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transition {
    Nothing,
    /// It is open from now on.
    Opened,
    /// It is still open after one that was let through.
    StaysOpen,
    /// It is closed from now on.
    Closed,
}

impl Breaker {
    /// Whether a request may be tried. While the breaker is open, one is let through when its time has passed. If
    /// nothing is heard of that, another one is let through as much later.
    pub(super) fn admits(&mut self, now: Instant) -> bool {
        match &mut self.open {
            None => true,
            Some(open) if now < open.until => false,
            Some(open) => {
                open.until = now + open.time;
                true
            }
        }
    }

    /// A request was answered.
    pub(super) fn succeeded(&mut self) -> Transition {
        self.failures = 0;
        self.open.take().map_or(Transition::Nothing, |_| Transition::Closed)
    }

    /// A request failed, or was not answered in time.
    pub(super) fn failed(&mut self, now: Instant) -> Transition {
        self.failures = self.failures.saturating_add(1);
        if let Some(open) = &mut self.open {
            open.time = (open.time * 2).min(OPEN_TIMES.1);
            open.until = now + open.time;
            return Transition::StaysOpen;
        }
        if self.failures < FAILURES {
            return Transition::Nothing;
        }
        self.open = Some(Open { until: now + OPEN_TIMES.0, time: OPEN_TIMES.0 });
        Transition::Opened
    }

    /// Whether requests are kept from Redis.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_opens_after_failures_in_a_row_and_closes_with_one_answer() {
        let (mut breaker, start) = (Breaker::default(), Instant::now());
        for _ in 1..FAILURES {
            assert_eq!(breaker.failed(start), Transition::Nothing);
        }
        assert_eq!(breaker.succeeded(), Transition::Nothing);
        for _ in 1..FAILURES {
            breaker.failed(start);
        }
        assert!(breaker.admits(start));
        assert_eq!(breaker.failed(start), Transition::Opened);
        assert!(breaker.is_open() && !breaker.admits(start));

        let later = start + OPEN_TIMES.0;
        assert!(breaker.admits(later), "one is let through");
        assert!(!breaker.admits(later), "and no second one");
        assert_eq!(breaker.failed(later), Transition::StaysOpen);
        assert!(!breaker.admits(later + OPEN_TIMES.0), "it waits longer");
        assert!(breaker.admits(later + 2 * OPEN_TIMES.0));
        assert_eq!(breaker.succeeded(), Transition::Closed);
        assert!(!breaker.is_open() && breaker.admits(later));
    }
}
