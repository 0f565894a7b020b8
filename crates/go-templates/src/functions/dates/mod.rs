//! Times and durations. A time is a text as Go writes one, `2026-07-01 10:00:00 +0200 CEST`. A number is the seconds since
//! 1970, and anything else is now, as in sprig.

mod duration;
mod layout;

use chrono::{DateTime, FixedOffset, Local, Offset, TimeDelta, TimeZone, Utc};
use chrono_tz::{OffsetName, Tz};
use gotmpl::{Result, Value};

use super::numbers::whole;
use super::{Function, argument, failed, text_of, text_value};

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("now", now),
    ("date", date),
    ("dateInZone", date_in_zone),
    ("date_in_zone", date_in_zone),
    ("dateModify", date_modify),
    ("date_modify", date_modify),
    ("mustDateModify", must_date_modify),
    ("must_date_modify", must_date_modify),
    ("htmlDate", html_date),
    ("htmlDateInZone", html_date_in_zone),
    ("toDate", to_date),
    ("mustToDate", must_to_date),
    ("unixEpoch", unix_epoch),
    ("ago", ago),
    ("duration", duration),
    ("durationRound", duration_round),
];

/// How Go writes a time.
const GO_TIME: &str = "2006-01-02 15:04:05.999999999 -0700 MST";
/// The date alone, as HTML's fields for dates have it.
const HTML_DATE: &str = "2006-01-02";
/// Bytes of a layout, and of a text that is read with one.
const MAX_BYTES: usize = 256;

/// A time in a zone.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Moment {
    at: DateTime<FixedOffset>,
    /// The abbreviation of the zone's name.
    zone: String,
}

impl Moment {
    /// A time in the zone of this machine, or in one by its name in the IANA's database; an unknown one is UTC.
    fn in_zone(at: DateTime<Utc>, zone: &str) -> Self {
        if zone == "Local" {
            return Self::here(&at.with_timezone(&Local));
        }
        let zoned = at.with_timezone(&zone.parse().unwrap_or(Tz::UTC));
        let name = zoned.offset().abbreviation().unwrap_or("UTC").to_owned();
        Self { at: zoned.fixed_offset(), zone: name }
    }

    /// A time of this machine, whose zone has no name but that of UTC.
    fn here(at: &DateTime<Local>) -> Self {
        Self::with_offset(at.fixed_offset())
    }

    fn with_offset(at: DateTime<FixedOffset>) -> Self {
        let offset = at.offset().fix();
        let zone = if offset.local_minus_utc() == 0 { "UTC".to_owned() } else { offset.to_string() };
        Self { at, zone }
    }

    fn now() -> Self {
        Self::here(&Local::now())
    }

    /// The beginning of Go's calendar, which stands for a time that can't be read.
    fn zero() -> Self {
        let at = Utc.with_ymd_and_hms(1, 1, 1, 0, 0, 0).single().unwrap_or_default();
        Self::with_offset(at.fixed_offset())
    }

    /// The time that a value stands for, if it does for one.
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => Self::read(GO_TIME, text)
                .or_else(|| DateTime::parse_from_rfc3339(text).ok().map(Self::with_offset)),
            Value::Int(_) | Value::Uint(_) | Value::Float(_) => {
                Some(Self::here(&DateTime::from_timestamp(whole(value)?, 0)?.with_timezone(&Local)))
            }
            _ => None,
        }
    }

    /// Reads a text in a layout; what the layout does not say is as little as it can be, in the zone of this machine.
    fn read(layout: &str, text: &str) -> Option<Self> {
        if layout.len() > MAX_BYTES || text.len() > MAX_BYTES {
            return None;
        }
        layout::read(layout, text)
    }

    /// This time in a layout, as a value.
    fn written(&self, layout: &str) -> Result<Value> {
        if layout.len() > MAX_BYTES {
            return failed("the layout of a time is too long");
        }
        text_value(layout::written(layout, self))
    }

    fn value(&self) -> Result<Value> {
        self.written(GO_TIME)
    }

    /// How long ago it is.
    fn age(&self) -> TimeDelta {
        Utc::now().signed_duration_since(self.at)
    }
}

/// An argument as a time; now if it is none.
fn moment(arguments: &[Value], index: usize) -> Moment {
    Moment::of(argument(arguments, index)).unwrap_or_else(Moment::now)
}

fn now(_: &[Value]) -> Result<Value> {
    Moment::now().value()
}

/// `date "2006-01-02" .time`.
fn date(arguments: &[Value]) -> Result<Value> {
    written_in_zone(&text_of(argument(arguments, 0))?, &moment(arguments, 1), "Local")
}

/// `dateInZone "15:04 MST" .time "Europe/Berlin"`.
fn date_in_zone(arguments: &[Value]) -> Result<Value> {
    let zone = text_of(argument(arguments, 2))?;
    written_in_zone(&text_of(argument(arguments, 0))?, &moment(arguments, 1), &zone)
}

fn html_date(arguments: &[Value]) -> Result<Value> {
    written_in_zone(HTML_DATE, &moment(arguments, 0), "Local")
}

fn html_date_in_zone(arguments: &[Value]) -> Result<Value> {
    written_in_zone(HTML_DATE, &moment(arguments, 0), &text_of(argument(arguments, 1))?)
}

fn written_in_zone(layout: &str, moment: &Moment, zone: &str) -> Result<Value> {
    Moment::in_zone(moment.at.to_utc(), zone).written(layout)
}

/// `dateModify "-1h30m" .time`; a duration that can't be read leaves the time as it is.
fn date_modify(arguments: &[Value]) -> Result<Value> {
    let from = moment(arguments, 1);
    modified(&text_of(argument(arguments, 0))?, &from).unwrap_or(from).value()
}

fn must_date_modify(arguments: &[Value]) -> Result<Value> {
    match modified(&text_of(argument(arguments, 0))?, &moment(arguments, 1)) {
        Some(moment) => moment.value(),
        None => failed("mustDateModify: this is no duration, or leads too far"),
    }
}

fn modified(by: &str, from: &Moment) -> Option<Moment> {
    let at = from.at.checked_add_signed(duration::read(by)?)?;
    Some(Moment { at, zone: from.zone.clone() })
}

/// `toDate "2006-01-02" .text`; the beginning of the year 1 if the text is otherwise.
fn to_date(arguments: &[Value]) -> Result<Value> {
    read_date(arguments)?.unwrap_or_else(Moment::zero).value()
}

fn must_to_date(arguments: &[Value]) -> Result<Value> {
    read_date(arguments)?
        .map_or_else(|| failed("mustToDate: the text is not as the layout says"), |read| read.value())
}

fn read_date(arguments: &[Value]) -> Result<Option<Moment>> {
    Ok(Moment::read(&text_of(argument(arguments, 0))?, &text_of(argument(arguments, 1))?))
}

fn unix_epoch(arguments: &[Value]) -> Result<Value> {
    text_value(moment(arguments, 0).at.timestamp().to_string())
}

/// How long ago a time is, in whole seconds: `2h3m4s`.
fn ago(arguments: &[Value]) -> Result<Value> {
    let millis = moment(arguments, 0).age().num_milliseconds();
    let seconds = (millis + 500 * millis.signum()) / 1000;
    text_value(duration::written(seconds))
}

/// `duration 95`: seconds as `1m35s`.
fn duration(arguments: &[Value]) -> Result<Value> {
    text_value(duration::written(whole(argument(arguments, 0)).unwrap_or(0)))
}

/// `durationRound "2h10m5s"`: the largest unit alone, here `2h`; of nanoseconds, or how long ago a time is.
fn duration_round(arguments: &[Value]) -> Result<Value> {
    let length = match argument(arguments, 0) {
        Value::String(text) => duration::read(text)
            .or_else(|| Some(Moment::of(argument(arguments, 0))?.age()))
            .unwrap_or_default(),
        other => TimeDelta::nanoseconds(whole(other).unwrap_or(0)),
    };
    text_value(duration::rounded(length))
}

#[cfg(test)]
mod tests {
    use gotmpl::Value;

    use crate::engine::{RenderError, render};
    use crate::json::read;

    fn filled(text: &str) -> Result<String, RenderError> {
        render(text, &Value::Nil, read)
    }

    #[test]
    fn times_are_written_in_gos_layouts() {
        for (text, expected) in [
            (r#"{{dateInZone "2006-01-02 15:04:05" 1783420972 "UTC"}}"#, "2026-07-07 10:42:52"),
            (
                r#"{{dateInZone "Mon, 2 Jan 06 3:04PM MST" 1783420972 "Europe/Berlin"}}"#,
                "Tue, 7 Jul 26 12:42PM CEST",
            ),
            (
                r#"{{dateInZone "Monday 02 January -0700 -07:00 Z07:00" 0 "America/New_York"}}"#,
                "Wednesday 31 December -0500 -05:00 -05:00",
            ),
            (r#"{{dateInZone "2006-01-02T15:04:05Z07:00" 0 "no/zone"}}"#, "1970-01-01T00:00:00Z"),
            (r#"{{dateInZone "1/2/06 _2 002 03:4:5 pm .000" 3661 "UTC"}}"#, "1/1/70  1 001 01:1:1 am .000"),
            (
                r#"{{htmlDateInZone 1783420972 "Asia/Tokyo"}} {{htmlDateInZone "2026-07-07T23:00:00Z" "Asia/Tokyo"}}"#,
                "2026-07-07 2026-07-08",
            ),
            (r#"{{dateInZone "Month _2006 %" 0 "UTC"}}"#, "Month _1970 %"),
        ] {
            assert_eq!(filled(text).as_deref(), Ok(expected), "{text}");
        }
        for local in [
            "{{date \"2006\" now}}",
            "{{htmlDate now | trunc 4}}",
            "{{now | trunc 4}}",
            "{{date \"2006\" nil}}",
        ] {
            let year: i32 = filled(local).unwrap().parse().unwrap();
            assert!(year >= 2026, "{local}");
        }
    }

    #[test]
    fn times_are_read_changed_and_compared() {
        for (text, expected) in [
            (r#"{{toDate "2006-01-02 15:04 -0700" "2026-07-07 12:00 +0200" | unixEpoch}}"#, "1783418400"),
            (
                r#"{{toDate "2006-01-02T15:04:05Z07:00" "2026-07-07T10:00:00.5Z"}}"#,
                "2026-07-07 10:00:00.5 +0000 UTC",
            ),
            (
                r#"{{toDate "Jan 2, 2006 3PM MST" "Jul 7, 2026 4PM UTC" | dateModify "-1h30m" | unixEpoch}}"#,
                "1783434600",
            ),
            (
                r#"{{$t := toDate "2006-01-02 MST" "2026-07-07 UTC"}}{{dateInZone "Monday" $t "UTC"}}"#,
                "Tuesday",
            ),
            (r#"{{toDate "2006-01-02" "tomorrow"}}"#, "0001-01-01 00:00:00 +0000 UTC"),
            (r#"{{dateModify "soon" "2026-07-07T10:00:00Z"}}"#, "2026-07-07 10:00:00 +0000 UTC"),
            ("{{duration 3725}} {{duration \"95\"}} {{duration 0}}", "1h2m5s 1m35s 0s"),
            (
                r#"{{durationRound "2h10m5s"}} {{durationRound "400h"}} {{durationRound "1.5s"}} {{durationRound 5}}"#,
                "2h 16d 1s 0s",
            ),
            (
                r#"{{now | ago}} {{dateModify "2h" now | ago | trunc 5}} {{durationRound (dateModify "-80h" now)}}"#,
                "0s -2h0m 3d",
            ),
        ] {
            assert_eq!(filled(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_or_too_long_fails_where_it_must() {
        let long = format!("{{{{date \"{}\" 0}}}}", "2".repeat(300));
        for text in [
            r#"{{mustToDate "2006-01-02" "2026-13-01"}}"#,
            r#"{{mustToDate "2006-01-02" "2026-01-01 and more"}}"#,
            r#"{{mustDateModify "soon" now}}"#,
            r#"{{mustDateModify "9000000000h" now}}"#,
            &long,
        ] {
            assert!(matches!(filled(text), Err(RenderError::Failed(_))), "{text}");
        }
    }
}
