//! Whether archived items may be removed by their age: not while the clock may be wrong ([`tidings_model::AgeHold`]).
//!
//! The rest of the hold is in the replica's setting `age_hold`, beside the time that was seen last. The storage page
//! names it.

use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tidings_model::{AgeHold, Stamp};
use tidings_replica::Replica;

/// The key of the setting.
pub(crate) const KEY: &str = "age_hold";

/// What is stored, so that the next start can compare.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Stored {
    /// Seconds of running for which nothing is removed yet.
    pub(crate) left_secs: u64,
    /// The clock when it was last looked at.
    pub(crate) seen: Option<Stamp>,
}

impl Stored {
    /// What a replica has; one that can't be read holds nothing.
    pub(crate) fn of(replica: &Replica) -> tidings_replica::Result<Self> {
        Ok(replica.setting(KEY)?.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
    }
}

/// The time of running for which nothing is removed by age from a replica, as the app left it; zero for none.
///
/// # Errors
/// If the replica can't be read.
pub fn left(replica: &Replica) -> tidings_replica::Result<Duration> {
    Ok(Duration::from_secs(Stored::of(replica)?.left_secs))
}

/// The hold of this run, and when the clock was last looked at; `None` before the first look.
#[derive(Default)]
pub(crate) struct ClockWatch(Mutex<Option<(AgeHold, Instant)>>);

impl ClockWatch {
    /// The time of running that is left; zero if nothing holds.
    pub(crate) fn left(&self) -> Duration {
        self.0.lock().map_or(Duration::ZERO, |(hold, _)| hold.left())
    }

    pub(crate) fn look(&self, stored: Stored, now: Stamp) -> AgeHold {
        let mut state = self.0.lock();
        let at = Instant::now();
        let hold = if let Some((mut hold, looked_at)) = *state {
            hold.run(at.duration_since(looked_at), now);
            hold
        } else {
            let left = Duration::from_secs(stored.left_secs);
            AgeHold::at_start(left, stored.seen.unwrap_or(Stamp::ZERO), now)
        };
        *state = Some((hold, at));
        hold
    }
}
