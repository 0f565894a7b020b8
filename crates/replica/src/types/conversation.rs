//! Groups, readers of messages, and messages that wait to be sent.

use std::collections::BTreeMap;

use tidings_model::{MsgId, Stamp, wire};

use super::SourceId;

/// A message that waits to be sent. Its id is also its idempotency key.
#[derive(Debug, Clone, PartialEq)]
pub struct Outgoing {
    /// An id that this client gave it.
    pub id: String,
    /// The source whose server it is posted to.
    pub source: SourceId,
    /// `user:<peer>` or `group:<gid>`.
    pub conversation: String,
    /// What is posted.
    pub message: wire::NewMessage,
    /// When it was written.
    pub written_at: Stamp,
    /// Why the last try failed for good; none while it waits.
    pub refused: Option<String>,
    /// The name that the server gave it; it is gone from here as soon as a pull has brought that item.
    pub posted: Option<MsgId>,
}

/// What is known of a group.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Group {
    /// Its id, without `group:`.
    pub id: String,
    /// What people call it; empty where the server would not tell.
    pub name: String,
    /// Its members' ids, in the order in which they joined.
    pub members: Vec<String>,
    /// What people call those members whose name is not their id.
    pub names: BTreeMap<String, String>,
}

/// One who read a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reader {
    /// The user's id.
    pub id: String,
    /// When they read it.
    pub at: Stamp,
}
