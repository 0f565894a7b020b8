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

/// Parses how long something may take, as [`parse_duration`]; zero is refused.
pub(super) fn time_limit(text: &str) -> Result<Duration, String> {
    parse_duration(text)
        .filter(|time| !time.is_zero())
        .ok_or_else(|| "a time such as 30s, 10m or 2h".to_owned())
}
