//! The names of topics, what programs publish to at `/<topic>`, and how often something is expected there.

use std::fmt;
use std::str::FromStr;

/// Names that can't be topics, because the server has paths of its own there.
pub const RESERVED_TOPICS: &[&str] = &[
    "api",
    "message",
    "application",
    "client",
    "plugin",
    "user",
    "stream",
    "version",
    "health",
    "current",
    "v1",
    "docs",
    "metrics",
    "file",
    "static",
    "hooks",
];

/// The reason why a name is not that of a topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidTopic {
    /// It is not 1 to 64 letters of ASCII, digits, `-` and `_`.
    #[error("a topic is 1 to 64 characters: the letters A to Z and a to z, digits, - and _")]
    Malformed,
    /// The server's own paths begin with it.
    #[error("this name is the server's own and can't be a topic")]
    Reserved,
}

/// Whether a text is a valid name of a topic or a sequence: `[-_A-Za-z0-9]{1,64}`.
pub fn is_valid_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

/// Whether the server's own paths begin with this name.
pub fn is_reserved(name: &str) -> bool {
    RESERVED_TOPICS.contains(&name)
}

/// Checks the name of a topic.
///
/// ```
/// use tidings_model::topic::{InvalidTopic, check_topic};
///
/// assert_eq!(check_topic("backups"), Ok(()));
/// assert_eq!(check_topic("two words"), Err(InvalidTopic::Malformed));
/// assert_eq!(check_topic("hooks"), Err(InvalidTopic::Reserved));
/// ```
///
/// # Errors
/// [`InvalidTopic`] for a name that is malformed or reserved.
pub fn check_topic(name: &str) -> Result<(), InvalidTopic> {
    if !is_valid_name(name) {
        return Err(InvalidTopic::Malformed);
    }
    if is_reserved(name) { Err(InvalidTopic::Reserved) } else { Ok(()) }
}

/// The shortest time within which a publication may be expected on a topic, seconds.
pub const EXPECT_MIN_SECS: u32 = 60;
/// The longest one, seconds: 366 days.
pub const EXPECT_MAX_SECS: u32 = 366 * 24 * 3_600;

/// Whether a publication may be expected every so many seconds.
pub fn is_expectable(secs: u32) -> bool {
    (EXPECT_MIN_SECS..=EXPECT_MAX_SECS).contains(&secs)
}

/// How often a publication is expected on a topic. As a text it is such as `26h`, or `off`.
///
/// ```
/// use tidings_model::topic::Expected;
///
/// let expected: Expected = "1 day 12 hours".parse()?;
/// assert_eq!((expected.every_secs, expected.to_string().as_str()), (Some(129_600), "36h"));
/// assert_eq!("off".parse(), Ok(Expected { every_secs: None }));
/// assert!("soon".parse::<Expected>().is_err());
/// # Ok::<(), tidings_model::topic::NotExpectable>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Expected {
    /// The seconds within which one is expected; `None` if none is.
    pub every_secs: Option<u32>,
}

/// The reason why a text does not say how often something is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a time such as 26h, from a minute to 366 days, or off")]
pub struct NotExpectable;

impl FromStr for Expected {
    type Err = NotExpectable;

    fn from_str(text: &str) -> Result<Self, NotExpectable> {
        let text = text.trim().to_lowercase();
        if matches!(text.as_str(), "off" | "none" | "never") {
            return Ok(Self::default());
        }
        let secs = seconds(&text).filter(|secs| is_expectable(*secs)).ok_or(NotExpectable)?;
        Ok(Self { every_secs: Some(secs) })
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(secs) = self.every_secs else { return f.write_str("off") };
        let units = [(86_400, 'd'), (3_600, 'h'), (60, 'm')];
        match units.iter().find(|(unit, _)| secs.is_multiple_of(*unit)) {
            Some((unit, letter)) => write!(f, "{}{letter}", secs / unit),
            None => write!(f, "{secs}s"),
        }
    }
}

/// The sum of numbers with units, in seconds.
fn seconds(text: &str) -> Option<u32> {
    let (mut rest, mut total) = (text, 0_u32);
    while !rest.is_empty() {
        let (number, tail) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit())?);
        let tail = tail.trim_start();
        let (unit, tail) = tail.split_at(tail.find(|c: char| !c.is_alphabetic()).unwrap_or(tail.len()));
        let secs = match unit {
            "s" | "sec" | "secs" | "second" | "seconds" | "秒" => 1,
            "m" | "min" | "mins" | "minute" | "minutes" | "分" | "分钟" => 60,
            "h" | "hour" | "hours" | "时" | "小时" => 3_600,
            "d" | "day" | "days" | "天" => 86_400,
            "w" | "week" | "weeks" | "周" => 604_800,
            _ => return None,
        };
        total = total.checked_add(number.parse::<u32>().ok()?.checked_mul(secs)?)?;
        rest = tail.trim_start();
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_are_plain_words_that_the_server_does_not_use_itself() {
        for good in ["backups", "NAS_01-x", &"a".repeat(64)] {
            assert_eq!(check_topic(good), Ok(()), "{good}");
        }
        for bad in ["", "a b", "ü", "a/b", "a.b", &"a".repeat(65)] {
            assert_eq!(check_topic(bad), Err(InvalidTopic::Malformed), "{bad}");
        }
        for reserved in RESERVED_TOPICS {
            assert_eq!(check_topic(reserved), Err(InvalidTopic::Reserved));
        }
    }

    #[test]
    fn texts_say_how_often_something_is_expected() {
        for (text, secs) in [
            ("26h", 93_600),
            (" 90 min ", 5_400),
            ("1d12h", 129_600),
            ("2 Weeks", 1_209_600),
            ("26 小时", 93_600),
            ("60s", 60),
        ] {
            assert_eq!(text.parse(), Ok(Expected { every_secs: Some(secs) }), "{text}");
        }
        assert_eq!("OFF".parse(), Ok(Expected::default()));
        for text in ["", "26", "h", "59s", "367d", "99999999999h", "5 moons", "-3h"] {
            assert_eq!(text.parse::<Expected>(), Err(NotExpectable), "{text}");
        }
        for text in ["26h", "2d", "61s", "90m", "off"] {
            assert_eq!(text.parse::<Expected>().map(|expected| expected.to_string()).as_deref(), Ok(text));
        }
    }

    #[test]
    fn every_word_for_a_unit_is_known_in_both_languages() {
        for (words, secs) in [
            ("s sec secs second seconds 秒", 60),
            ("m min mins minute minutes 分 分钟", 3_600),
            ("h hour hours 时 小时", 216_000),
            ("d day days 天", 5_184_000),
        ] {
            for word in words.split(' ') {
                let text = format!("60 {word}");
                assert_eq!(text.parse(), Ok(Expected { every_secs: Some(secs) }), "{text}");
            }
        }
        for word in ["w", "week", "weeks", "周"] {
            assert_eq!(format!("2{word}").parse(), Ok(Expected { every_secs: Some(1_209_600) }), "{word}");
        }
        for text in ["off", "none", "never"] {
            assert_eq!(text.parse(), Ok(Expected::default()));
        }
        assert!(is_expectable(EXPECT_MAX_SECS) && !is_expectable(EXPECT_MAX_SECS + 1));
        assert_eq!(EXPECT_MAX_SECS, 31_622_400);
    }
}
