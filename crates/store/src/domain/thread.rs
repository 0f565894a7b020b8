//! The threads of an inbox, by their keys.

/// What the key of a thread says.
pub enum ThreadKey {
    /// All announcements.
    Announcements,
    /// The reminders about a target, `<type>:<id>`, with one action.
    Reminders {
        /// The target.
        view: String,
        /// The action's name.
        action: String,
    },
    /// A conversation, `user:<id>` or `group:<id>`.
    Conversation(String),
}

impl ThreadKey {
    /// `None` if no thread can have this key.
    pub fn parse(key: &str) -> Option<Self> {
        if key == tidings_model::notification::ANNOUNCEMENTS_THREAD {
            return Some(Self::Announcements);
        }
        if let Some((target, action)) = key.rsplit_once('#') {
            target.split_once(':')?;
            return Some(Self::Reminders { view: target.into(), action: action.into() });
        }
        tidings_model::view::is_conversation(key).then(|| Self::Conversation(key.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_says_what_its_thread_is_about() {
        let said = |key: &str| match ThreadKey::parse(key) {
            Some(ThreadKey::Announcements) => "all".to_owned(),
            Some(ThreadKey::Reminders { view, action }) => format!("{action} of {view}"),
            Some(ThreadKey::Conversation(id)) => format!("talk with {id}"),
            None => "none".to_owned(),
        };
        assert_eq!(said("announcements"), "all");
        assert_eq!(
            (said("article:7#like"), said("issue:a#1#comment")),
            ("like of article:7".into(), "comment of issue:a#1".into())
        );
        assert_eq!(
            (said("user:bob"), said("group:crew")),
            ("talk with user:bob".into(), "talk with group:crew".into())
        );
        for key in ["", "article", "article#like", "team:a", "user:a b"] {
            assert_eq!(said(key), "none", "{key}");
        }
    }
}
