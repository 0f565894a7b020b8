//! Parses a duration such as 90d, 12h or 30m.

use std::time::Duration;

/// Parses a number followed by `s`, `m`, `h` or `d`: seconds, minutes, hours or days.
pub(crate) fn parse_duration(text: &str) -> Option<Duration> {
    let unit = text.chars().next_back()?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return None,
    };
    let count: u32 = text.strip_suffix(unit)?.parse().ok()?;
    Some(Duration::from_secs(u64::from(count) * seconds))
}
