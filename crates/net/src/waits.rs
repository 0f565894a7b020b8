//! The waits that servers ask for, as their answers say: `Retry-After`, and the reset of a used-up rate limit.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use tidings_model::Stamp;
use tokio::task::futures::TaskLocalFuture;

/// The headers with the number of requests that are left, and with the time at which there are new ones.
const LIMITS: [(&str, &str); 2] =
    [("x-ratelimit-remaining", "x-ratelimit-reset"), ("ratelimit-remaining", "ratelimit-reset")];
/// The longest wait that a server may ask for.
pub const MAX_WAIT: Duration = Duration::from_secs(24 * 60 * 60);
/// A smaller number in a reset header is not a time but a number of seconds.
const FIRST_TIME: i64 = 1_000_000_000;

/// The wait that an answer asks for: `Retry-After`, or until the reset of a rate limit of which nothing is left. `now`
/// resolves times.
pub(crate) fn asked_by(status: StatusCode, headers: &HeaderMap, now: Stamp) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let retry_after = text(RETRY_AFTER.as_str()).filter(|_| !status.is_success());
    let retry_after = retry_after.and_then(|text| parse_retry_after(text, now));
    let reset = LIMITS.into_iter().find_map(|(remaining, reset)| {
        let is_used_up = match text(remaining) {
            Some(left) => left == "0",
            None => status == StatusCode::TOO_MANY_REQUESTS,
        };
        text(reset).filter(|_| is_used_up).and_then(|text| parse_reset(text, now))
    });
    retry_after.max(reset).map(|wait| wait.min(MAX_WAIT))
}

/// Parses `Retry-After` in seconds or as an HTTP date such as `Fri, 20 Nov 2026 06:14:00 GMT`.
fn parse_retry_after(text: &str, now: Stamp) -> Option<Duration> {
    if let Ok(seconds) = text.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let at = chrono::DateTime::parse_from_rfc2822(text).ok()?;
    Some(until(Stamp::from(at.to_utc()), now))
}

/// Parses the time of a reset: in seconds since 1970, in seconds from now, or as RFC 3339.
fn parse_reset(text: &str, now: Stamp) -> Option<Duration> {
    let at = match text.parse::<i64>() {
        Ok(seconds) if seconds < FIRST_TIME => now.plus_secs(seconds),
        Ok(seconds) => Stamp::from_secs(seconds),
        Err(_) => text.parse().ok()?,
    };
    Some(until(at, now))
}

/// The time from `now` to a later time; zero to an earlier one.
pub fn until(at: Stamp, now: Stamp) -> Duration {
    Duration::from_micros(u64::try_from(at.as_micros().saturating_sub(now.as_micros())).unwrap_or(0))
}

tokio::task_local! {
    static ASKED: RequestedWait;
}

/// The longest wait that the answers to a task's requests asked for, though they were successes.
#[derive(Debug, Clone, Default)]
pub struct RequestedWait(Arc<AtomicU64>);

impl RequestedWait {
    /// That of the present task; an empty one outside of [`RequestedWait::record`].
    pub fn of_task() -> Self {
        ASKED.try_with(Clone::clone).unwrap_or_default()
    }

    /// Records the waits of requests. A task that is spawned within records those of its own requests only if it is
    /// given this value.
    pub fn record<F: Future>(&self, requests: F) -> TaskLocalFuture<Self, F> {
        ASKED.scope(self.clone(), requests)
    }

    /// Records the wait that a success asks for.
    pub fn note(status: StatusCode, headers: &HeaderMap, now: Stamp) {
        if let Some(wait) = asked_by(status, headers, now) {
            let millis = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
            Self::of_task().0.fetch_max(millis, Ordering::Relaxed);
        }
    }

    /// The wait; `None` if no answer asked for one.
    pub fn get(&self) -> Option<Duration> {
        Some(Duration::from_millis(self.0.load(Ordering::Relaxed))).filter(|wait| !wait.is_zero())
    }
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn asked(status: u16, headers: &[(&'static str, &'static str)]) -> Option<u64> {
        let now: Stamp = "2026-11-20T06:14:00Z".parse().unwrap();
        let headers = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect();
        asked_by(StatusCode::from_u16(status).unwrap(), &headers, now).map(|wait| wait.as_secs())
    }

    #[test]
    fn retry_after_is_seconds_or_a_date_and_never_more_than_a_day() {
        let retry_after = |value| asked(503, &[("retry-after", value)]);
        assert_eq!(retry_after("7"), Some(7));
        assert_eq!(retry_after("7200"), Some(7_200));
        assert_eq!(retry_after("Fri, 20 Nov 2026 06:14:30 GMT"), Some(30));
        assert_eq!(retry_after("Fri, 20 Nov 2026 06:13:00 GMT"), Some(0));
        assert_eq!(retry_after("999999999"), Some(86_400));
        assert_eq!(retry_after("soon"), None);
        assert_eq!(asked(200, &[("retry-after", "7")]), None);
    }

    #[test]
    fn a_rate_limit_of_which_nothing_is_left_is_waited_for_whatever_the_status() {
        let limit = |status, left, reset| {
            asked(status, &[("x-ratelimit-remaining", left), ("x-ratelimit-reset", reset)])
        };
        // 2026-11-20T06:14:00Z is 1,795,155,240 s after 1970.
        assert_eq!(limit(403, "0", "1795155300"), Some(60));
        assert_eq!(limit(200, "0", "1795155300"), Some(60));
        assert_eq!(limit(200, "1", "1795155300"), None);
        assert_eq!(limit(403, "12", "1795155300"), None);
        assert_eq!(limit(429, "0", "2026-11-20T06:15:30.000Z"), Some(90));
        assert_eq!(limit(429, "0", "45"), Some(45));
        assert_eq!(limit(429, "0", "1795155000"), Some(0));
        assert_eq!(limit(429, "0", "tomorrow"), None);
        assert_eq!(asked(429, &[("ratelimit-reset", "1795155243")]), Some(3));
        let both = [("retry-after", "90"), ("ratelimit-remaining", "0"), ("ratelimit-reset", "30")];
        assert_eq!(asked(429, &both), Some(90));
    }
}
