//! The implementation of [`Store`]: each method calls the modules beside it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_trait::async_trait;
use tidings_model::wire::{AnnouncementReaders, Count, UnreadCounts};
use tidings_model::{Clock, MsgId, Stamp, View};

use super::{PostgresStore, changes, fan_in, groups, inbox, read_state, readiness, upkeep};
use crate::error::Error;
use crate::store::{
    AffectedSenders, Applied, CacheFigures, Changes, Conversation, ConversationQuery, DeliveryStore,
    Difference, Group, GroupStore, Idempotency, InboxQuery, InboxStore, ItemsPage, ListPage, ListQuery,
    LiveStore, OldReceipt, Outcome, PullPage, ReadStateStore, Readers, ReceiptPage, ReceiptStore, Receipts,
    Recipients, RequestedOp, RetentionStore, Store, StoreMeta, UnreadStore, UpkeepStore, UserKey, Visit,
};

impl Store for PostgresStore {}

#[async_trait]
impl InboxStore for PostgresStore {
    async fn fan_in(&self, user: UserKey) -> Result<bool, Error> {
        fan_in::fan_in(self, user).await
    }

    async fn sync(&self, user: UserKey, since: Stamp, limit: usize) -> Result<PullPage, Error> {
        inbox::sync(self, user, since, limit).await
    }

    async fn changes_after(&self, user: UserKey, since: Stamp) -> Result<u64, Error> {
        inbox::changes_after(self, user, since).await
    }

    async fn inbox(&self, user: UserKey, query: InboxQuery) -> Result<ItemsPage, Error> {
        inbox::inbox(self, user, query).await
    }

    async fn conversations(
        &self,
        user: UserKey,
        query: ConversationQuery,
    ) -> Result<Vec<Conversation>, Error> {
        inbox::conversations(self, user, query).await
    }

    async fn view(&self, user: UserKey, view: &View, cap: u64) -> Result<(Option<Stamp>, Count), Error> {
        inbox::view(self, user, view, cap).await
    }

    async fn announcement_readers(&self, created_at: Stamp) -> Result<AnnouncementReaders, Error> {
        inbox::announcement_readers(self, created_at).await
    }
}

#[async_trait]
impl ReadStateStore for PostgresStore {
    async fn visit(
        &self,
        user: UserKey,
        view: &View,
        visit: Visit,
        cap: u64,
    ) -> Result<(Stamp, Count, AffectedSenders), Error> {
        read_state::visit(self, user, view, visit, cap).await
    }

    async fn apply(
        &self,
        user: UserKey,
        ops: Vec<RequestedOp>,
        cap: u64,
        idempotency: Option<Idempotency<Applied>>,
    ) -> Result<Outcome<Applied>, Error> {
        read_state::apply(self, user, ops, cap, idempotency).await
    }
}

#[async_trait]
impl DeliveryStore for PostgresStore {
    async fn set_delivered(&self, user: UserKey, to: Stamp) -> Result<(), Error> {
        groups::deliveries::set(self, user, to).await
    }

    async fn tell_deliveries(&self, sender: UserKey) -> Result<bool, Error> {
        groups::deliveries::tell(self, sender).await
    }

    async fn count_deliveries(&self) -> Result<bool, Error> {
        groups::deliveries::count(self).await
    }

    async fn deliveries_to_count(&self) {
        self.deliveries.notified().await;
    }
}

#[async_trait]
impl GroupStore for PostgresStore {
    async fn add_group(
        &self,
        owner: UserKey,
        id: Option<String>,
        name: String,
        members: Vec<String>,
        idempotency: Option<Idempotency<Group>>,
    ) -> Result<Outcome<Group>, Error> {
        groups::add_group(self, owner, id, name, members, idempotency).await
    }

    async fn group(&self, id: &str) -> Result<Option<Group>, Error> {
        groups::group(self, id).await
    }

    async fn group_owner(&self, group: &str) -> Result<Option<UserKey>, Error> {
        groups::group_owner(self, group).await
    }

    async fn members(&self, group: &str, page: ListQuery) -> Result<ListPage, Error> {
        groups::members(self, group, page).await
    }

    async fn groups_of(&self, user: UserKey, page: ListQuery) -> Result<ListPage, Error> {
        groups::groups_of(self, user, page).await
    }

    async fn is_member(&self, group: &str, user: UserKey) -> Result<bool, Error> {
        groups::is_member(self, group, user).await
    }

    async fn join(&self, group: &str, user: &str) -> Result<Group, Error> {
        groups::join(self, group, user).await
    }

    async fn change_group(
        &self,
        group: &str,
        name: Option<String>,
        owner: Option<String>,
    ) -> Result<Group, Error> {
        groups::change_group(self, group, name, owner).await
    }

    async fn end_group(&self, group: &str) -> Result<(), Error> {
        groups::end_group(self, group).await
    }

    async fn leave(&self, group: &str, user: &str) -> Result<(), Error> {
        groups::leave(self, group, user).await
    }
}

#[async_trait]
impl ReceiptStore for PostgresStore {
    async fn readers(&self, group: &str, msgid: &MsgId, page: ListQuery) -> Result<Readers, Error> {
        groups::readers(self, group, msgid, page).await
    }

    async fn receipts(&self, user: UserKey, since: Stamp, limit: usize) -> Result<ReceiptPage, Error> {
        groups::receipts(self, user, since, limit).await
    }

    async fn ack_receipts(
        &self,
        user: UserKey,
        through: Stamp,
        idempotency: Option<Idempotency<()>>,
    ) -> Result<Outcome<()>, Error> {
        groups::ack_receipts(self, user, through, idempotency).await
    }

    async fn old_receipts(&self, before: Option<Stamp>, limit: usize) -> Result<Vec<OldReceipt>, Error> {
        groups::receipts::old(self, before, limit).await
    }

    async fn forget_receipts(&self, archived: Vec<(UserKey, Stamp)>) -> Result<(), Error> {
        groups::receipts::forget(self, archived).await
    }
}

#[async_trait]
impl LiveStore for PostgresStore {
    async fn recipients_among(
        &self,
        all_recipients: &[Recipients],
        among: &[UserKey],
    ) -> Result<Vec<UserKey>, Error> {
        groups::recipients_among(self, all_recipients, among).await
    }

    fn is_shared(&self) -> bool {
        true
    }

    async fn others_changed(&self) {
        self.hints.others_changed().await;
    }

    async fn changes_since(&self, since: Stamp, known: &[(UserKey, Stamp)]) -> Result<Changes, Error> {
        changes::changes_since(self, since, known).await
    }

    async fn newest_stamp(&self) -> Result<Stamp, Error> {
        Ok(Stamp::from_micros(self.newest_stamp.load(Ordering::Acquire)))
    }

    async fn published_through(&self) -> Result<Stamp, Error> {
        changes::published_through(self).await
    }

    async fn inbox_stamp(&self, user: UserKey) -> Result<Stamp, Error> {
        changes::inbox_stamp(self, user).await
    }

    async fn position(&self, user: UserKey) -> Result<Stamp, Error> {
        upkeep::position(self, user).await
    }
}

#[async_trait]
impl UpkeepStore for PostgresStore {
    fn clock(&self) -> Arc<dyn Clock> {
        self.clock.clone()
    }

    async fn take_lease(&self, work: &str) -> Result<bool, Error> {
        upkeep::take_lease(self, work).await
    }

    async fn epoch(&self) -> Result<String, Error> {
        upkeep::epoch(self).await
    }

    async fn new_epoch(&self) -> Result<String, Error> {
        upkeep::new_epoch(self).await
    }

    async fn ready(&self) -> Result<(), Error> {
        readiness::ready(self).await
    }

    async fn meta(&self) -> Result<StoreMeta, Error> {
        upkeep::meta(self).await
    }

    async fn latest_stamp(&self) -> Result<Stamp, Error> {
        upkeep::latest_stamp(self).await
    }

    async fn check(&self) -> Result<Vec<Difference>, Error> {
        upkeep::check(self).await
    }

    async fn reconcile(
        &self,
        after: UserKey,
        since: Stamp,
        batch: usize,
    ) -> Result<(Vec<Difference>, Option<UserKey>), Error> {
        upkeep::reconcile(self, after, since, batch).await
    }

    fn takes_backups(&self) -> bool {
        false
    }

    async fn backup(&self, _: &Path) -> Result<(), Error> {
        Err(upkeep::no_backup())
    }
}

#[async_trait]
impl RetentionStore for PostgresStore {
    async fn prune(&self, before: Option<Stamp>, batch: usize) -> Result<bool, Error> {
        upkeep::prune(self, before, Receipts::Deleted, batch).await
    }

    async fn prune_but_receipts(&self, before: Option<Stamp>, batch: usize) -> Result<bool, Error> {
        upkeep::prune(self, before, Receipts::Kept, batch).await
    }

    async fn prune_removed(&self, batch: usize) -> Result<bool, Error> {
        upkeep::prune_removed(self, batch).await
    }

    async fn age_hold(&self) -> Result<Duration, Error> {
        upkeep::age_hold(self).await
    }

    async fn set_age_hold(&self, left: Duration) -> Result<(), Error> {
        upkeep::set_age_hold(self, left).await
    }
}

#[async_trait]
impl UnreadStore for PostgresStore {
    async fn unread(&self, user: UserKey, cap: u64) -> Result<UnreadCounts, Error> {
        inbox::unread(self, user, cap).await
    }

    async fn fresh_unread(&self, user: UserKey, cap: u64) -> Result<UnreadCounts, Error> {
        inbox::fresh_unread(self, user, cap).await
    }

    async fn reconcile_cache(&self, batch: usize) -> Result<Vec<Difference>, Error> {
        inbox::reconcile_cache(self, batch).await
    }

    fn cache_figures(&self) -> Option<CacheFigures> {
        self.unread_cache.as_ref().map(|cache| cache.figures())
    }
}
