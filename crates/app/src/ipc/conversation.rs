//! The types of conversations: people, the composer, the outbox, members and read receipts.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{Face, SourceId};

/// A conversation to be started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NewConversation {
    /// At which source.
    #[ts(type = "number")]
    pub source: SourceId,
    /// The ids of those who are written to; several become a group.
    pub to: Vec<String>,
    /// What the group is called; nothing with one person.
    pub name: String,
    /// The first message.
    pub body: String,
}

/// Somebody who may be written to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Person {
    /// The user's id.
    pub id: String,
    /// The display name; the id where none is known.
    pub name: String,
    /// Its letters.
    pub face: Face,
}

/// Where a message is written, and what was written and is not back yet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Composer {
    /// The draft; empty for none.
    pub draft: String,
    /// Messages that are not among the items yet, oldest first.
    pub outgoing: Vec<OutgoingView>,
    /// The server can't be reached, or needs a sign-in: what is sent now waits.
    pub waiting: bool,
}

/// A message of the user itself that is not among the items yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct OutgoingView {
    /// Names it to `retry_message` and `discard_message`.
    pub id: String,
    /// Plain text.
    pub body: String,
    /// When it was written, milliseconds since 1970.
    #[ts(type = "number")]
    pub time: i64,
    /// Why the server refuses it, in the page's language; none where it waits or was sent.
    pub failed: Option<String>,
    /// The server has it, and it is among the items in a moment.
    pub sent: bool,
}

/// Who has read a message of a group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ReadBy {
    /// Those who have, the latest first.
    pub read: Vec<Reader>,
    /// Those who have not, by name. Without the server: as far as the members are known here.
    pub unread: Vec<Reader>,
    /// How many count: the members of that time without the sender.
    pub members: u32,
}

/// Somebody in a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Member {
    /// The user's id.
    pub id: String,
    /// The display name; the id where none is known.
    pub name: String,
    /// Its letters.
    pub face: Face,
    /// It is the user itself.
    pub me: bool,
}

/// A member of a group, and whether it has read a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Reader {
    /// The user's id.
    pub id: String,
    /// The display name; the id where none is known.
    pub name: String,
    /// Its letters.
    pub face: Face,
    /// When it read the message, milliseconds since 1970; none where it has not.
    #[ts(type = "number | null")]
    pub at: Option<i64>,
}
