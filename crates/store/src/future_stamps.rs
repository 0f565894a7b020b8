//! Stamps in the future: when they are reported, and what a restore does with them.

use tidings_model::Stamp;

/// How far the newest stamp may be ahead of the clock before that is reported, seconds: an hour.
const MAX_AHEAD_SECS: i64 = 3_600;

/// What a restore does with a backup whose stamps lie in the future.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FutureStamps {
    /// The backup is refused.
    Refuse,
    /// They stay, and later ones follow them.
    Keep,
    /// They become stamps of now, in their order.
    Mend,
}

/// Whether stamps are so far ahead that they are to be mended.
pub fn is_ahead(newest: Stamp, now: Stamp) -> bool {
    newest > now.plus_secs(MAX_AHEAD_SECS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_an_hour_is_ahead() {
        let now = Stamp::from_secs(1_000_000);
        let hour_later = now.plus_secs(3_600);
        assert!(!is_ahead(hour_later, now));
        assert!(is_ahead(hour_later.plus_micros(1), now));
    }
}
