//! What the server asks of whatever keeps its data. Refuses the words of any one database; a store is right when it
//! passes the checks of `conformance`.

#[cfg(any(test, feature = "conformance"))]
#[allow(missing_docs, reason = "each check is told by its name")]
pub mod conformance;
#[cfg(test)]
mod histories;
pub mod sqlite;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tidings_model::wire::{Count, InboxPage, Op, OpResult, SyncPage, UnreadCounts};
use tidings_model::{Catalog, Kind, MsgId, Notification, Stamp, View};
use utoipa::ToSchema;

pub use crate::domain::account::{Bearer, NewToken, Token, User, UserKey};
pub use crate::domain::draft::{Audience, Draft, Extra, Post, Reach};
pub use crate::error::Error;

/// The first answer to a request that carried an `Idempotency-Key`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// HTTP status, 2xx.
    pub status: u16,
    /// JSON.
    pub body: Vec<u8>,
    /// The salt of a derived token that stands in the body as a placeholder; empty for none.
    pub seal: String,
}

/// How a store tells a repeated request from a new one: the answer is kept in the transaction that does the work.
pub struct Once<T> {
    /// Whose key it is: the token's id.
    pub token: String,
    /// The key.
    pub key: String,
    /// Makes the answer that is kept.
    pub answer: Box<dyn FnOnce(&T) -> Answer + Send>,
}

/// What a request that may be a repetition came to.
#[derive(Debug)]
pub enum Did<T> {
    /// It was done.
    Now(T),
    /// It had been done before, with this answer.
    Before(Answer),
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
    /// The members' ids.
    pub members: Vec<String>,
    /// What people call those members whose name is not their id.
    pub names: BTreeMap<String, String>,
    /// When it was created.
    pub created_at: Stamp,
}

/// A group among others: without its members, of whom there may be many.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GroupLine {
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
pub struct ReceiptLine {
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
    pub receipts: Vec<ReceiptLine>,
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

/// What a change of one inbox means to others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ripple {
    /// Users whose messages were read: their items and receipts changed.
    pub senders: Vec<UserKey>,
}

/// An operation as it came: parsed, or known to be none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedOp {
    /// The client's id.
    pub id: String,
    /// The operation; none where it is unknown or malformed.
    pub op: Option<Op>,
}

/// What came of operations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// In the order of the operations.
    pub results: Vec<OpResult>,
    /// The numbers after them.
    pub unread: UnreadCounts,
    /// Whether anything in the inbox changed.
    pub changed: bool,
    /// Who else is concerned.
    pub ripple: Ripple,
}

/// Where a read of the inbox may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The newest stamp handed out.
    pub last_stamp: Stamp,
    /// Moves whenever a user or a token comes or goes.
    pub auth_version: i64,
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
    /// Read, for everyone.
    Clear,
    /// Gone, for everyone.
    Delete,
}

/// Whatever keeps the server's data.
///
/// Every method is one transaction: all of it, durably, or nothing. Stamps are handed out strictly increasing, one per
/// change, and a reader never sees a stamp while a smaller one is still to come.
#[async_trait]
pub trait Store: Send + Sync + 'static {
    // ----- users and tokens

    /// Adds a user; `conflict` where the id is taken.
    async fn add_user(&self, id: &str, name: &str, once: Option<Once<User>>) -> Result<Did<User>, Error>;
    /// Removes a user with its tokens, inbox and subscriptions; what it published stays.
    async fn remove_user(&self, id: &str) -> Result<(), Error>;
    /// The user with this id.
    async fn user(&self, id: &str) -> Result<Option<User>, Error>;
    /// All users, by id.
    async fn users(&self) -> Result<Vec<User>, Error>;
    /// Adds a token to a user.
    async fn add_token(
        &self,
        user: &str,
        token: NewToken,
        once: Option<Once<Token>>,
    ) -> Result<Did<Token>, Error>;
    /// The tokens of one user, or of all.
    async fn tokens(&self, user: Option<UserKey>) -> Result<Vec<Token>, Error>;
    /// Removes a token, if it is that user's.
    async fn revoke(&self, id: &str, user: Option<UserKey>) -> Result<(), Error>;
    /// Whose token it is.
    async fn bearer(&self, hash: [u8; 32]) -> Result<Option<Bearer>, Error>;
    /// The first answer under a key, if it is younger than [`crate::domain::limits::ANSWER_HOURS`].
    async fn answered(&self, token: &str, key: &str) -> Result<Option<Answer>, Error>;

    // ----- catalog and publishing

    /// The catalog in force.
    async fn catalog(&self) -> Result<Arc<Catalog>, Error>;
    /// Replaces the catalog; items follow where an action's class changed.
    async fn set_catalog(&self, catalog: Catalog) -> Result<(), Error>;
    /// Stores publications, all or none, each at its own stamp.
    async fn post(&self, drafts: Vec<Draft>, once: Option<Once<Vec<Post>>>) -> Result<Did<Vec<Post>>, Error>;
    /// Keeps a publication for later; it gets its stamps when it is delivered.
    async fn schedule(&self, draft: Draft, deliver_at: Stamp) -> Result<MsgId, Error>;
    /// Delivers what is due, and says when the next one will be.
    async fn deliver_due(&self) -> Result<(Vec<Post>, Option<Stamp>), Error>;
    /// Clears or deletes what was published on a topic under a name; none where there is no such name.
    async fn sequence(&self, topic: &str, name: &str, change: SequenceChange) -> Result<Option<Post>, Error>;

    // ----- subscriptions, follows, preferences

    /// Adds actions to a subscription, each counting from now unless it was there.
    async fn subscribe(
        &self,
        user: UserKey,
        target: TargetRef,
        actions: Vec<String>,
        reason: Option<String>,
    ) -> Result<Subscription, Error>;
    /// Removes a subscription, or one action of it.
    async fn unsubscribe(
        &self,
        user: UserKey,
        target: TargetRef,
        action: Option<String>,
    ) -> Result<(), Error>;
    /// What a user is subscribed to, by type and id.
    async fn subscriptions(
        &self,
        user: UserKey,
        kind: Option<String>,
        id: Option<String>,
    ) -> Result<Vec<Subscription>, Error>;
    /// Starts following; nothing where it was so.
    async fn follow(&self, user: UserKey, actor: &str) -> Result<Follow, Error>;
    /// Stops following.
    async fn unfollow(&self, user: UserKey, actor: &str) -> Result<(), Error>;
    /// Whom a user follows.
    async fn follows(&self, user: UserKey) -> Result<Vec<Follow>, Error>;
    /// What a user set, without the catalog's defaults.
    async fn preferences(&self, user: UserKey) -> Result<BTreeMap<String, bool>, Error>;
    /// Sets preferences, or takes them back.
    async fn set_preferences(
        &self,
        user: UserKey,
        changes: BTreeMap<String, Option<bool>>,
    ) -> Result<(), Error>;

    // ----- the inbox

    /// Brings in what announcements, subscriptions, follows and groups now yield, up to a page of it; true while there
    /// is more. Writes nothing where there is nothing.
    async fn bring_in(&self, user: UserKey) -> Result<bool, Error>;
    /// What is new or changed after a stamp.
    async fn sync(&self, user: UserKey, since: Stamp, limit: usize) -> Result<SyncPage, Error>;
    /// How many items came or changed after a stamp.
    async fn changes_after(&self, user: UserKey, since: Stamp) -> Result<u64, Error>;
    /// A page of the inbox, newest first.
    async fn inbox(&self, user: UserKey, query: InboxQuery) -> Result<InboxPage, Error>;
    /// The numbers.
    async fn unread(&self, user: UserKey, cap: u64) -> Result<UnreadCounts, Error>;
    /// The conversations, latest first.
    async fn conversations(&self, user: UserKey, cap: u64) -> Result<Vec<Conversation>, Error>;
    /// A view's mark, and what is unread in it.
    async fn view(&self, user: UserKey, view: &View, cap: u64) -> Result<(Option<Stamp>, Count), Error>;
    /// Moves a view's mark forward.
    async fn visit(
        &self,
        user: UserKey,
        view: &View,
        visit: Visit,
        cap: u64,
    ) -> Result<(Stamp, Count, Ripple), Error>;
    /// Applies operations in order, each id once.
    async fn apply(
        &self,
        user: UserKey,
        ops: Vec<AskedOp>,
        cap: u64,
        once: Option<Once<Applied>>,
    ) -> Result<Did<Applied>, Error>;

    // ----- groups and receipts

    /// Makes a group; its creator is the owner and a member.
    async fn add_group(
        &self,
        owner: UserKey,
        id: Option<String>,
        name: String,
        members: Vec<String>,
        once: Option<Once<Group>>,
    ) -> Result<Did<Group>, Error>;
    /// A group with its members.
    async fn group(&self, id: &str) -> Result<Option<Group>, Error>;
    /// The groups that a user is in now, by id.
    async fn groups_of(&self, user: UserKey) -> Result<Vec<GroupLine>, Error>;
    /// Whether a user is in a group now; `not_found` where there is no such group.
    async fn is_member(&self, group: &str, user: UserKey) -> Result<bool, Error>;
    /// Adds a member; nothing where it is one.
    async fn join(&self, group: &str, user: &str) -> Result<Group, Error>;
    /// Removes a member. An owner who leaves hands the group to whoever is in it longest.
    async fn leave(&self, group: &str, user: &str) -> Result<(), Error>;
    /// The keys of a group's members among these users.
    async fn members_among(&self, group: &str, users: &[UserKey]) -> Result<Vec<UserKey>, Error>;
    /// Who has read a message of a group.
    async fn readers(&self, group: &str, msgid: &MsgId) -> Result<Readers, Error>;
    /// Undelivered receipts of a sender, after a stamp.
    async fn receipts(&self, user: UserKey, since: Stamp, limit: usize) -> Result<ReceiptPage, Error>;
    /// Forgets delivered receipts for good.
    async fn ack_receipts(
        &self,
        user: UserKey,
        through: Stamp,
        once: Option<Once<()>>,
    ) -> Result<Did<()>, Error>;

    // ----- the live channel

    /// Which of these users a publication to subscribers may concern.
    async fn concerned(&self, reach: &Reach, among: &[UserKey]) -> Result<Vec<UserKey>, Error>;

    // ----- upkeep

    /// The name of this unbroken history.
    async fn epoch(&self) -> Result<String, Error>;
    /// Where things stand.
    async fn head(&self) -> Result<Head, Error>;
    /// Recounts everything and says what disagrees.
    async fn check(&self) -> Result<Vec<Difference>, Error>;
    /// Recounts for a few of the users after the given one whose inbox changed after `since`, puts right what
    /// disagrees, and says what it was, and after whom to go on; none when it has been through everyone.
    async fn reconcile(
        &self,
        after: UserKey,
        since: Stamp,
        batch: usize,
    ) -> Result<(Vec<Difference>, Option<UserKey>), Error>;
    /// Forgets answers that are too old, and, where told, messages and receipts created before a time; at most a
    /// batch. True while there is more.
    async fn tidy(&self, before: Option<Stamp>, batch: usize) -> Result<bool, Error>;
    /// Copies everything to a file while it stays in use.
    async fn backup(&self, to: &Path) -> Result<(), Error>;
    /// Bytes that [`Store::compact`] would give back, about; 0 where the store keeps itself small.
    async fn spare(&self) -> Result<u64, Error> {
        Ok(0)
    }
    /// Gives back what is not needed.
    async fn compact(&self) -> Result<(), Error> {
        Ok(())
    }
    /// Begins a new history.
    async fn begin_epoch(&self) -> Result<String, Error>;
}
