//! Durations as Go writes them: `1h2m3.5s`.

use chrono::TimeDelta;

const SECOND: i64 = 1_000_000_000;
/// The units, in nanoseconds, by their names; one that begins as another does comes before it.
const UNITS: [(&str, i64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", SECOND),
    ("m", 60 * SECOND),
    ("h", 3_600 * SECOND),
];
/// The units in which a rounded duration is written, in seconds.
const ROUND_UNITS: [(&str, i64); 6] =
    [("y", 365 * 86_400), ("mo", 30 * 86_400), ("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)];

/// Reads a duration; `None` if the text is none, or a longer one than Go has.
pub(super) fn read(text: &str) -> Option<TimeDelta> {
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(TimeDelta::zero());
    }
    let mut nanos: i64 = 0;
    loop {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, unit) = rest.split_at_checked(end)?;
        let (size, tail) = UNITS.iter().find_map(|(name, size)| Some((*size, unit.strip_prefix(name)?)))?;
        nanos = nanos.checked_add(of_unit(number, size)?)?;
        if tail.is_empty() {
            return Some(TimeDelta::nanoseconds(sign * nanos));
        }
        rest = tail;
    }
}

/// A decimal number of a unit, in nanoseconds.
fn of_unit(number: &str, size: i64) -> Option<i64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let digits = |text: &str| if text.is_empty() { Some(0) } else { text.parse::<i64>().ok() };
    let whole = digits(whole)?.checked_mul(size)?;
    // More digits than a nanosecond has are of no use, and no unit has more than that of an hour.
    let fraction = fraction.get(..fraction.len().min(15)).unwrap_or_default();
    let scale = 10_i128.pow(u32::try_from(fraction.len()).ok()?);
    let part = i128::from(digits(fraction)?) * i128::from(size) / scale;
    whole.checked_add(i64::try_from(part).ok()?)
}

/// A duration of whole seconds as Go writes it.
pub(super) fn written(seconds: i64) -> String {
    let sign = if seconds < 0 { "-" } else { "" };
    let seconds = seconds.unsigned_abs();
    let (hours, minutes, rest) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes) {
        (0, 0) => format!("{sign}{rest}s"),
        (0, _) => format!("{sign}{minutes}m{rest}s"),
        _ => format!("{sign}{hours}h{minutes}m{rest}s"),
    }
}

/// A duration in the largest unit of which it has more than one, without its sign.
pub(super) fn rounded(length: TimeDelta) -> String {
    let length = length.abs();
    let found = ROUND_UNITS.iter().find(|(_, seconds)| length > TimeDelta::seconds(*seconds));
    found.map_or_else(
        || "0s".to_owned(),
        |(name, seconds)| format!("{}{name}", length.num_seconds() / seconds),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_go_reads_them() {
        for (text, nanos) in [
            ("1h30m", 5_400 * SECOND),
            ("-1.5s", -1_500_000_000),
            ("+.5ms", 500_000),
            ("2us3ns", 2_003),
            ("1.m", 60 * SECOND),
            ("0", 0),
        ] {
            assert_eq!(read(text), Some(TimeDelta::nanoseconds(nanos)), "{text}");
        }
        for bad in ["", "1", "h", "1d", "1h ", ".s", "-", "1..5s", "9999999999h", "99999999999999999999s"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    #[test]
    fn durations_are_written_as_go_writes_them() {
        let all: Vec<String> = [0, 59, 60, 3_600, 3_661, -90].map(written).into();
        assert_eq!(all, ["0s", "59s", "1m0s", "1h0m0s", "1h1m1s", "-1m30s"]);
    }
}
