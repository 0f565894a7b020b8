//! The part of the store's interface that is about inboxes.

use async_trait::async_trait;
use tidings_model::wire::{AnnouncementReaders, Count, UnreadCounts};
use tidings_model::{Stamp, View};

use crate::Error;
use crate::{
    AffectedSenders, Applied, CacheFigures, Conversation, ConversationQuery, Difference, Idempotency,
    InboxQuery, ItemsPage, Outcome, PullPage, RequestedOp, UserKey, Visit,
};

/// What an inbox has.
#[async_trait]
pub trait InboxStore: Send + Sync {
    /// Fan-in: adds to an inbox what announcements, subscriptions, follows and groups have yielded since the last time,
    /// at most one page of it, and what [`DeliveryStore::tell_deliveries`] has. True while there is more. Writes nothing
    /// if there is nothing to add. A pull names groups that changed after a fan-in only.
    ///
    /// # Errors
    /// `not_found` if there is no such user.
    async fn fan_in(&self, user: UserKey) -> Result<bool, Error>;
    /// A page of a pull: items and read marks that are new or changed after a stamp.
    async fn sync(&self, user: UserKey, since: Stamp, limit: usize) -> Result<PullPage, Error>;
    /// The number of items that are new or changed after a stamp; counting stops at
    /// [`Bounds::counted_changes`](crate::Bounds::counted_changes).
    async fn changes_after(&self, user: UserKey, since: Stamp) -> Result<u64, Error>;
    /// A page of the inbox, newest first.
    async fn inbox(&self, user: UserKey, query: InboxQuery) -> Result<ItemsPage, Error>;
    /// A page of the conversations, latest first.
    async fn conversations(
        &self,
        user: UserKey,
        query: ConversationQuery,
    ) -> Result<Vec<Conversation>, Error>;
    /// A view's read mark and its unread count; counting stops at `cap`.
    async fn view(&self, user: UserKey, view: &View, cap: u64) -> Result<(Option<Stamp>, Count), Error>;
    /// How many users have read an announcement, as far as their inboxes have brought it in. Users count who were there
    /// when it was posted and still are, without who posted it. Its work grows with the number of users.
    async fn announcement_readers(&self, created_at: Stamp) -> Result<AnnouncementReaders, Error>;
}

/// Unread counts, and a cache of them if there is one.
#[async_trait]
pub trait UnreadStore: InboxStore {
    /// The unread counts of an inbox, by kind and conversation; counting stops at `cap`.
    async fn unread(&self, user: UserKey, cap: u64) -> Result<UnreadCounts, Error>;
    /// Brings in what is due, page by page, and gives the unread counts, which may be of a cache; counting stops at `cap`,
    /// at most [`COUNT_CAP`](crate::domain::limits::COUNT_CAP).
    ///
    /// # Errors
    /// `not_found` if there is no such user.
    async fn fresh_unread(&self, user: UserKey, cap: u64) -> Result<UnreadCounts, Error> {
        while self.fan_in(user).await? {}
        self.unread(user, cap).await
    }
    /// Compares the cached unread counts of up to `batch` users who asked lately with a recount, and deletes those that
    /// differ. Gives the differences.
    async fn reconcile_cache(&self, batch: usize) -> Result<Vec<Difference>, Error> {
        let _ = batch;
        Ok(Vec::new())
    }
    /// What the cache of unread counts has done in this process; `None` if there is none.
    fn cache_figures(&self) -> Option<CacheFigures> {
        None
    }
}

/// What a user does to the items of an inbox.
#[async_trait]
pub trait ReadStateStore: InboxStore {
    /// Moves a view's read mark forward, in portions. Gives the mark, the view's unread count and the senders of
    /// messages that became read.
    ///
    /// # Errors
    /// `not_found` if the item of a [`Visit::Item`] is not in the view.
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
    /// Brings in what is due, page by page, and applies operations as [`ReadStateStore::apply`] does.
    async fn apply_fresh(
        &self,
        user: UserKey,
        ops: Vec<RequestedOp>,
        cap: u64,
        idempotency: Option<Idempotency<Applied>>,
    ) -> Result<Outcome<Applied>, Error> {
        while self.fan_in(user).await? {}
        self.apply(user, ops, cap, idempotency).await
    }
}

/// Which group messages have arrived with whom.
#[async_trait]
pub trait DeliveryStore: Send + Sync {
    /// Records that group messages have arrived with a user, up to the [`PullPage::delivered_to`] of a page that is handed
    /// out; nothing changes if later ones have. Messages to a large group cost no more: each user has a position.
    async fn set_delivered(&self, user: UserKey, to: Stamp) -> Result<(), Error>;
    /// Gives a sender's own group messages a new version if they have arrived with more members than it says. Every
    /// fan-in does so. It gives true if there were any.
    async fn tell_deliveries(&self, sender: UserKey) -> Result<bool, Error>;
    /// Adds a portion of the latest pulls to the counts of the messages, if that is not done at once; every answer
    /// counts them before. It gives true while there may be more.
    async fn count_deliveries(&self) -> Result<bool, Error> {
        Ok(false)
    }
    /// Completes when there is something for [`DeliveryStore::count_deliveries`].
    async fn deliveries_to_count(&self) {
        std::future::pending::<()>().await;
    }
}
