//! Detects jumps of the wall clock by comparing it with the monotonic clock, which stops while the machine sleeps.

use std::time::Duration;

use tidings_model::Stamp;
use tokio::time::Instant;

/// The largest difference that counts as a correction of the clock and not as a jump.
const MAX_DRIFT: Duration = Duration::from_secs(10);

/// The last reading of both clocks.
pub(super) struct ClockJump {
    wall: Stamp,
    steady: Instant,
}

impl ClockJump {
    pub(super) fn new(wall: Stamp, steady: Instant) -> Self {
        Self { wall, steady }
    }

    /// Whether the wall clock jumped since the last call.
    pub(super) fn check(&mut self, wall: Stamp, steady: Instant) -> bool {
        let elapsed = steady.saturating_duration_since(self.steady).as_micros();
        let wall_elapsed = i128::from(wall.as_micros()) - i128::from(self.wall.as_micros());
        let drift = wall_elapsed.saturating_sub(i128::try_from(elapsed).unwrap_or(i128::MAX)).unsigned_abs();
        *self = Self { wall, steady };
        drift > MAX_DRIFT.as_micros()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sleep_or_a_set_clock_is_a_jump_and_a_slow_tick_is_not() {
        let (wall, steady) = (Stamp::from_secs(1_000), Instant::now());
        let mut jump = ClockJump::new(wall, steady);
        assert!(!jump.check(wall.plus_secs(4), steady + Duration::from_secs(4)));
        assert!(!jump.check(wall.plus_secs(64), steady + Duration::from_secs(64)), "a busy machine");
        assert!(jump.check(wall.plus_secs(3_664), steady + Duration::from_secs(65)), "a sleep");
        assert!(jump.check(wall.plus_secs(100), steady + Duration::from_secs(69)), "a clock set back");
        assert!(!jump.check(wall.plus_secs(104), steady + Duration::from_secs(73)));
    }
}
