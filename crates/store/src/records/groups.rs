//! Groups, the receipts of their messages, and who has read them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tidings_model::{MsgId, Stamp};
use utoipa::ToSchema;

use crate::domain::account::UserKey;

/// A group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Group {
    /// The group's id.
    pub id: String,
    /// The display name.
    pub name: String,
    /// The id of the owner, who adds and removes members.
    pub owner: String,
    /// The members' ids in the order in which they joined: only the first page of them.
    pub members: Vec<String>,
    /// Display names by id, for those of `members` whose name differs from their id.
    pub names: BTreeMap<String, String>,
    /// The number of all members.
    pub member_count: u32,
    /// When the group was created.
    pub created_at: Stamp,
}

/// A member of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Member {
    /// The member's id.
    pub id: String,
    /// The display name.
    pub name: String,
}

/// A group without its members, as lists of groups have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GroupSummary {
    /// The group's id.
    pub id: String,
    /// The display name.
    pub name: String,
    /// The owner's id.
    pub owner: String,
    /// The number of members.
    pub member_count: u32,
    /// When the group was created.
    pub created_at: Stamp,
}

/// A receipt: a member has read a group message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MessageReceipt {
    /// The msgid of the message.
    pub msgid: MsgId,
    /// The conversation, `group:<id>`.
    pub conversation: String,
    /// The id of the member who read it.
    pub reader: String,
    /// When it was read.
    pub at: Stamp,
}

/// What happens to receipts that are too old.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Receipts {
    /// They are deleted with everything else.
    Deleted,
    /// They stay until they are archived.
    Kept,
}

impl Receipts {
    /// The time before whose messages they are deleted: all times are after zero.
    pub const fn before(self, at: Stamp) -> Stamp {
        match self {
            Self::Deleted => at,
            Self::Kept => Stamp::ZERO,
        }
    }
}

/// A receipt that [`RetentionStore::prune`](crate::RetentionStore::prune) would delete by age, as it is archived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OldReceipt {
    /// Which of the receipts it is: its sender and its stamp.
    #[serde(skip)]
    pub key: (UserKey, Stamp),
    /// The msgid of the message; `None` if that is gone.
    pub msgid: Option<MsgId>,
    /// The conversation, `group:<id>`; `None` if the message is gone.
    pub conversation: Option<String>,
    /// The id of who sent the message.
    pub sender: String,
    /// When the message was sent.
    pub sent_at: Stamp,
    /// The id of the member who read it.
    pub reader: String,
    /// When it was read.
    pub at: Stamp,
}

/// Undelivered receipts of a sender.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReceiptPage {
    /// The receipts, in the order in which they were made.
    pub receipts: Vec<MessageReceipt>,
    /// `since` of the next page, and `through` of the acknowledgement.
    pub next: Stamp,
    /// Whether there is another page, to be fetched at once.
    pub more: bool,
}

/// A page of the members who have read a group message, with whom it has only arrived, and who have not read it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Readers {
    /// The members on this page who have read it.
    pub read: Vec<Reader>,
    /// The ids of the members on this page who have pulled it and not read it.
    pub delivered: Vec<String>,
    /// The ids of the members on this page who have not read it, those in `delivered` among them.
    pub unread: Vec<String>,
    /// The number of all members who have read it.
    pub read_count: u32,
    /// The number of all members with whom it has arrived: who have pulled it, or read it.
    pub delivered_count: u32,
    /// The number of all members whose reading counts.
    pub member_count: u32,
    /// `after` of the next page of members; missing on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A member who has read a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Reader {
    /// The member's id.
    pub user: String,
    /// When the member read it.
    pub at: Stamp,
}
