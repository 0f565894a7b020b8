//! Stamps: times in UTC that are also positions in a server's history.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A time in microseconds since 1970 UTC. As text it is RFC 3339 with six decimals (`2026-11-20T06:14:00.123456Z`),
/// so that texts sort in the order of time.
///
/// ```
/// use tidings_model::Stamp;
///
/// let stamp: Stamp = "2026-11-20T08:14:00+02:00".parse()?;
/// assert_eq!(stamp.to_string(), "2026-11-20T06:14:00.000000Z");
/// # Ok::<_, tidings_model::stamp::InvalidTime>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
pub struct Stamp(i64);

/// A text that is not an RFC 3339 time of the years 0000 to 9999.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an RFC 3339 time such as 2026-11-20T06:14:00Z")]
pub struct InvalidTime(pub String);

/// The last microsecond of the year 9999: RFC 3339 has four digits for a year.
const LAST: i64 = 253_402_300_799_999_999;
/// The first microsecond of the year 0000.
const FIRST: i64 = -62_167_219_200_000_000;

impl Stamp {
    /// The time 1970-01-01T00:00:00Z.
    pub const ZERO: Self = Self(0);
    /// The last microsecond of the year 9999.
    pub const MAX: Self = Self(LAST);

    /// The stamp of a number of microseconds since 1970, clamped to the years 0000 to 9999.
    pub const fn from_micros(micros: i64) -> Self {
        if micros > LAST {
            Self(LAST)
        } else if micros < FIRST {
            Self(FIRST)
        } else {
            Self(micros)
        }
    }

    /// The stamp of a number of milliseconds since 1970, as JavaScript counts time.
    pub const fn from_millis(millis: i64) -> Self {
        Self::from_micros(millis.saturating_mul(1_000))
    }

    /// The stamp of a number of seconds since 1970, as ntfy and Unix count time.
    pub const fn from_secs(secs: i64) -> Self {
        Self::from_micros(secs.saturating_mul(1_000_000))
    }

    /// The number of microseconds since 1970.
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// The number of milliseconds since 1970, rounded down.
    pub const fn as_millis(self) -> i64 {
        self.0.div_euclid(1_000)
    }

    /// The number of seconds since 1970, rounded down.
    pub const fn as_secs(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// The next stamp of a server whose last one is `self`: `now`, or one microsecond after `self` if `now` is not
    /// later.
    ///
    /// ```
    /// use tidings_model::Stamp;
    ///
    /// let last = Stamp::from_micros(50);
    /// assert_eq!(last.next(Stamp::from_micros(90)), Stamp::from_micros(90));
    /// assert_eq!(last.next(Stamp::from_micros(10)), Stamp::from_micros(51));
    /// ```
    #[must_use]
    pub const fn next(self, now: Self) -> Self {
        if now.0 > self.0 { now } else { self.plus_micros(1) }
    }

    /// This time plus `micros` microseconds, which may be negative.
    #[must_use]
    pub const fn plus_micros(self, micros: i64) -> Self {
        Self::from_micros(self.0.saturating_add(micros))
    }

    /// This time plus `secs` seconds, which may be negative.
    #[must_use]
    pub const fn plus_secs(self, secs: i64) -> Self {
        self.plus_micros(secs.saturating_mul(1_000_000))
    }

    /// This time as a `chrono` time.
    pub fn to_datetime(self) -> DateTime<Utc> {
        DateTime::from_timestamp_micros(self.0).unwrap_or_default()
    }
}

impl From<DateTime<Utc>> for Stamp {
    fn from(time: DateTime<Utc>) -> Self {
        Self::from_micros(time.timestamp_micros())
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_datetime().to_rfc3339_opts(SecondsFormat::Micros, true))
    }
}

impl fmt::Debug for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Stamp {
    type Err = InvalidTime;

    /// Parses an RFC 3339 time with any offset; digits beyond microseconds are cut off.
    fn from_str(text: &str) -> Result<Self, InvalidTime> {
        let time = DateTime::parse_from_rfc3339(text).map_err(|_| InvalidTime(text.to_owned()))?;
        let micros = time.timestamp_micros();
        if (FIRST..=LAST).contains(&micros) { Ok(Self(micros)) } else { Err(InvalidTime(text.to_owned())) }
    }
}

impl Serialize for Stamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Stamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'_, str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_has_exactly_six_digits_and_sorts_as_text() {
        let a = Stamp::from_micros(1_000_000);
        assert_eq!(a.to_string(), "1970-01-01T00:00:01.000000Z");
        let b: Stamp = "2026-11-20T06:14:00.123456Z".parse().unwrap();
        assert_eq!(b.to_string(), "2026-11-20T06:14:00.123456Z");
        assert!(a.to_string() < b.to_string());
    }

    #[test]
    fn any_rfc_3339_time_is_taken_and_given_back_in_utc() {
        let t: Stamp = "2026-11-20T08:14:00+02:00".parse().unwrap();
        assert_eq!(t.to_string(), "2026-11-20T06:14:00.000000Z");
        assert!("yesterday".parse::<Stamp>().is_err());
        assert_eq!(
            serde_json::from_str::<Stamp>("\"1970-01-01T00:00:00.1Z\"").unwrap(),
            Stamp::from_micros(100_000)
        );
    }

    #[test]
    fn stamps_grow_even_when_the_clock_stands_or_jumps_back() {
        let last = Stamp::from_micros(50);
        assert_eq!(last.next(Stamp::from_micros(10)), Stamp::from_micros(51));
        assert_eq!(last.next(Stamp::from_micros(50)), Stamp::from_micros(51));
        assert_eq!(last.next(Stamp::from_micros(90)), Stamp::from_micros(90));
    }

    #[test]
    fn a_time_beyond_four_digits_of_a_year_is_the_first_or_the_last_of_them() {
        let (first, last) = ("0000-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z");
        for (micros, text) in [(i64::MIN, first), (FIRST - 1, first), (LAST + 1, last), (i64::MAX, last)] {
            assert_eq!(Stamp::from_micros(micros).to_string(), text);
        }
        for text in [first, last] {
            assert_eq!(text.parse::<Stamp>().unwrap().to_string(), text);
        }
        assert!("9999-12-31T23:59:59Z".parse::<Stamp>().unwrap() < Stamp::MAX);
        assert!("9999-12-31T23:59:59-01:00".parse::<Stamp>().is_err(), "in UTC it has five digits");
        assert_eq!(Stamp::MAX.next(Stamp::MAX), Stamp::MAX);
    }

    #[test]
    fn a_stamp_is_given_in_each_unit_and_rounded_down() {
        let before = Stamp::from_micros(-1);
        assert_eq!((before.as_micros(), before.as_millis(), before.as_secs()), (-1, -1, -1));
        let stamp = Stamp::from_micros(7_654_321);
        assert_eq!((stamp.as_micros(), stamp.as_millis(), stamp.as_secs()), (7_654_321, 7_654, 7));
        assert_eq!(
            (Stamp::from_millis(7_654), Stamp::from_secs(7)),
            (stamp.plus_micros(-321), before.plus_micros(7_000_001))
        );
        assert_eq!((Stamp::from(stamp.to_datetime()), format!("{stamp:?}")), (stamp, stamp.to_string()));
    }
}
