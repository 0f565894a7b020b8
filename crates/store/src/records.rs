//! The parameters and results of a store, independent of its database.

mod changes;
mod groups;
mod topic_events;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use tidings_model::wire::{Count, Op, OpResult, UnreadCounts};
use tidings_model::{Kind, MsgId, Notification, Stamp};
use utoipa::ToSchema;

pub use self::changes::{ChangedInbox, Changes};
pub use self::groups::{
    Group, GroupSummary, Member, MessageReceipt, OldReceipt, Reader, Readers, ReceiptPage, Receipts,
};
pub use self::topic_events::{SequenceChange, TopicChange, TopicEvent, TopicPage};
use crate::domain::account::UserKey;
use crate::domain::draft::Post;

/// The response to a request with an `Idempotency-Key`, stored to be sent again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredResponse {
    /// The HTTP status, 2xx.
    pub status: u16,
    /// The body, JSON; empty with status 204.
    pub body: Vec<u8>,
    /// The salt of a derived token that is left out of the stored body; empty if there is none.
    pub token_salt: String,
}

/// How a store recognizes a repeated request: the response is stored under the token and the key, in the transaction
/// that does the work.
pub struct Idempotency<T> {
    /// The id of the token that sent the key.
    pub token: String,
    /// The `Idempotency-Key` header.
    pub key: String,
    /// Makes the stored response from the result. A transaction may run again, and so may this.
    pub answer: Box<dyn Fn(&T) -> StoredResponse + Send + Sync>,
}

impl<T> Idempotency<T> {
    /// The token's id and the key.
    pub fn name(&self) -> (String, String) {
        (self.token.clone(), self.key.clone())
    }
}

/// The outcome of a request that may be repeated.
#[derive(Debug)]
pub enum Outcome<T> {
    /// The result of a request that was done now.
    Done(T),
    /// The stored response of a request that was done before.
    Replayed(StoredResponse),
}

/// A user's subscription to one target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Subscription {
    /// The target whose reminders the user gets.
    pub target: TargetRef,
    /// The subscribed actions, in the order of their names.
    pub actions: Vec<String>,
    /// The earliest reason that was given when subscribing to this target, if any.
    pub reason: Option<String>,
    /// When the first of the actions was added.
    pub created_at: Stamp,
}

/// A target by its type and id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetRef {
    /// The target's type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The target's id, unique within its type.
    pub id: String,
}

/// A user's follow of an actor, which brings the actor's reminders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Follow {
    /// The id of the followed actor.
    pub user: String,
    /// When the follow began.
    pub created_at: Stamp,
}

/// A page of a list that is paged by ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListQuery {
    /// The id of the last element of the page before; `None` for the first page.
    pub after: Option<String>,
    /// The most elements on the page.
    pub limit: usize,
}

impl ListQuery {
    /// The first page of a list.
    pub fn first(limit: usize) -> Self {
        Self { after: None, limit }
    }

    /// The page after the element with this id.
    #[must_use]
    pub fn after(self, id: &str) -> Self {
        Self { after: Some(id.to_owned()), ..self }
    }
}

/// The filter and the page of a list of items.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InboxQuery {
    /// Only items whose content is from before this: created, or revised by their publishers.
    pub before: Option<Stamp>,
    /// The most items on the page.
    pub limit: usize,
    /// Only items of this kind.
    pub kind: Option<Kind>,
    /// Only items of this thread.
    pub thread: Option<String>,
    /// Only unread items, or only read ones.
    pub unread: Option<bool>,
    /// Only archived items; false for only those that are not archived.
    pub archived: bool,
    /// Only items of this conversation.
    pub conversation: Option<String>,
}

/// A page of an inbox's conversations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationQuery {
    /// Only conversations whose newest item was created before this.
    pub before: Option<Stamp>,
    /// The most conversations on the page.
    pub limit: usize,
    /// The number at which counting of a conversation's unread items stops.
    pub cap: u64,
}

/// One conversation of a user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Conversation {
    /// `user:<id>` of the other user, or `group:<id>`.
    pub id: String,
    /// The display name of the other user or of the group.
    pub title: String,
    /// The newest item of the conversation.
    pub last: Notification,
    /// The number of unread items in it.
    pub unread: Count,
    /// The conversation's read mark.
    pub read_through: Option<Stamp>,
    /// Whether nothing can be written in it any more: the group was ended, or the other user removed.
    pub closed: bool,
}

/// The time to which a view's read mark moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Visit {
    /// The newest stamp.
    Now,
    /// This time, at most the newest stamp.
    At(Stamp),
    /// The creation of this item of the view, or its last revision.
    Item(MsgId),
}

/// Senders of messages that a change has read: what their pulls and receipts say changed too.
pub type AffectedSenders = BTreeSet<UserKey>;

/// An operation in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedOp {
    /// The operation's id, chosen by the client.
    pub id: String,
    /// The operation; `None` if it is unknown or malformed.
    pub op: Option<Op>,
}

/// The results of the operations of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// One result for each operation, in the same order.
    pub results: Vec<OpResult>,
    /// The unread counts after the operations.
    pub unread: UnreadCounts,
    /// Whether anything in the inbox changed.
    pub changed: bool,
    /// Senders of group messages that the operations have read.
    pub affected: AffectedSenders,
    /// The publications whose questions they have answered.
    pub answered: Vec<Post>,
}

/// Counters of a whole store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreMeta {
    /// The newest stamp.
    pub last_stamp: Stamp,
    /// A version that changes when a user or a token is added or removed.
    pub auth_version: i64,
    /// The number of users.
    pub users: u64,
    /// Bytes of all uploaded files.
    pub file_bytes: u64,
}

/// A counter that differs from its recount, or a row that should not exist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// The counter's name, for example `unread of alice`.
    pub what: String,
    /// The stored value.
    pub stored: String,
    /// The recounted value.
    pub counted: String,
}

impl Difference {
    /// At most `most` of the differences of a kind, and one more that says so if there are more.
    pub fn listed(mut found: Vec<Self>, most: usize, what: &str) -> Vec<Self> {
        if found.len() > most {
            found.truncate(most);
            let (what, unknown) = (format!("further {what} than the {most} that are listed"), "?".to_owned());
            found.push(Self { what, stored: unknown.clone(), counted: unknown });
        }
        found
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: stored {}, counted {}", self.what, self.stored, self.counted)
    }
}

/// What the cache of unread counts has done in a process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheFigures {
    /// Answers from the cache.
    pub hits: u64,
    /// Answers that were counted because the cache had nothing.
    pub misses: u64,
    /// Answers that were counted because the cache had counts of another state of the inbox.
    pub stale: u64,
    /// Answers that were counted because the cache did not answer, or was not asked.
    pub unanswered: u64,
    /// Cached counts of users that were compared with a recount.
    pub compared: u64,
    /// Differences that were found so, and repaired.
    pub repaired: u64,
    /// Whether the cache is left alone at present, because it is not there or fails.
    pub is_open: bool,
}
