//! The store: what the server asks of its database. A store is right when it passes the checks of `conformance`.

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod histories;
pub(crate) mod page;
mod records;
pub mod sqlite;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use tidings_model::wire::{Count, UnreadCounts};
use tidings_model::{Catalog, MsgId, Stamp, View};

pub use crate::domain::account::{Bearer, NewToken, Token, User, UserKey};
pub use crate::domain::draft::{Audience, Draft, Post, Recipients};
pub use crate::error::Error;

pub use self::page::{ItemsPage, JsonElements, ListPage, PullPage};
pub use self::records::{
    AffectedSenders, Applied, Conversation, ConversationQuery, Difference, Follow, Group, GroupSummary,
    Idempotency, InboxQuery, ListQuery, Member, MessageReceipt, Outcome, Reader, Readers, ReceiptPage,
    RequestedOp, SequenceChange, StoreMeta, StoredResponse, Subscription, TargetRef, Visit,
};

/// The database of a server.
///
/// A method is one transaction, all of it, durably, or nothing, unless it says that it works in portions: then each of
/// these is, and a repetition of what was interrupted finishes it. Stamps are handed out strictly increasing, one per
/// change, and a reader never sees a stamp while a smaller one is still to come.
#[async_trait]
pub trait Store: Send + Sync + 'static {
    // ----- users and tokens

    /// Adds a user.
    ///
    /// # Errors
    /// `conflict` where the id is taken.
    async fn add_user(
        &self,
        id: &str,
        name: &str,
        idempotency: Option<Idempotency<User>>,
    ) -> Result<Outcome<User>, Error>;
    /// Removes a user for everybody at once, with its tokens, inbox and subscriptions; what it published stays. Where it
    /// had much, the most of it is deleted by [`Store::tidy`].
    async fn remove_user(&self, id: &str) -> Result<(), Error>;
    /// The user with this id.
    async fn user(&self, id: &str) -> Result<Option<User>, Error>;
    /// A page of the users, by id.
    async fn users(&self, page: ListQuery) -> Result<ListPage, Error>;
    /// Adds a token to a user.
    async fn add_token(
        &self,
        user: &str,
        token: NewToken,
        idempotency: Option<Idempotency<Token>>,
    ) -> Result<Outcome<Token>, Error>;
    /// A page of the tokens of one user, or of all, the oldest first.
    async fn tokens(&self, user: Option<UserKey>, page: ListQuery) -> Result<ListPage, Error>;
    /// Removes a token, if it is that user's.
    async fn revoke(&self, id: &str, user: Option<UserKey>) -> Result<(), Error>;
    /// Removes the tokens that programs made for themselves, known by their ids.
    async fn revoke_program_tokens(&self) -> Result<(), Error>;
    /// The user and the scopes of a token, by the hash of its text.
    async fn bearer(&self, hash: [u8; 32]) -> Result<Option<Bearer>, Error>;
    /// The first answer under a key, if it is younger than [`crate::domain::limits::ANSWER_HOURS`].
    async fn stored_response(&self, token: &str, key: &str) -> Result<Option<StoredResponse>, Error>;

    // ----- catalog and publishing

    /// The catalog in force.
    async fn catalog(&self) -> Result<Arc<Catalog>, Error>;
    /// Replaces the catalog; it holds for what comes later.
    async fn set_catalog(&self, catalog: Catalog) -> Result<(), Error>;
    /// Stores publications, all or none, each at its own stamp.
    async fn post(
        &self,
        drafts: Vec<Draft>,
        idempotency: Option<Idempotency<Vec<Post>>>,
    ) -> Result<Outcome<Vec<Post>>, Error>;
    /// Keeps a publication for later; it gets its stamps when it is delivered. `rate_limited` where as much waits for its
    /// topic, or from this publisher (none for a program without a token), as may: [`limits`](crate::domain::limits).
    async fn schedule(
        &self,
        draft: Draft,
        publisher: Option<UserKey>,
        deliver_at: Stamp,
        idempotency: Option<Idempotency<MsgId>>,
    ) -> Result<Outcome<MsgId>, Error>;
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
    /// A page of what a user is subscribed to, by type and id; the id of an element is `<type>:<id>`.
    async fn subscriptions(
        &self,
        user: UserKey,
        kind: Option<String>,
        id: Option<String>,
        page: ListQuery,
    ) -> Result<ListPage, Error>;
    /// Starts following; nothing where it was so.
    async fn follow(&self, user: UserKey, actor: &str) -> Result<Follow, Error>;
    /// Stops following.
    async fn unfollow(&self, user: UserKey, actor: &str) -> Result<(), Error>;
    /// A page of those whom a user follows, by id.
    async fn follows(&self, user: UserKey, page: ListQuery) -> Result<ListPage, Error>;
    /// Since when a user follows somebody, if it does.
    async fn followed(&self, user: UserKey, actor: &str) -> Result<Option<Follow>, Error>;
    /// What a user set, without the catalog's defaults.
    async fn preferences(&self, user: UserKey) -> Result<BTreeMap<String, bool>, Error>;
    /// Sets preferences, or takes them back.
    async fn set_preferences(
        &self,
        user: UserKey,
        changes: BTreeMap<String, Option<bool>>,
    ) -> Result<(), Error>;

    // ----- the inbox

    /// Fan-in: brings into an inbox what announcements, subscriptions, follows and groups yielded since the last time, up
    /// to a page of it; true while there is more. Writes nothing where there is nothing.
    async fn fan_in(&self, user: UserKey) -> Result<bool, Error>;
    /// What is new or changed after a stamp.
    async fn sync(&self, user: UserKey, since: Stamp, limit: usize) -> Result<PullPage, Error>;
    /// How many items came or changed after a stamp; counting may stop at 100,000.
    async fn changes_after(&self, user: UserKey, since: Stamp) -> Result<u64, Error>;
    /// A page of the inbox, newest first.
    async fn inbox(&self, user: UserKey, query: InboxQuery) -> Result<ItemsPage, Error>;
    /// What is unread in an inbox, by kind and conversation, each counted no further than `cap`.
    async fn unread(&self, user: UserKey, cap: u64) -> Result<UnreadCounts, Error>;
    /// A page of the conversations, latest first.
    async fn conversations(
        &self,
        user: UserKey,
        query: ConversationQuery,
    ) -> Result<Vec<Conversation>, Error>;
    /// A view's mark, and what is unread in it.
    async fn view(&self, user: UserKey, view: &View, cap: u64) -> Result<(Option<Stamp>, Count), Error>;
    /// Moves a view's mark forward, in portions.
    async fn visit(
        &self,
        user: UserKey,
        view: &View,
        visit: Visit,
        cap: u64,
    ) -> Result<(Stamp, Count, AffectedSenders), Error>;
    /// Applies operations in order, each id once, in portions.
    async fn apply(
        &self,
        user: UserKey,
        ops: Vec<RequestedOp>,
        cap: u64,
        idempotency: Option<Idempotency<Applied>>,
    ) -> Result<Outcome<Applied>, Error>;

    // ----- groups and receipts

    /// Makes a group; its creator is the owner and a member.
    async fn add_group(
        &self,
        owner: UserKey,
        id: Option<String>,
        name: String,
        members: Vec<String>,
        idempotency: Option<Idempotency<Group>>,
    ) -> Result<Outcome<Group>, Error>;
    /// A group with the first page of its members.
    async fn group(&self, id: &str) -> Result<Option<Group>, Error>;
    /// Who owns a group; none where there is no such group.
    async fn group_owner(&self, group: &str) -> Result<Option<UserKey>, Error>;
    /// A page of the members of a group, in the order in which they joined.
    async fn members(&self, group: &str, page: ListQuery) -> Result<ListPage, Error>;
    /// A page of the groups that a user is in now, by id.
    async fn groups_of(&self, user: UserKey, page: ListQuery) -> Result<ListPage, Error>;
    /// Whether a user is in a group now; `not_found` where there is no such group.
    async fn is_member(&self, group: &str, user: UserKey) -> Result<bool, Error>;
    /// Adds a member; nothing where it is one.
    async fn join(&self, group: &str, user: &str) -> Result<Group, Error>;
    /// Removes a member. An owner who leaves hands the group to whoever is in it longest.
    async fn leave(&self, group: &str, user: &str) -> Result<(), Error>;
    /// Which members have read a message of a group: a page of those who count.
    async fn readers(&self, group: &str, msgid: &MsgId, page: ListQuery) -> Result<Readers, Error>;
    /// Undelivered receipts of a sender, after a stamp.
    async fn receipts(&self, user: UserKey, since: Stamp, limit: usize) -> Result<ReceiptPage, Error>;
    /// Deletes receipts that were delivered, up to a stamp.
    async fn ack_receipts(
        &self,
        user: UserKey,
        through: Stamp,
        idempotency: Option<Idempotency<()>>,
    ) -> Result<Outcome<()>, Error>;

    // ----- the live channel

    /// Which of these users publications may concern. Where finding out costs too much, somebody may be named whom none
    /// concerns; nobody is left out.
    async fn recipients_among(
        &self,
        all_recipients: &[Recipients],
        among: &[UserKey],
    ) -> Result<Vec<UserKey>, Error>;

    // ----- upkeep

    /// The id of the current epoch.
    async fn epoch(&self) -> Result<String, Error>;
    /// The newest stamp, and counters of the whole store.
    async fn meta(&self) -> Result<StoreMeta, Error>;
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
    /// Forgets what is too old, what removed users left, and, where told, everything that was created before a time; at
    /// most a batch of rows. True while there is more.
    async fn prune(&self, before: Option<Stamp>, batch: usize) -> Result<bool, Error>;
    /// Copies everything to a file while the store stays in use.
    async fn backup(&self, to: &Path) -> Result<(), Error>;
    /// Bytes that [`Store::compact`] would give back, about; 0 where the store keeps itself small.
    async fn reclaimable_bytes(&self) -> Result<u64, Error> {
        Ok(0)
    }
    /// Gives unused space back to the file system.
    async fn compact(&self) -> Result<(), Error> {
        Ok(())
    }
    /// Begins a new epoch: every client pulls from the start.
    async fn new_epoch(&self) -> Result<String, Error>;
}
