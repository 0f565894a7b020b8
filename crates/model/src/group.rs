//! Groups and read receipts on the wire.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{MsgId, Stamp};

/// `GET /groups/{gid}`.
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
    /// The number of members, of which `members` may be the first page only; 0 where the server does not say.
    #[serde(default)]
    pub member_count: u32,
}

/// An element of `GET /groups/{gid}/members`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The member's id.
    pub id: String,
    /// The display name.
    pub name: String,
}

/// A read receipt: somebody read a group message that this user sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceiptLine {
    /// The message.
    pub msgid: MsgId,
    /// `group:<gid>`.
    pub conversation: String,
    /// The id of who read it.
    pub reader: String,
    /// When they read it.
    pub at: Stamp,
}

/// `GET /receipts`, and the data of `event: receipts`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReceiptPage {
    /// In the order of their creation.
    pub receipts: Vec<ReceiptLine>,
    /// `since` of the next page, and `through` of the acknowledgement.
    pub next: Stamp,
    /// Whether there is another page.
    #[serde(default)]
    pub more: bool,
}

/// `GET /groups/{gid}/messages/{msgid}/receipts`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Readers {
    /// Who has read it, in the order of reading.
    pub read: Vec<Reader>,
    /// The ids of those who have not.
    pub unread: Vec<String>,
    /// How many have read it, including users who were removed since.
    #[serde(default)]
    pub read_count: u32,
    /// Members at the time of the post, without the sender.
    #[serde(default)]
    pub member_count: u32,
    /// `after` of the next page; `None` on the last one.
    #[serde(default)]
    pub next: Option<String>,
}

/// A member who has read a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reader {
    /// Their id.
    pub user: String,
    /// When they read it.
    pub at: Stamp,
}
