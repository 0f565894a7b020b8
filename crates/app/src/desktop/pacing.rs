//! The pauses between rounds of updates. A few rounds follow each other at once. A storm of rounds takes a fifth of the
//! time and has at most 20 a second, since the page has work with each.

use std::time::{Duration, Instant};

/// The shortest pause after a round: a frame of a screen with 60 of them a second.
const MIN_PAUSE: Duration = Duration::from_millis(16);
/// The longest pause after a round.
const MAX_PAUSE: Duration = Duration::from_millis(100);
/// The rest that a round owes, as a multiple of the time that it took.
const REST_PER_COST: u32 = 4;
/// The rest that a round owes at least.
const MIN_REST: Duration = Duration::from_millis(50);
/// The rest that may be owed before pauses grow: an arrival, the mark that it was seen, and the server's answer.
const MAX_CREDIT: Duration = Duration::from_millis(500);

/// The rest that past rounds owe. It goes down with the time that passes.
#[derive(Debug)]
pub(crate) struct Pacing {
    owed: Duration,
    counted: Instant,
}

impl Pacing {
    /// Nothing is owed at the start.
    pub(crate) fn new(now: Instant) -> Self {
        Self { owed: Duration::ZERO, counted: now }
    }

    /// The pause after a round that ran from `start` to `end`.
    pub(crate) fn pause(&mut self, start: Instant, end: Instant) -> Duration {
        let passed = start.saturating_duration_since(self.counted);
        let cost = end.saturating_duration_since(start);
        // What is owed beyond the longest pause is forgotten, so that one slow round does not slow down a minute.
        let owed = self.owed.saturating_sub(passed) + (cost * REST_PER_COST).max(MIN_REST);
        self.owed = owed.min(MAX_CREDIT + MAX_PAUSE);
        self.counted = end;
        self.owed.saturating_sub(MAX_CREDIT).clamp(MIN_PAUSE, MAX_PAUSE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pauses after rounds that take `cost`, each of which begins `gap` after the pause before it.
    fn pauses(cost: Duration, gap: Duration, rounds: usize) -> Vec<Duration> {
        let mut now = Instant::now();
        let mut pacing = Pacing::new(now);
        let round = |_| {
            let pause = pacing.pause(now, now + cost);
            now += cost + pause + gap;
            pause
        };
        (0..rounds).map(round).collect()
    }

    #[test]
    fn a_few_rounds_follow_each_other_at_once() {
        let few = pauses(Duration::from_millis(25), Duration::ZERO, 4);
        assert_eq!(few, [MIN_PAUSE; 4]);
        let now_and_then = pauses(Duration::from_millis(25), Duration::from_millis(100), 1_000);
        assert!(now_and_then.iter().all(|pause| *pause == MIN_PAUSE), "{:?}", now_and_then.iter().max());
    }

    #[test]
    fn a_storm_takes_a_fifth_of_the_time_at_most_and_a_pause_is_never_long() {
        for cost in [5, 10, 20].map(Duration::from_millis) {
            let storm = pauses(cost, Duration::ZERO, 1_000);
            let steady: Duration = storm.iter().skip(500).sum();
            assert!(steady + MAX_PAUSE >= cost * 500 * REST_PER_COST, "{cost:?}: {steady:?}");
        }
        let cheap: Duration = pauses(Duration::ZERO, Duration::ZERO, 1_000).iter().sum();
        assert!(cheap + MAX_CREDIT >= MIN_REST * 1_000, "{cheap:?}");
        let slow = pauses(Duration::from_millis(400), Duration::ZERO, 10);
        assert!(slow.iter().all(|pause| *pause == MAX_PAUSE), "{slow:?}");
    }
}
