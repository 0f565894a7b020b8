//! Groups and read receipts as the wire has them. Refuses to decide who counts as a reader: the server does.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{MsgId, Stamp};

/// `GET /groups/{gid}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Its id, without `group:`.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Who adds and removes members.
    #[serde(default)]
    pub owner: String,
    /// The members' ids, in the order in which they joined.
    pub members: Vec<String>,
    /// What people call those members whose name is not their id.
    #[serde(default)]
    pub names: BTreeMap<String, String>,
    /// How many members there are: `members` may be the first page of them only. 0 where the server does not say.
    #[serde(default)]
    pub member_count: u32,
}

/// An element of `GET /groups/{gid}/members`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The member's id.
    pub id: String,
    /// What people call them.
    pub name: String,
}

/// Somebody read a group message that this user sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceiptLine {
    /// Which message.
    pub msgid: MsgId,
    /// `group:<gid>`.
    pub conversation: String,
    /// Who read it.
    pub reader: String,
    /// When.
    pub at: Stamp,
}

/// `GET /receipts`, and the data of `event: receipts`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReceiptPage {
    /// In the order in which they were made.
    pub receipts: Vec<ReceiptLine>,
    /// `since` of the next page, and `through` of the acknowledgement.
    pub next: Stamp,
    /// Ask again at once.
    #[serde(default)]
    pub more: bool,
}

/// `GET /groups/{gid}/messages/{msgid}/receipts`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Readers {
    /// Who has read it, the first first.
    pub read: Vec<Reader>,
    /// Who has not.
    pub unread: Vec<String>,
    /// How many have, also those who are no longer users.
    #[serde(default)]
    pub read_count: u32,
    /// How many count.
    #[serde(default)]
    pub member_count: u32,
    /// `after` of the next page; none on the last one.
    #[serde(default)]
    pub next: Option<String>,
}

/// One who has read a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reader {
    /// Who.
    pub user: String,
    /// When.
    pub at: Stamp,
}
