//! The names of topics: what programs publish to at `/<topic>`.

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
}
