//! The syntax of identifiers: ids of users, groups, topics, target types, actions and targets.

/// The syntax that a text violates.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// The syntax of ids of users, groups, topics, target types and actions.
    #[error("must be 1 to 64 characters from A-Z a-z 0-9 . _ -")]
    Id,
    /// The syntax of ids of targets.
    #[error("must be 1 to 256 bytes without control characters")]
    TargetId,
}

/// Checks an id of a user, group, topic, target type or action: `[A-Za-z0-9._-]{1,64}`.
///
/// ```
/// assert!(tidings_model::check_id("nas-01.backups").is_ok());
/// assert!(tidings_model::check_id("two words").is_err());
/// ```
///
/// # Errors
/// [`IdError::Id`] for anything else.
pub fn check_id(id: &str) -> Result<(), IdError> {
    let fits = (1..=64).contains(&id.len())
        && id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'));
    if fits { Ok(()) } else { Err(IdError::Id) }
}

/// Checks an id of a target: 1 to 256 bytes without control characters.
///
/// # Errors
/// [`IdError::TargetId`] for anything else.
pub fn check_target_id(id: &str) -> Result<(), IdError> {
    let fits = (1..=256).contains(&id.len()) && !id.chars().any(char::is_control);
    if fits { Ok(()) } else { Err(IdError::TargetId) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_plain_words() {
        assert!(check_id("nas-01.backups_x").is_ok());
        assert!(check_id(&"a".repeat(64)).is_ok());
        for bad in ["", "a b", "ü", "a/b", &"a".repeat(65)] {
            assert_eq!(check_id(bad), Err(IdError::Id), "{bad}");
        }
        assert!(check_target_id("文章 42").is_ok());
        assert!(check_target_id("a\nb").is_err());
        assert!(check_target_id(&"x".repeat(257)).is_err());
    }
}
