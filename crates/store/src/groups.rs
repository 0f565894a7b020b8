//! The part of the store's interface that is about groups, and receipts of messages.

use async_trait::async_trait;
use tidings_model::{MsgId, Stamp};

use crate::Error;
use crate::{Group, Idempotency, ListPage, ListQuery, OldReceipt, Outcome, Readers, ReceiptPage, UserKey};

/// Groups and their members.
#[async_trait]
pub trait GroupStore: Send + Sync {
    /// Creates a group, with the creator as its owner and a member. `id` is random if it is `None`.
    ///
    /// # Errors
    /// `conflict` if the id is taken, `not_found` if a member is not a user.
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
    /// The owner of a group; `None` if there is no such group.
    async fn group_owner(&self, group: &str) -> Result<Option<UserKey>, Error>;
    /// A page of the members of a group, in the order in which they joined.
    ///
    /// # Errors
    /// `not_found` if there is no such group, `invalid` if `after` was not a member lately.
    async fn members(&self, group: &str, page: ListQuery) -> Result<ListPage, Error>;
    /// A page of the groups that a user is a member of, by id.
    async fn groups_of(&self, user: UserKey, page: ListQuery) -> Result<ListPage, Error>;
    /// Whether a user is a member of a group.
    ///
    /// # Errors
    /// `not_found` if there is no such group.
    async fn is_member(&self, group: &str, user: UserKey) -> Result<bool, Error>;
    /// Adds a member; nothing changes if the user is one. The first member of a group that all had left owns it. Gives
    /// the group.
    ///
    /// # Errors
    /// `not_found` if there is no such group or user.
    async fn join(&self, group: &str, user: &str) -> Result<Group, Error>;
    /// Gives a group another name, another owner, or both; gives the group.
    ///
    /// # Errors
    /// `not_found` if there is no such group, or the owner is no member.
    async fn change_group(
        &self,
        group: &str,
        name: Option<String>,
        owner: Option<String>,
    ) -> Result<Group, Error>;
    /// Ends a group: there is no such group any more, its members keep what they have, and its id stays taken.
    ///
    /// # Errors
    /// `not_found` if there is no such group.
    async fn end_group(&self, group: &str) -> Result<(), Error>;
    /// Removes a member. An owner who leaves is succeeded by the member who joined first.
    ///
    /// # Errors
    /// `not_found` if there is no such group, user or member.
    async fn leave(&self, group: &str, user: &str) -> Result<(), Error>;
}

/// Who has read messages.
#[async_trait]
pub trait ReceiptStore: Send + Sync {
    /// A page of the members whose reading of a group message counts, with those who have read it.
    ///
    /// # Errors
    /// `not_found` if the message is not in this group, `invalid` if `after` is not a user.
    async fn readers(&self, group: &str, msgid: &MsgId, page: ListQuery) -> Result<Readers, Error>;
    /// A page of a sender's undelivered receipts, after a stamp.
    async fn receipts(&self, user: UserKey, since: Stamp, limit: usize) -> Result<ReceiptPage, Error>;
    /// Deletes a sender's receipts up to a stamp, in portions, after their delivery.
    async fn ack_receipts(
        &self,
        user: UserKey,
        through: Stamp,
        idempotency: Option<Idempotency<()>>,
    ) -> Result<Outcome<()>, Error>;
    /// The oldest of the receipts that [`RetentionStore::prune`](super::RetentionStore::prune) would delete by age, at
    /// most `limit`, without those of senders who were removed.
    async fn old_receipts(&self, before: Option<Stamp>, limit: usize) -> Result<Vec<OldReceipt>, Error>;
    /// Deletes receipts that were archived, in portions; nothing happens if one is gone.
    async fn forget_receipts(&self, archived: Vec<(UserKey, Stamp)>) -> Result<(), Error>;
}
