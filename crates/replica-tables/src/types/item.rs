//! Items.

use tidings_model::Notification;

use super::{ItemId, SourceId, ThreadId};

/// A notification in the replica, with the marks in force: local marks that wait to be sent, else the server's.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Row id.
    pub id: ItemId,
    /// Its thread.
    pub thread: ThreadId,
    /// Its source.
    pub source: SourceId,
    /// The notification; `read_at` of an item of auto class is its view's mark, if that covers it.
    pub notification: Notification,
    /// Whether it is unread, by [`tidings_model::is_unread`].
    pub unread: bool,
    /// Whether it is the user's own.
    pub own: bool,
    /// Whether a mark other than `seen` on it, or an answer to it, waits to be sent.
    pub pending: bool,
    /// Whether an answer to its question waits to be sent.
    pub answer_waits: bool,
    /// What the user answered too late, so that another answer counts or none.
    pub late_answer: Option<String>,
}
