//! Groups, readers of messages, and outgoing messages.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tidings_model::{Actor, MsgId, Stamp, wire};

use crate::SourceId;

/// A message in the outbox: it waits to be sent, was refused, or was posted and has not come back by a pull yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Outgoing {
    /// An id that this client chose; also the idempotency key of the post.
    pub id: String,
    /// The source whose server it is posted to.
    pub source: SourceId,
    /// `user:<peer>` or `group:<gid>`.
    pub conversation: String,
    /// The body of the request that posts it.
    pub message: wire::NewMessage,
    /// The file that is sent with it; its copy has the name [`Outgoing::id`].
    pub file: Option<OutgoingFile>,
    /// The time at which the user sent it.
    pub written_at: Stamp,
    /// The HTTP status with which the server refused it for good, as text, or [`Outgoing::FILE_MISSING`]; `None` while
    /// it was not refused.
    pub refused: Option<String>,
    /// The msgid that the server gave it. The row is deleted when a pull brings that item.
    pub posted: Option<MsgId>,
}

impl Outgoing {
    /// The value of [`Outgoing::refused`] if the copy of the file is missing.
    pub const FILE_MISSING: &str = "file";

    /// Whether it waits to be sent.
    pub const fn is_unsent(&self) -> bool {
        self.refused.is_none() && self.posted.is_none()
    }
}

/// A file that is sent with a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutgoingFile {
    /// The name, without a folder.
    pub name: String,
    /// The size in bytes.
    pub size: u64,
}

/// A group as the replica has it stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Group {
    /// The id, without `group:`.
    pub id: String,
    /// The display name; empty if the server did not show the group.
    pub name: String,
    /// The id of the owner, who changes the group; empty if the server did not name it.
    pub owner: String,
    /// The members' ids, in the order in which they joined.
    pub members: Vec<String>,
    /// The display names of those members whose name is not their id, by id.
    pub names: BTreeMap<String, String>,
    /// Why the server did not show the group when it was last asked; `None` if it did.
    pub withheld: Option<Withheld>,
}

/// What happened to a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupChange {
    /// When this device saw it: with the pull after it.
    pub at: Stamp,
    /// What it was.
    pub news: GroupNews,
}

/// What may happen to a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupNews {
    /// A member was added.
    Joined(Actor),
    /// A member left or was removed.
    Left(Actor),
    /// It has this name now.
    Renamed(String),
}

/// Why a server does not show a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Withheld {
    /// The user is no member any more.
    Left,
    /// The group was ended.
    Ended,
}

impl Withheld {
    /// The column `withheld`, whose 0 is a group that is shown.
    pub(crate) fn as_row(self) -> i64 {
        match self {
            Self::Left => 1,
            Self::Ended => 2,
        }
    }

    pub(crate) fn from_row(row: i64) -> Option<Self> {
        match row {
            0 => None,
            2 => Some(Self::Ended),
            _ => Some(Self::Left),
        }
    }
}

/// A member who has read a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reader {
    /// The user's id.
    pub id: String,
    /// The time of reading.
    pub at: Stamp,
}
