//! What goes into a store and what comes out of it, whatever database it is.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use tidings_model::wire::{Count, Op, OpResult, UnreadCounts};
use tidings_model::{Kind, MsgId, Notification, Stamp};
use utoipa::ToSchema;

use crate::domain::account::UserKey;

/// The response to a request with an `Idempotency-Key`, stored to be sent again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredResponse {
    /// HTTP status, 2xx.
    pub status: u16,
    /// JSON.
    pub body: Vec<u8>,
    /// The salt of a derived token that stands in the body as a placeholder; empty for none.
    pub token_salt: String,
}

/// How a store tells a repeated request from a new one: the response is stored in the transaction that does the work.
pub struct Idempotency<T> {
    /// The id of the token that sent the key.
    pub token: String,
    /// The key.
    pub key: String,
    /// Makes the response that is stored.
    pub answer: Box<dyn FnOnce(&T) -> StoredResponse + Send>,
}

impl<T> Idempotency<T> {
    /// The token's id and the key.
    pub fn name(&self) -> (String, String) {
        (self.token.clone(), self.key.clone())
    }
}

/// The outcome of a request that may be a repetition.
#[derive(Debug)]
pub enum Outcome<T> {
    /// It was done now.
    Done(T),
    /// It had been done before, with this response.
    Replayed(StoredResponse),
}

/// One target that a user is subscribed to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Subscription {
    /// To what.
    pub target: TargetRef,
    /// Which actions, in the order of their names.
    pub actions: Vec<String>,
    /// The reason that was given first, if any was.
    pub reason: Option<String>,
    /// When the first of the actions was added.
    pub created_at: Stamp,
}

/// A target by its type and id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetRef {
    /// Type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Id within the type.
    pub id: String,
}

/// Whose reminders a user gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Follow {
    /// The actor.
    pub user: String,
    /// Since when.
    pub created_at: Stamp,
}

/// Which page of a list is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListQuery {
    /// The id of the last element of the page before; the first page without it.
    pub after: Option<String>,
    /// At most so many elements.
    pub limit: usize,
}

impl ListQuery {
    /// The first page of a list.
    pub fn first(limit: usize) -> Self {
        Self { after: None, limit }
    }

    /// The page after an element.
    #[must_use]
    pub fn after(self, id: &str) -> Self {
        Self { after: Some(id.to_owned()), ..self }
    }
}

/// Which part of an inbox is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InboxQuery {
    /// Created before this.
    pub before: Option<Stamp>,
    /// At most so many.
    pub limit: usize,
    /// Only this kind.
    pub kind: Option<Kind>,
    /// Only this thread.
    pub thread: Option<String>,
    /// Only unread ones, or only read ones.
    pub unread: Option<bool>,
    /// The archived ones instead of the others.
    pub archived: bool,
    /// Only this conversation.
    pub conversation: Option<String>,
}

/// Which page of an inbox's conversations is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationQuery {
    /// Those whose newest item was created before this.
    pub before: Option<Stamp>,
    /// At most so many.
    pub limit: usize,
    /// Counting stops there, in each.
    pub cap: u64,
}

/// One conversation of a user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Conversation {
    /// `user:<peer>` or `group:<gid>`.
    pub id: String,
    /// The peer's or the group's name.
    pub title: String,
    /// Its newest item.
    pub last: Notification,
    /// What is unread in it.
    pub unread: Count,
    /// The view's mark.
    pub read_through: Option<Stamp>,
}

/// A group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Group {
    /// The id.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// The owner's id, who adds and removes.
    pub owner: String,
    /// The members' ids in the order in which they joined: the first page of them.
    pub members: Vec<String>,
    /// What people call those of these members whose name is not their id.
    pub names: BTreeMap<String, String>,
    /// How many members there are.
    pub member_count: u32,
    /// When it was created.
    pub created_at: Stamp,
}

/// A member of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Member {
    /// The id.
    pub id: String,
    /// What people call them.
    pub name: String,
}

/// A group among others: without its members, of whom there may be many.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GroupSummary {
    /// The id.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// The owner's id.
    pub owner: String,
    /// How many are in it.
    pub member_count: u32,
    /// When it was created.
    pub created_at: Stamp,
}

/// One message that one member read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MessageReceipt {
    /// The message.
    pub msgid: MsgId,
    /// `group:<gid>`.
    pub conversation: String,
    /// Who read it.
    pub reader: String,
    /// When.
    pub at: Stamp,
}

/// Undelivered receipts of a sender.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReceiptPage {
    /// In the order in which they were made.
    pub receipts: Vec<MessageReceipt>,
    /// `since` of the next page, and `through` of the acknowledgement.
    pub next: Stamp,
    /// Ask again at once.
    pub more: bool,
}

/// Who has read a group message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Readers {
    /// Those who have, and when.
    pub read: Vec<Reader>,
    /// Those who count and have not.
    pub unread: Vec<String>,
    /// As it stands on the message.
    pub read_count: u32,
    /// As it stands on the message.
    pub member_count: u32,
    /// `after` of the next page of members; absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A member who has read a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Reader {
    /// The member's id.
    pub user: String,
    /// When.
    pub at: Stamp,
}

/// Where a view's mark should go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Visit {
    /// To now.
    Now,
    /// To this time, at most the newest stamp handed out.
    At(Stamp),
    /// To the creation of this item of the view.
    Item(MsgId),
}

/// Users whose messages were read by a change: their items and receipts changed with it.
pub type AffectedSenders = BTreeSet<UserKey>;

/// An operation of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedOp {
    /// The client's id.
    pub id: String,
    /// The operation; none where it is unknown or malformed.
    pub op: Option<Op>,
}

/// The results of operations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// In the order of the operations.
    pub results: Vec<OpResult>,
    /// What is unread after them.
    pub unread: UnreadCounts,
    /// Whether anything in the inbox changed.
    pub changed: bool,
    /// Senders whose messages they read.
    pub affected: AffectedSenders,
}

/// Counters of a whole store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreMeta {
    /// The newest stamp handed out.
    pub last_stamp: Stamp,
    /// Changes whenever a user or a token is added or removed.
    pub auth_version: i64,
    /// How many users there are.
    pub users: u64,
}

/// A number that disagrees with its recount, or something that should not be there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// What is counted, for example `unread of alice`.
    pub what: String,
    /// What stands in the store.
    pub stored: String,
    /// What the recount says.
    pub counted: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: stored {}, counted {}", self.what, self.stored, self.counted)
    }
}

/// A change to a published notification under the name that its sender gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SequenceChange {
    /// Marks it read for everyone.
    Clear,
    /// Deletes it for everyone.
    Delete,
}
