//! Finds the times in which a calendar is busy, in a document in iCalendar's format (RFC 5545).
//!
//! Events that are free or cancelled are left out. A recurring event is expanded with the events that stand in place of
//! one of its occurrences; they have its UID. What has no time zone is in the reader's.

mod zones;

use std::collections::BTreeMap;

use calcard::common::timezone::Tz;
use calcard::icalendar::{
    ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarProperty, ICalendarStatus,
    ICalendarTransparency, ICalendarValue,
};
use calcard::{Entry, Parser};
use serde::{Deserialize, Serialize};

use self::zones::Zones;

/// The most occurrences of one event that are looked at, from its first one on.
const MAX_OCCURRENCES: usize = 100_000;
/// The most occurrences of all events.
const MAX_ALL_OCCURRENCES: usize = 1_000_000;
/// The most busy times; the first ones are kept.
const MAX_TIMES: usize = 1_000;

/// The time that is looked at, seconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// Its beginning.
    pub from: i64,
    /// Its end.
    pub to: i64,
}

/// A time in which a calendar is busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BusyTime {
    /// Whether begin and end are local times of the reader, as those of a whole day: seconds since 1970 as if in UTC.
    pub local: bool,
    /// The beginning, seconds since 1970.
    pub from: i64,
    /// The end.
    pub to: i64,
}

/// Why there are no busy times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Unreadable {
    /// It is no calendar.
    Malformed,
    /// It has too much.
    Excess,
}

/// The busy times in a document, in their order; those that overlap are joined.
pub(super) fn busy(text: &str, window: Window) -> Result<Vec<BusyTime>, Unreadable> {
    let calendars = calendars(text)?;
    let (mut times, mut left) = (Vec::new(), MAX_ALL_OCCURRENCES);
    for calendar in &calendars {
        for event in events(calendar) {
            let found = event.expand_dates(Tz::Floating, MAX_OCCURRENCES.min(left)).events;
            left = left.checked_sub(found.len()).filter(|left| *left > 0).ok_or(Unreadable::Excess)?;
            let busy: Vec<bool> = event.components.iter().map(is_busy).collect();
            for occurrence in found {
                let component = usize::try_from(occurrence.comp_id).ok().and_then(|id| busy.get(id));
                if component != Some(&true) {
                    continue;
                }
                let local = occurrence.start.timezone().is_floating();
                let (from, to) = occurrence.timestamps();
                if from < to && to > window.from && from < window.to {
                    times.push(BusyTime { local, from, to });
                }
            }
        }
    }
    Ok(joined(times))
}

/// The calendars of a document: at least one.
fn calendars(text: &str) -> Result<Vec<ICalendar>, Unreadable> {
    let (mut parser, mut calendars) = (Parser::new(text), Vec::new());
    loop {
        match parser.entry() {
            Entry::ICalendar(calendar) => calendars.push(calendar),
            Entry::TooManyComponents => return Err(Unreadable::Excess),
            Entry::Eof if calendars.is_empty() => return Err(Unreadable::Malformed),
            Entry::Eof => return Ok(calendars),
            _ if calendars.is_empty() => return Err(Unreadable::Malformed),
            _ => return Ok(calendars),
        }
    }
}

/// The events of a calendar, each with its exceptions and with the time zones that they name.
fn events(calendar: &ICalendar) -> impl Iterator<Item = ICalendar> {
    let zones = Zones::of(calendar);
    let mut by_uid: BTreeMap<(Option<&str>, usize), Vec<ICalendarComponent>> = BTreeMap::new();
    for (at, component) in calendar.components.iter().enumerate() {
        if component.component_type != ICalendarComponentType::VEvent {
            continue;
        }
        let uid = text_of(component, &ICalendarProperty::Uid);
        let key = (uid, if uid.is_some() { 0 } else { at });
        let mut component = component.clone();
        // What stands in place of an occurrence may have been edited more often than the event.
        component.entries.retain(|entry| entry.name != ICalendarProperty::Sequence);
        component.component_ids.clear();
        by_uid.entry(key).or_default().push(component);
    }
    by_uid.into_values().map(move |mut components| {
        components.extend(zones.named_by(&components));
        ICalendar { components }
    })
}

fn text_of<'c>(component: &'c ICalendarComponent, name: &ICalendarProperty) -> Option<&'c str> {
    let entry = component.entries.iter().find(|entry| entry.name == *name)?;
    match entry.values.first()? {
        ICalendarValue::Text(text) => Some(text),
        _ => None,
    }
}

/// Whether an event takes time: it is neither free nor cancelled, and does not end as it begins.
fn is_busy(event: &ICalendarComponent) -> bool {
    let (mut takes_time, mut has_time) = (false, false);
    for entry in &event.entries {
        match (&entry.name, entry.values.first()) {
            (
                _,
                Some(
                    ICalendarValue::Transparency(ICalendarTransparency::Transparent)
                    | ICalendarValue::Status(ICalendarStatus::Cancelled),
                ),
            ) => return false,
            (ICalendarProperty::Other(name), Some(ICalendarValue::Text(text)))
                if name.eq_ignore_ascii_case("X-MICROSOFT-CDO-BUSYSTATUS")
                    && text.eq_ignore_ascii_case("FREE") =>
            {
                return false;
            }
            (ICalendarProperty::Dtend | ICalendarProperty::Duration, Some(_)) => takes_time = true,
            (ICalendarProperty::Dtstart, Some(ICalendarValue::PartialDateTime(at))) => {
                has_time = at.has_time();
            }
            _ => {}
        }
    }
    // Without an end, one on a date takes the whole day, and one at a time takes none.
    takes_time || !has_time
}

/// The times in their order, those that overlap or adjoin as one.
fn joined(mut times: Vec<BusyTime>) -> Vec<BusyTime> {
    times.sort_unstable();
    let mut all: Vec<BusyTime> = Vec::new();
    for time in times {
        match all.last_mut().filter(|last| last.local == time.local && time.from <= last.to) {
            Some(last) => last.to = last.to.max(time.to),
            None => all.push(time),
        }
    }
    all.sort_unstable_by_key(|time| time.from);
    all.truncate(MAX_TIMES);
    all
}

#[cfg(test)]
#[path = "busy_tests.rs"]
mod tests;
