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
