//! The hold on deletion by age: a clock that may be wrong deletes nothing. Code that deletes by age asks here first.
//!
//! A start more than 7 days past the newest stamp begins a hold of 24 hours of running. So does a clock that runs 7
//! days further than the monotonic one. The data of removed users and revoked tokens is deleted meanwhile, because
//! that goes by no clock.

use std::time::Duration;

use crate::Stamp;

/// How far a clock may run ahead of the last known time before nothing is deleted by age, seconds: 7 days.
pub const JUMP_SECS: i64 = 7 * 24 * 3_600;
/// The time of running for which nothing is deleted by age after such a jump: 24 hours.
pub const HOLD: Duration = Duration::from_secs(24 * 3_600);

/// How much longer nothing may be deleted by age. The owner stores [`AgeHold::left`], so that a restart does not end
/// the hold.
///
/// ```
/// use std::time::Duration;
/// use tidings_model::{AgeHold, Stamp};
///
/// let (newest, in_a_year) = (Stamp::from_secs(1_000_000), Stamp::from_secs(33_000_000));
/// let mut hold = AgeHold::at_start(Duration::ZERO, newest, in_a_year);
/// assert!(hold.is_in_force());
/// hold.run(Duration::from_secs(25 * 3_600), in_a_year.plus_secs(25 * 3_600));
/// assert!(!hold.is_in_force());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgeHold {
    left: Duration,
    /// The clock when it was last looked at.
    seen: Stamp,
}

impl AgeHold {
    /// The hold of a program that starts: `left` is what the last run stored, `newest` the newest stamp that is known,
    /// zero if there is none. A clock more than [`JUMP_SECS`] past `newest` begins a new hold.
    pub fn at_start(left: Duration, newest: Stamp, now: Stamp) -> Self {
        let jumped = newest > Stamp::ZERO && now > newest.plus_secs(JUMP_SECS);
        Self { left: if jumped { HOLD } else { left.min(HOLD) }, seen: now }
    }

    /// No hold, whatever the clock says: somebody looked at it.
    pub fn ended(now: Stamp) -> Self {
        Self { left: Duration::ZERO, seen: now }
    }

    /// Counts `ran`, the time that passed by a clock that nobody sets, and looks at the clock again. A clock that ran
    /// [`JUMP_SECS`] further than that begins a new hold.
    pub fn run(&mut self, ran: Duration, now: Stamp) {
        let ran_secs = i64::try_from(ran.as_secs()).unwrap_or(i64::MAX);
        let expected = self.seen.plus_secs(ran_secs.saturating_add(JUMP_SECS));
        self.left = if now > expected { HOLD } else { self.left.saturating_sub(ran) };
        self.seen = now;
    }

    /// Whether nothing may be deleted by age now.
    pub fn is_in_force(&self) -> bool {
        !self.left.is_zero()
    }

    /// The time of running that is left; zero if nothing holds.
    pub fn left(&self) -> Duration {
        self.left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 24 * 3_600;
    const NOW: Stamp = Stamp::from_secs(1_800_000_000);
    const HOUR: Duration = Duration::from_secs(3_600);

    #[test]
    fn a_clock_a_week_past_the_newest_stamp_holds_for_a_day_of_running() {
        for (newest, is_held) in [
            (NOW, false),
            (NOW.plus_secs(-7 * DAY), false),
            (NOW.plus_secs(-7 * DAY - 1), true),
            (NOW.plus_secs(400 * DAY), false),
            (Stamp::ZERO, false),
        ] {
            assert_eq!(AgeHold::at_start(Duration::ZERO, newest, NOW).is_in_force(), is_held, "{newest}");
        }
        let mut hold = AgeHold::at_start(Duration::ZERO, NOW.plus_secs(-30 * DAY), NOW);
        for hour in 1..24 {
            hold.run(HOUR, NOW.plus_secs(hour * 3_600));
            assert!(hold.is_in_force(), "after {hour} hours");
        }
        hold.run(HOUR, NOW.plus_secs(DAY));
        assert!(!hold.is_in_force());
    }

    #[test]
    fn a_restart_does_not_end_a_hold() {
        let mut hold = AgeHold::at_start(Duration::ZERO, NOW, NOW.plus_secs(365 * DAY));
        hold.run(HOUR, NOW.plus_secs(365 * DAY + 3_600));
        // What was published meanwhile has a stamp by the wrong clock, so that the start itself finds nothing odd.
        let newest = NOW.plus_secs(365 * DAY + 3_000);
        let again = AgeHold::at_start(hold.left(), newest, newest.plus_secs(60));
        assert_eq!(again.left(), Duration::from_secs(23 * 3_600));
    }

    #[test]
    fn a_clock_that_jumps_while_the_program_runs_holds_too() {
        let mut hold = AgeHold::at_start(Duration::ZERO, NOW, NOW);
        hold.run(HOUR, NOW.plus_secs(3_600 + 6 * DAY));
        assert!(!hold.is_in_force(), "six days are a suspended machine");
        hold.run(HOUR, NOW.plus_secs(300 * DAY));
        assert_eq!(hold.left(), HOLD);
        hold.run(HOUR, NOW.plus_secs(3 * 3_600));
        assert!(hold.is_in_force(), "a clock that is put back does not end it");
    }

    #[test]
    fn a_clock_that_runs_exactly_a_week_further_holds_nothing() {
        for (secs, is_held) in [(0, false), (1, true)] {
            let mut hold = AgeHold::at_start(Duration::ZERO, NOW, NOW);
            hold.run(HOUR, NOW.plus_secs(3_600 + 7 * DAY + secs));
            assert_eq!(hold.is_in_force(), is_held, "{secs} seconds more");
        }
    }
}
