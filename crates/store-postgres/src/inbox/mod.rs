//! Reads of an inbox, each in one snapshot.

mod announcement_readers;
mod cached;
mod conversations;
mod counts;
mod list;
mod pull;
mod row;

use async_trait::async_trait;
use tidings_model::wire::{AnnouncementReaders, Count};
use tidings_model::{Stamp, View};
use tidings_store::domain::account::UserKey;
use tidings_store::{Conversation, ConversationQuery, Error, InboxQuery, InboxStore, ItemsPage, PullPage};

use super::tx::{in_snapshot, reading};
use super::{PostgresStore, fan_in};

#[async_trait]
impl InboxStore for PostgresStore {
    async fn fan_in(&self, user: UserKey) -> Result<bool, Error> {
        fan_in::fan_in(self, user).await
    }

    async fn sync(&self, user: UserKey, since: Stamp, limit: usize) -> Result<PullPage, Error> {
        let bounds = self.bounds;
        in_snapshot!(self, |db| pull::sync(db, user, since, limit, &bounds).await)
    }

    async fn changes_after(&self, user: UserKey, since: Stamp) -> Result<u64, Error> {
        let most = self.bounds.counted_changes;
        reading!(self, |db| pull::changes_after(db, user, since, most).await)
    }

    async fn inbox(&self, user: UserKey, query: InboxQuery) -> Result<ItemsPage, Error> {
        let now = self.clock.now();
        reading!(self, |db| list::inbox(db, user, &query, now).await)
    }

    async fn conversations(
        &self,
        user: UserKey,
        query: ConversationQuery,
    ) -> Result<Vec<Conversation>, Error> {
        let now = self.clock.now();
        in_snapshot!(self, |db| conversations::page(db, user, &query, now).await)
    }

    async fn view(&self, user: UserKey, view: &View, cap: u64) -> Result<(Option<Stamp>, Count), Error> {
        let now = self.clock.now();
        reading!(self, |db| counts::view(db, user, view, cap, now).await)
    }

    async fn announcement_readers(&self, created_at: Stamp) -> Result<AnnouncementReaders, Error> {
        announcement_readers::count(self, created_at).await
    }
}
