//! The unread counts of an inbox, and the version that they are of: from the database, and from a cache.

use std::collections::BTreeMap;

use tidings_model::Stamp;

/// The counts of an inbox, each up to one more than some cap.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    /// Announcements, reminders and messages.
    pub(crate) kinds: [u64; 3],
    /// The messages of conversations that have any, of at most [`CONVERSATIONS_LIMIT`](tidings_store::domain::limits::CONVERSATIONS_LIMIT) of them.
    pub(crate) conversations: BTreeMap<String, u64>,
}

/// What unread counts of an inbox are compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InboxState {
    /// The newest stamp of the inbox: the version of its counts.
    pub(crate) last: Stamp,
    /// The newest stamp of the log.
    pub(crate) log: Stamp,
    /// Retention removes everything that was created before.
    pub(crate) forgotten_before: Stamp,
    /// The epoch.
    pub(crate) epoch: String,
}
