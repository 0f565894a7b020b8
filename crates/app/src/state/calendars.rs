//! The last answers of the calendars of quiet hours. They are kept in the replica, so that they count without a
//! network, too.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tidings_ipc::{BusyTime, CalendarReading, CalendarTrouble, QuietHours};
use tidings_model::{Clock, Stamp};
use tidings_sources::calendar::{self, Validators, Window};

/// The key of the calendars' answers in the replica.
pub(crate) const CALENDARS_KEY: &str = "calendars";

/// The time after which a calendar is asked again, seconds.
const REFRESH_SECS: i64 = 30 * 60;
/// The same after its server did not give it.
const RETRY_SECS: i64 = 5 * 60;
/// The time after which a calendar that did not change is read anew, because the window moved on, seconds.
const REREAD_SECS: i64 = 7 * 24 * 3_600;
/// The window of busy times, seconds before and after now.
const WINDOW_SECS: (i64, i64) = (2 * 24 * 3_600, 100 * 24 * 3_600);

/// A calendar's answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct KnownCalendar {
    busy: Vec<BusyTime>,
    validators: Validators,
    /// When it was last read whole, and when it last answered.
    parsed_at: Option<Stamp>,
    read_at: Option<Stamp>,
    tried_at: Option<Stamp>,
    trouble: Option<CalendarTrouble>,
}

/// The calendars' answers, by address.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct KnownCalendars(BTreeMap<String, KnownCalendar>);

impl KnownCalendars {
    /// From the stored value; nothing is known if it can't be read.
    pub(crate) fn read(value: Option<serde_json::Value>) -> Self {
        value.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
    }

    /// Gives quiet hours of calendars their busy times.
    pub(crate) fn fill(&self, quiet: &mut [QuietHours]) {
        for hours in quiet {
            let known = hours.calendar.as_ref().and_then(|address| self.0.get(address));
            hours.busy = known.map(|known| known.busy.clone()).unwrap_or_default();
        }
    }

    /// The known answers, after the calendars of quiet hours that are due were asked.
    pub(crate) async fn refreshed(&self, quiet: &[QuietHours], clock: &Arc<dyn Clock>) -> Self {
        let mut known = Self::default();
        for hours in quiet {
            let Some(address) = hours.calendar.clone().filter(|address| !address.is_empty()) else {
                continue;
            };
            if known.0.contains_key(&address) {
                continue;
            }
            let mut one = self.0.get(&address).cloned().unwrap_or_default();
            if hours.on && one.due_at(clock.now()) <= clock.now() {
                one.refresh(&address, Arc::clone(clock)).await;
            }
            known.0.insert(address, one);
        }
        known
    }

    /// When the calendars of quiet hours were read, and what is wrong with them.
    pub(crate) fn readings(&self, quiet: &[QuietHours]) -> Vec<CalendarReading> {
        let reading = |(at, hours): (u32, &QuietHours)| {
            let known = self.0.get(hours.calendar.as_ref().filter(|_| hours.on)?);
            let (read_at, trouble) = known.map(|known| (known.read_at, known.trouble)).unwrap_or_default();
            Some(CalendarReading { at, read_at: read_at.map(Stamp::as_millis), trouble })
        };
        (0..).zip(quiet).filter_map(reading).collect()
    }
}

impl KnownCalendar {
    /// When it is to be asked again; a time of a clock that was ahead does not count.
    fn due_at(&self, now: Stamp) -> Stamp {
        let is_soon = self.trouble.is_some_and(|trouble| !trouble.is_of_document());
        let secs = if is_soon { RETRY_SECS } else { REFRESH_SECS };
        self.tried_at.filter(|tried| *tried <= now).map_or(now, |tried| tried.plus_secs(secs))
    }

    /// Asks the calendar.
    async fn refresh(&mut self, address: &str, clock: Arc<dyn Clock>) {
        let now = clock.now();
        self.tried_at = Some(now);
        if self.parsed_at.is_none_or(|parsed| parsed > now || now > parsed.plus_secs(REREAD_SECS)) {
            self.validators = Validators::default();
        }
        let window =
            Window { from: now.as_secs() - WINDOW_SECS.0, to: now.as_secs().saturating_add(WINDOW_SECS.1) };
        match calendar::fetch(address, &mut self.validators, window, clock).await {
            Ok(Some(busy)) => {
                self.busy = busy.into_iter().map(BusyTime::from).collect();
                (self.parsed_at, self.read_at, self.trouble) = (Some(now), Some(now), None);
            }
            Ok(None) => (self.read_at, self.trouble) = (Some(now), None),
            Err(error) => {
                tracing::warn!(%error, "a calendar can't be read");
                let trouble = CalendarTrouble::of(&error);
                if trouble.is_of_document() {
                    // That it did not change would not mean that it can be read.
                    self.validators = Validators::default();
                }
                self.trouble = Some(trouble);
            }
        }
    }
}
