//! Groups and read receipts, as JSON on the wire.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{MsgId, Stamp};

/// The answer to `GET /groups/{gid}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// The id, without `group:`.
    pub id: String,
    /// The display name.
    pub name: String,
    /// The id of the owner, who adds and removes members.
    #[serde(default)]
    pub owner: String,
    /// The members' ids, in the order in which they joined.
    pub members: Vec<String>,
    /// The display names of those members whose name is not their id, by id.
    #[serde(default)]
    pub names: BTreeMap<String, String>,
    /// The number of members. `members` may hold only the first page of them; 0 if the server does not send the
    /// number.
    #[serde(default)]
    pub member_count: u32,
}

/// An element of the answer to `GET /groups/{gid}/members`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The member's id.
    pub id: String,
    /// The display name.
    pub name: String,
}

/// A read receipt: a member read a group message that this user sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceiptLine {
    /// The msgid of the message.
    pub msgid: MsgId,
    /// The conversation of the message, `group:<gid>`.
    pub conversation: String,
    /// The id of the member who read it.
    pub reader: String,
    /// The time of reading.
    pub at: Stamp,
}

/// The answer to `GET /receipts`, and the data of `event: receipts` in the live channel.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReceiptPage {
    /// The receipts, in the order of their creation.
    pub receipts: Vec<ReceiptLine>,
    /// Value of `since` for the next page, and of `through` in the acknowledgement of this one.
    pub next: Stamp,
    /// Whether there is another page.
    #[serde(default)]
    pub more: bool,
}

/// The answer to `GET /groups/{gid}/messages/{msgid}/receipts`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Readers {
    /// Members who have read the message, in the order of reading.
    pub read: Vec<Reader>,
    /// The ids of members who have pulled it and not read it.
    #[serde(default)]
    pub delivered: Vec<String>,
    /// The ids of members who have not read it, those in `delivered` among them.
    pub unread: Vec<String>,
    /// The number of readers, including users who have left the group since.
    #[serde(default)]
    pub read_count: u32,
    /// The number of members who have pulled it or read it, including users who have left the group since.
    #[serde(default)]
    pub delivered_count: u32,
    /// The number of members at the time of the post, without the sender.
    #[serde(default)]
    pub member_count: u32,
    /// Value of `after` for the next page; `None` on the last one.
    #[serde(default)]
    pub next: Option<String>,
}

/// A member who has read a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reader {
    /// The member's id.
    pub user: String,
    /// The time of reading.
    pub at: Stamp,
}
