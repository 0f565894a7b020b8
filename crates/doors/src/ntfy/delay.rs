//! Parses the delay of a publication: a Unix time, a duration, or a few English phrases, from 10 seconds to 3 days
//! ahead as with ntfy.

use chrono::{Datelike, Days, NaiveTime, TimeZone, Utc, Weekday};
use tidings_model::Stamp;
use tidings_server_core::domain::limits;

use super::error::{DELAY_TOO_LARGE, DELAY_TOO_SMALL, DELAY_UNPARSABLE, NtfyError};

/// The time at which a publication with this delay is due.
pub(super) fn parse_due(text: &str, now: Stamp) -> Result<Stamp, NtfyError> {
    let at = parse(text, now).ok_or(DELAY_UNPARSABLE)?;
    let ahead = at.as_secs().saturating_sub(now.as_secs());
    if ahead < limits::DELAY_MIN_SECS {
        return Err(DELAY_TOO_SMALL);
    }
    if ahead > limits::DELAY_MAX_SECS {
        return Err(DELAY_TOO_LARGE);
    }
    Ok(at)
}

/// The time that a text means, counted from `now` if it is a duration.
pub(super) fn parse(text: &str, now: Stamp) -> Option<Stamp> {
    let text = text.trim().to_ascii_lowercase();
    let unix = text.parse().ok().map(Stamp::from_secs);
    unix.or_else(|| parse_duration(&text).map(|secs| now.plus_secs(secs)))
        .or_else(|| parse_phrase(&text, now))
}

/// Parses a duration in seconds: `30m`, `2h30m`, `1 hour`, `in 20 min`.
fn parse_duration(text: &str) -> Option<i64> {
    let text = text.strip_prefix("in ").unwrap_or(text);
    let text: String = text.chars().filter(|c| !c.is_whitespace() && *c != ',').collect();
    let mut rest = text.as_str();
    let mut total: i64 = 0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let (number, tail) = rest.split_at(digits);
        let letters = tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(letters);
        let secs = match unit {
            "s" | "sec" | "secs" | "second" | "seconds" => 1,
            "m" | "min" | "mins" | "minute" | "minutes" => 60,
            "h" | "hour" | "hours" => 3_600,
            "d" | "day" | "days" => 86_400,
            _ => return None,
        };
        total = total.checked_add(number.parse::<i64>().ok()?.checked_mul(secs)?)?;
        rest = tail;
    }
    (!text.is_empty()).then_some(total)
}

/// Parses a day, a time or both, in UTC: `tomorrow, 10am`, `10:30`, `monday 9am`, `tomorrow`.
fn parse_phrase(text: &str, now: Stamp) -> Option<Stamp> {
    let now = now.to_datetime();
    let mut day = None;
    let mut time = None;
    for word in text.split([',', ' ']).filter(|w| !w.is_empty() && *w != "at" && *w != "next" && *w != "on") {
        if word == "tomorrow" {
            day = now.date_naive().checked_add_days(Days::new(1));
        } else if word == "today" {
            day = Some(now.date_naive());
        } else if let Ok(weekday) = word.parse::<Weekday>() {
            let ahead = (7 + weekday.num_days_from_monday() - now.weekday().num_days_from_monday()) % 7;
            day = now.date_naive().checked_add_days(Days::new(if ahead == 0 { 7 } else { ahead.into() }));
        } else {
            time = Some(parse_clock_time(word)?);
        }
    }
    let at = match (day, time) {
        (Some(day), time) => day.and_time(time.unwrap_or(now.time())),
        (None, Some(time)) if time > now.time() => now.date_naive().and_time(time),
        (None, Some(time)) => now.date_naive().checked_add_days(Days::new(1))?.and_time(time),
        (None, None) => return None,
    };
    Some(Utc.from_utc_datetime(&at).into())
}

/// Parses a time of day: `10am`, `10:30`, `10:30pm`.
fn parse_clock_time(word: &str) -> Option<NaiveTime> {
    let (digits, twelve_hour_offset) = match (word.strip_suffix("am"), word.strip_suffix("pm")) {
        (Some(rest), _) => (rest, Some(0)),
        (_, Some(rest)) => (rest, Some(12)),
        _ => (word, None),
    };
    let (hour, minute) = match digits.split_once(':') {
        Some((h, m)) => (h.parse::<u32>().ok()?, m.parse().ok()?),
        None if twelve_hour_offset.is_some() => (digits.parse::<u32>().ok()?, 0),
        None => return None,
    };
    let hour = match twelve_hour_offset {
        Some(twelve_hour_offset) if (1..=12).contains(&hour) => hour % 12 + twelve_hour_offset,
        Some(_) => return None,
        None => hour,
    };
    NaiveTime::from_hms_opt(hour, minute, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delay_is_a_time_a_duration_or_a_few_words() {
        // A Friday.
        let now: Stamp = "2026-11-20T08:00:00Z".parse().unwrap();
        let at = |text: &str| parse_due(text, now).map(|s| s.to_string());
        assert_eq!(at("30m").unwrap(), "2026-11-20T08:30:00.000000Z");
        assert_eq!(at("2h30m").unwrap(), "2026-11-20T10:30:00.000000Z");
        assert_eq!(at("in 20 min").unwrap(), "2026-11-20T08:20:00.000000Z");
        assert_eq!(at("tomorrow, 10am").unwrap(), "2026-11-21T10:00:00.000000Z");
        assert_eq!(at("tuesday 7:15").unwrap_err().code(), 40006);
        assert_eq!(at("sunday 7:15pm").unwrap(), "2026-11-22T19:15:00.000000Z");
        assert_eq!(at("7am").unwrap(), "2026-11-21T07:00:00.000000Z");
        assert_eq!(at(&(now.as_secs() + 60).to_string()).unwrap(), "2026-11-20T08:01:00.000000Z");
        assert_eq!(at("3s").unwrap_err().code(), 40005);
        assert_eq!(at("9d").unwrap_err().code(), 40006);
        for bad in ["", "soon", "10 parsecs", "25:99", "13pm", "99999999999999999999h"] {
            assert_eq!(at(bad).unwrap_err().code(), 40004, "{bad}");
        }
    }
}
