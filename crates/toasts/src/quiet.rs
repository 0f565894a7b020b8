//! Quiet hours in local time, and times in which a calendar is busy: those in force, their end, and the next change. Clock and time zone are passed in.

use chrono::{DateTime, Datelike, Duration, NaiveDate, NaiveDateTime, NaiveTime, TimeZone};
use tidings_ipc::{BusyTime, QuietHours, QuietScope, SourceId};
use tidings_model::Stamp;

/// Days to look ahead: one more than a week, so that every weekday is covered.
const LOOKAHEAD_DAYS: i64 = 8;
/// The longest gap of a clock that is set forward, in minutes.
const MAX_CLOCK_GAP_MINUTES: i64 = 180;
/// The hour at which a pause "until tomorrow" ends.
const MORNING_HOUR: u32 = 8;

/// A time zone: converts between stamps and local time.
pub trait Zone: Send + Sync + 'static {
    /// The local time at a stamp.
    fn local_time(&self, at: Stamp) -> NaiveDateTime;
    /// The first stamp at which the local time is `wall`. If a forward change of the clock skips it, the stamp of that
    /// change.
    fn instant(&self, wall: NaiveDateTime) -> Stamp;
}

/// A [`Zone`] by the rules of a chrono time zone.
#[derive(Debug, Clone, Copy)]
pub struct ChronoZone<Z>(pub Z);

/// The desktop's time zone; it follows a change of the system's zone.
pub type SystemZone = ChronoZone<chrono::Local>;

/// The desktop's time zone.
pub const fn system() -> SystemZone {
    ChronoZone(chrono::Local)
}

impl<Z: TimeZone + Send + Sync + 'static> Zone for ChronoZone<Z> {
    fn local_time(&self, at: Stamp) -> NaiveDateTime {
        at.to_datetime().with_timezone(&self.0).naive_local()
    }

    fn instant(&self, wall: NaiveDateTime) -> Stamp {
        (0..=MAX_CLOCK_GAP_MINUTES)
            .filter_map(|minutes| wall.checked_add_signed(Duration::minutes(minutes)))
            .find_map(|wall| self.0.from_local_datetime(&wall).earliest())
            .map_or_else(
                || Stamp::from_micros(wall.and_utc().timestamp_micros()),
                |at| Stamp::from_micros(at.timestamp_micros()),
            )
    }
}

/// Quiet hours in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActiveQuietHours {
    /// The end; adjoining quiet hours are joined.
    pub until: Stamp,
    /// The least priority that makes a toast all the same; none lets no item pass.
    pub passes: Option<u8>,
}

/// One occurrence of quiet hours, such as one night.
#[derive(Debug, Clone, Copy)]
struct Occurrence {
    from: Stamp,
    to: Stamp,
    passes: Option<u8>,
}

impl Occurrence {
    fn contains(&self, at: Stamp) -> bool {
        self.from <= at && at < self.to
    }
}

fn time(minutes: u16) -> NaiveTime {
    NaiveTime::from_num_seconds_from_midnight_opt(u32::from(minutes) * 60, 0).unwrap_or_default()
}

fn occurrence(hours: &QuietHours, zone: &dyn Zone, day: NaiveDate) -> Option<Occurrence> {
    let begins = usize::try_from(day.weekday().num_days_from_monday()).ok()?;
    if !hours.on || hours.calendar.is_some() || !hours.days.get(begins).copied().unwrap_or(false) {
        return None;
    }
    let last = if hours.to <= hours.from { day.succ_opt()? } else { day };
    let from = zone.instant(day.and_time(time(hours.from)));
    let to = zone.instant(last.and_time(time(hours.to)));
    // The part that was ended early is left out.
    let from = hours.ended_until.map_or(from, |ended| from.max(Stamp::from_millis(ended)));
    (from < to).then_some(Occurrence { from, to, passes: hours.passes })
}

/// A time in which the calendar of quiet hours is busy.
fn busy(hours: &QuietHours, zone: &dyn Zone, time: BusyTime) -> Option<Occurrence> {
    let stamp = |secs: i64| {
        let wall = DateTime::from_timestamp(secs, 0)?.naive_utc();
        Some(if time.local { zone.instant(wall) } else { Stamp::from_secs(secs) })
    };
    let (from, to) = (stamp(time.from)?, stamp(time.to)?);
    let from = hours.ended_until.map_or(from, |ended| from.max(Stamp::from_millis(ended)));
    (from < to).then_some(Occurrence { from, to, passes: hours.passes })
}

fn occurrences(hours: &[QuietHours], zone: &dyn Zone, at: Stamp) -> Vec<Occurrence> {
    let today = zone.local_time(at).date();
    let by_hours = (-1..=LOOKAHEAD_DAYS)
        .filter_map(|days| today.checked_add_signed(Duration::days(days)))
        .flat_map(|day| hours.iter().filter_map(move |hours| occurrence(hours, zone, day)));
    let of_calendars = hours.iter().filter(|hours| hours.on && hours.calendar.is_some());
    let by_calendar =
        of_calendars.flat_map(|hours| hours.busy.iter().filter_map(move |time| busy(hours, zone, *time)));
    by_hours.chain(by_calendar).filter(|occurrence| occurrence.to > at).collect()
}

/// The quiet hours that hold back everything.
pub fn for_everything(hours: &[QuietHours]) -> Vec<QuietHours> {
    hours.iter().filter(|hours| hours.only.is_empty()).cloned().collect()
}

/// The quiet hours that hold back a thread of a source, by its key.
pub fn for_thread(hours: &[QuietHours], source: SourceId, key: &str) -> Vec<QuietHours> {
    hours.iter().filter(|hours| QuietScope::cover(&hours.only, source, key)).cloned().collect()
}

/// The quiet hours in force at a stamp, whatever they hold back.
///
/// ```
/// use tidings_ipc::QuietHours;
/// use tidings_toasts::quiet::{ChronoZone, in_force};
/// use tidings_model::Stamp;
///
/// let nights = [QuietHours { on: true, days: [true; 7], from: 22 * 60, to: 7 * 60, ..QuietHours::default() }];
/// let at = |text: &str| in_force(&nights, &ChronoZone(chrono::Utc), text.parse::<Stamp>().unwrap());
/// assert_eq!(at("2026-11-20T23:00:00Z").unwrap().until, "2026-11-21T07:00:00Z".parse().unwrap());
/// assert_eq!(at("2026-11-20T12:00:00Z"), None);
/// ```
///
/// Quiet hours that adjoin are joined. If several overlap, the highest of their `passes` holds.
pub fn in_force(hours: &[QuietHours], zone: &dyn Zone, at: Stamp) -> Option<ActiveQuietHours> {
    let mut occurrences = occurrences(hours, zone, at);
    let mut quiet: Option<ActiveQuietHours> = None;
    for occurrence in occurrences.iter().filter(|occurrence| occurrence.contains(at)) {
        let passes = match quiet {
            None => occurrence.passes,
            Some(quiet) => quiet.passes.zip(occurrence.passes).map(|(a, b)| a.max(b)),
        };
        quiet = Some(ActiveQuietHours {
            until: quiet.map_or(occurrence.to, |q| q.until.max(occurrence.to)),
            passes,
        });
    }
    let mut quiet = quiet?;
    occurrences.sort_by_key(|occurrence| occurrence.from);
    for occurrence in occurrences {
        if occurrence.from <= quiet.until {
            quiet.until = quiet.until.max(occurrence.to);
        }
    }
    Some(quiet)
}

/// The next time at which quiet hours begin or end.
pub fn next_change(hours: &[QuietHours], zone: &dyn Zone, at: Stamp) -> Option<Stamp> {
    occurrences(hours, zone, at)
        .into_iter()
        .flat_map(|occurrence| [occurrence.from, occurrence.to])
        .filter(|moment| *moment > at)
        .min()
}

/// The beginning of the day.
pub fn start_of_day(zone: &dyn Zone, at: Stamp) -> Stamp {
    zone.instant(zone.local_time(at).date().and_time(NaiveTime::MIN))
}

/// Eight o'clock the next morning.
pub fn tomorrow_morning(zone: &dyn Zone, at: Stamp) -> Stamp {
    let today = zone.local_time(at).date();
    let morning = NaiveTime::from_hms_opt(MORNING_HOUR, 0, 0).unwrap_or_default();
    zone.instant(today.succ_opt().unwrap_or(today).and_time(morning))
}

/// The local time of day, such as `09:41`.
pub fn clock_time(zone: &dyn Zone, at: Stamp) -> String {
    zone.local_time(at).format("%H:%M").to_string()
}

#[cfg(test)]
#[path = "quiet_tests.rs"]
mod tests;
