//! How often the page may ask for what reaches outside of the program: other programs, other machines, dialogs.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// The most such calls at once.
const BURST: u32 = 60;
/// After this time one more may follow.
const EACH: Duration = Duration::from_secs(1);

/// The calls of the page that reach outside, counted. A person is never that fast; a page that runs a stranger's code is.
#[derive(Default)]
pub(crate) struct CallRate {
    /// The time at which all calls are forgotten.
    forgotten: Mutex<Option<Instant>>,
}

impl CallRate {
    /// Counts a call; false if there were too many.
    pub(crate) fn take(&self, now: Instant) -> bool {
        let mut forgotten = self.forgotten.lock();
        let next = forgotten.filter(|at| *at > now).unwrap_or(now) + EACH;
        let fits = next <= now + EACH * BURST;
        if fits {
            *forgotten = Some(next);
        }
        fits
    }

    /// Forgets all calls, for tests that make many.
    #[cfg(test)]
    pub(crate) fn forget(&self) {
        *self.forgotten.lock() = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixty_at_once_and_then_one_a_second() {
        let (rate, start) = (CallRate::default(), Instant::now());
        let taken = |at: Instant| (0..100).filter(|_| rate.take(at)).count();
        assert_eq!(taken(start), 60);
        assert_eq!(taken(start + Duration::from_millis(999)), 0);
        assert_eq!(taken(start + Duration::from_secs(3)), 3);
        assert_eq!(taken(start + Duration::from_secs(3_600)), 60);
    }
}
