//! The time zones of a calendar, as far as its events need them. A zone is described once, and each event gets the name of
//! what it stands for. A copy of all descriptions for each event would take time that grows with the square of the
//! document.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use calcard::common::timezone::Tz;
use calcard::icalendar::{
    ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarEntry, ICalendarParameterName,
    ICalendarProperty,
};

/// The property with the known name of a zone that the calendar names otherwise.
const LOCATION: &str = "X-LIC-LOCATION";

/// The zones with names of the calendar's own, each with its known name.
pub(super) struct Zones<'c>(BTreeMap<&'c str, String>);

impl<'c> Zones<'c> {
    /// The zones of a calendar. Those that are known by their own name need no description.
    pub(super) fn of(calendar: &'c ICalendar) -> Self {
        let described = calendar.timezones().filter_map(ICalendarComponent::timezone);
        let others = described.filter(|(name, _)| Tz::from_str(name).is_err());
        Self(others.filter_map(|(name, zone)| Some((name, zone.name()?.into_owned()))).collect())
    }

    /// Short descriptions of the zones that some events name, each once.
    pub(super) fn named_by(&self, events: &[ICalendarComponent]) -> Vec<ICalendarComponent> {
        let entries = events.iter().flat_map(|event| &event.entries);
        let named = entries.flat_map(|entry| &entry.params);
        let named = named.filter(|parameter| parameter.name == ICalendarParameterName::Tzid);
        let names: BTreeSet<&str> = named.filter_map(|parameter| parameter.value.as_text()).collect();
        names.into_iter().filter_map(|name| Some(description(name, self.0.get(name)?))).collect()
    }
}

fn description(name: &str, known_name: &str) -> ICalendarComponent {
    let mut zone = ICalendarComponent::new(ICalendarComponentType::VTimezone);
    let location = ICalendarProperty::Other(LOCATION.to_owned());
    zone.entries = vec![
        ICalendarEntry::new(ICalendarProperty::Tzid).with_value(name.to_owned()),
        ICalendarEntry::new(location).with_value(known_name.to_owned()),
    ];
    zone
}
