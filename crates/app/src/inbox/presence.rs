//! Presence: when the reader was last at the window, and the absence for which a digest is offered.
//!
//! The page says once a minute that the reader is there. A time of 8 hours without is an absence, for which a
//! digest is offered if 20 items or more are unread since.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tidings_ipc::Away;
use tidings_model::Stamp;
use tidings_replica::Replica;

use crate::context::{Context, part};
use crate::error::Result;

/// The key of the setting.
const KEY: &str = "presence";
/// A shorter time without the reader is no absence.
const ABSENCE_SECS: i64 = 60 * 60;
/// An absence after which a digest is offered: a night.
const LONG_ABSENCE_SECS: i64 = 8 * 60 * 60;
/// The least number of unread items for which one is offered; fewer are read sooner in the list.
const LEAST_ITEMS: u64 = 20;
/// The number up to which they are counted.
const MOST_ITEMS: usize = 10_000;
/// The time between two writes while the reader is at the window.
const WRITE_SECS: i64 = 60;

/// What is kept of the reader's presence.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(default)]
struct Presence {
    /// The last time at which the reader was at the window.
    last: Option<Stamp>,
    /// The beginning of the last absence.
    absence: Option<Stamp>,
    /// Whether a digest of that absence is to be offered: it was long, and the reader has not answered yet.
    offered: bool,
}

impl Presence {
    fn read(replica: &Replica) -> tidings_replica::Result<Self> {
        let stored = replica.setting(KEY)?.and_then(|value| serde_json::from_value(value).ok());
        Ok(stored.unwrap_or_default())
    }

    fn write(self, replica: &Replica) -> tidings_replica::Result<()> {
        replica.set_setting(KEY, &serde_json::to_value(self)?)
    }

    /// The presence with the reader at the window now.
    fn present(self, now: Stamp) -> Self {
        let since = |secs: i64| self.last.filter(|last| last.plus_secs(secs) <= now);
        let long = since(LONG_ABSENCE_SECS);
        Self {
            last: Some(now),
            absence: since(ABSENCE_SECS).or(self.absence),
            offered: long.is_some() || (self.offered && since(ABSENCE_SECS).is_none()),
        }
    }

    fn away(self, replica: &Replica) -> tidings_replica::Result<Option<Away>> {
        let Some(since) = self.absence.filter(|_| self.offered) else { return Ok(None) };
        let items = replica.counted_since(since, MOST_ITEMS)?;
        Ok((items >= LEAST_ITEMS).then(|| Away { since: since.as_millis(), items }))
    }
}

part! {
    /// The reader's absences, for which digests are offered.
    pub(crate) struct Absences {
        context: Arc<Context>,
    }
}

impl Absences {
    /// Takes note that the reader is at the window. Returns a long absence with its number of items, if a digest of it
    /// is to be offered.
    pub(crate) async fn here(&self) -> Result<Option<Away>> {
        let now = self.context.now();
        self.context
            .disk(move |r| {
                let before = Presence::read(r)?;
                let after = before.present(now);
                if before.last.is_none_or(|last| last.plus_secs(WRITE_SECS) <= now || last > now) {
                    after.write(r)?;
                }
                after.away(r)
            })
            .await
    }

    /// A long absence with its number of items, as `here` returns it, whether or not the reader is here.
    pub(crate) async fn away(&self) -> Result<Option<Away>> {
        self.context.disk(|r| Presence::read(r)?.away(r)).await
    }

    /// Ends the offer of a digest: it was opened, or the reader does not want it.
    pub(crate) async fn close_away(&self) -> Result<()> {
        self.context.disk(|r| Presence { offered: false, ..Presence::read(r)? }.write(r)).await
    }

    /// The beginning of the reader's last absence.
    pub(super) async fn last_absence(&self) -> Result<Option<Stamp>> {
        self.context.disk(|r| Ok(Presence::read(r)?.absence)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hours: i64) -> Stamp {
        Stamp::from_secs(hours * 60 * 60)
    }

    #[test]
    fn only_a_long_absence_is_offered_and_a_later_one_takes_its_place() {
        let first = Presence::default().present(at(10));
        assert_eq!((first.absence, first.offered), (None, false), "nothing is known of the time before");
        let lunch = first.present(at(12));
        assert_eq!((lunch.absence, lunch.offered), (Some(at(10)), false));
        let morning = lunch.present(at(22));
        assert_eq!((morning.absence, morning.offered), (Some(at(12)), true));
        let minute = morning.present(at(22).plus_secs(60));
        assert_eq!((minute.absence, minute.offered), (Some(at(12)), true), "until it is answered");
        let noon = minute.present(at(24));
        assert_eq!((noon.absence, noon.offered), (Some(at(22).plus_secs(60)), false));
    }

    #[test]
    fn a_clock_that_went_back_is_no_absence() {
        let now = Presence { last: Some(at(30)), ..Presence::default() }.present(at(10));
        assert_eq!((now.last, now.absence, now.offered), (Some(at(10)), None, false));
    }
}
