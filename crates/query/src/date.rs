//! Days, months and years in a query. The start of a day is computed by a function that the caller passes in.

use std::fmt;

use chrono::{Datelike, Days, Local, Months, NaiveDate, NaiveTime, TimeZone};
use tidings_model::Stamp;

/// Computes the start of a day.
pub type Midnight = fn(NaiveDate) -> Stamp;

/// The start of a day in this computer's time zone.
pub fn local_midnight(day: NaiveDate) -> Stamp {
    // If the clocks go forward at midnight, the day begins an hour later.
    let begin = (0..24_u32).find_map(|hour| {
        let time = NaiveTime::from_hms_opt(hour, 0, 0)?;
        Local.from_local_datetime(&day.and_time(time)).earliest()
    });
    begin.map_or(Stamp::ZERO, |at| Stamp::from_micros(at.timestamp_micros()))
}

/// A day, a month or a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Date {
    /// `2026-11-01`
    Day(NaiveDate),
    /// `2026-11`, by its first day.
    Month(NaiveDate),
    /// `2026`, by its first day.
    Year(NaiveDate),
}

impl Date {
    /// Parses `2026-11-01`, `2026-11`, `2026`, also `2026年11月1日`.
    pub fn parse(text: &str) -> Option<Self> {
        let plain = text.replace(['年', '月'], "-").replace('日', "");
        let mut parts = plain.trim_end_matches('-').split('-');
        let year = parts.next().filter(|year| year.len() == 4)?;
        let (month, day) = (parts.next(), parts.next());
        if parts.next().is_some() || plain.starts_with('-') {
            return None;
        }
        let year: i32 = number(year)?.try_into().ok()?;
        let first = |month, day| NaiveDate::from_ymd_opt(year, month, day).filter(|date| date.year() > 0);
        match (month, day) {
            (None, _) => first(1, 1).map(Self::Year),
            (Some(month), None) => first(number(month)?, 1).map(Self::Month),
            (Some(month), Some(day)) => first(number(month)?, number(day)?).map(Self::Day),
        }
    }

    /// The start of the period.
    pub fn start(self, midnight: Midnight) -> Stamp {
        let (Self::Day(first) | Self::Month(first) | Self::Year(first)) = self;
        midnight(first)
    }

    /// The end of the period: the start of the next one.
    pub fn end(self, midnight: Midnight) -> Stamp {
        let next = match self {
            Self::Day(day) => day.checked_add_days(Days::new(1)),
            Self::Month(first) => first.checked_add_months(Months::new(1)),
            Self::Year(first) => first.checked_add_months(Months::new(12)),
        };
        next.map_or(Stamp::MAX, midnight)
    }
}

/// A number of one to four digits.
fn number(text: &str) -> Option<u32> {
    let digits = (1..=4).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Day(day) => write!(f, "{:04}-{:02}-{:02}", day.year(), day.month(), day.day()),
            Self::Month(day) => write!(f, "{:04}-{:02}", day.year(), day.month()),
            Self::Year(day) => write!(f, "{:04}", day.year()),
        }
    }
}
