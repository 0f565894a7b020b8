//! The types of conversations: people, the composer, the outbox, members and read receipts.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{Face, SourceId};

/// The form that starts a conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NewConversation {
    /// The source at which the message is sent.
    pub source: SourceId,
    /// The user ids of the recipients; several recipients become a group.
    pub to: Vec<String>,
    /// Whether one recipient becomes a group, too.
    #[serde(default)]
    pub group: bool,
    /// The name of the group; unused without one.
    pub name: String,
    /// The first message.
    pub body: String,
}

/// A user who can be written to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Person {
    /// The user's id.
    pub id: String,
    /// The display name; the id if none is known.
    pub name: String,
    /// The initials and tint of the avatar.
    pub face: Face,
}

/// The composer of a conversation, with the messages that are not among the items yet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Composer {
    /// The draft; empty for none.
    pub draft: String,
    /// Messages that are not among the items yet, oldest first.
    pub outgoing: Vec<OutgoingView>,
    /// Files that are attached and not sent yet.
    pub files: Vec<AttachedFile>,
    /// The largest file that can be attached, in bytes; none if the server takes no files.
    pub attachment_bytes: Option<u64>,
    /// Whether a message sent now would wait, because the source is paused, cannot be reached or needs a sign-in.
    pub waiting: bool,
    /// Why nothing can be written any more; none if it can.
    pub closed: Option<Closed>,
}

/// Why nothing can be written in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Closed {
    /// The user is not in the group any more.
    Left,
    /// The group was ended.
    Ended,
    /// The other user was removed from the server.
    Removed,
}

/// A message of the user itself in the outbox, or sent but not pulled yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct OutgoingView {
    /// The message's id, for `retry_message` and `discard_message`.
    pub id: String,
    /// The message, plain text.
    pub body: String,
    /// The message as HTML whose addresses are links; none if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub linked: Option<String>,
    /// The file that goes with it.
    pub file: Option<AttachedFile>,
    /// The time at which it was written, milliseconds since 1970.
    pub time: i64,
    /// The reason why the server refused it, a sentence; none if it waits or was sent.
    pub failed: Option<String>,
    /// Whether the server has accepted it; it is pulled among the items next.
    pub sent: bool,
}

/// A file that is attached in a composer, or sent with a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AttachedFile {
    /// The id, for `send_message` and `remove_file`; of a message in the outbox the message's id.
    pub id: String,
    /// The name, without a folder.
    pub name: String,
    /// The size in bytes.
    pub size: u64,
}

/// A file that is being sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Upload {
    /// The id of its message.
    pub id: String,
    /// Bytes sent so far.
    pub done: u64,
    /// Bytes in all.
    pub of: u64,
}

/// The readers of a group message, and with whom it has only arrived.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ReadBy {
    /// Members who read it, the latest first.
    pub read: Vec<Reader>,
    /// Members who did not and whose devices have it; only the server knows them.
    pub arrived: Vec<Reader>,
    /// The other members. If the server cannot be asked, these are all who did not read it, as far as they are
    /// known.
    pub unread: Vec<Reader>,
    /// The number of members who count: those at the time of the message, without its sender.
    pub members: u32,
}

/// A member of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Member {
    /// The user's id.
    pub id: String,
    /// The display name; the id if none is known.
    pub name: String,
    /// The initials and tint of the avatar.
    pub face: Face,
    /// Whether this is the user itself.
    pub me: bool,
    /// Whether the member owns the group, and so may change it.
    pub owner: bool,
}

/// A change of a group that the user asks for. Only its owner may make it, except leaving.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum GroupChange {
    /// Gives it another name.
    Rename {
        /// The new name.
        name: String,
    },
    /// Adds a user.
    Add {
        /// The user's id.
        user: String,
    },
    /// Removes a member.
    Remove {
        /// The member's id.
        user: String,
    },
    /// Makes a member the owner.
    HandOver {
        /// The member's id.
        user: String,
    },
    /// Leaves the group; if the owner leaves, the member who joined first owns it.
    Leave,
    /// Ends the group: its members keep what they have, and nobody writes to it any more.
    End,
}

/// How far the other person has read a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PeerReadView {
    /// The msgid of the last message of the user itself that was read.
    pub msgid: String,
    /// When it was read, milliseconds since 1970.
    pub at: i64,
}

/// A member of a group, with the time at which it read a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Reader {
    /// The user's id.
    pub id: String,
    /// The display name; the id if none is known.
    pub name: String,
    /// The initials and tint of the avatar.
    pub face: Face,
    /// The time at which the member read the message, milliseconds since 1970; none if it has not.
    pub at: Option<i64>,
}
