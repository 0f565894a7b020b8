//! Reads of an inbox, each in one snapshot.

pub(super) mod conversations;
pub(super) mod counts;
pub(super) mod list;
mod pull;
mod row;

use async_trait::async_trait;
use rusqlite::Connection;
use tidings_model::wire::{AnnouncementReaders, Count, UnreadCounts};
use tidings_model::{Stamp, View};
use tidings_store::{
    Conversation, ConversationQuery, Error, InboxQuery, InboxStore, ItemsPage, PullPage, UnreadStore, UserKey,
};

use super::tables::read_marks;
use super::{SHARED_QUEUE, SqliteStore, sql};

#[async_trait]
impl InboxStore for SqliteStore {
    async fn fan_in(&self, user: UserKey) -> Result<bool, Error> {
        match self.search_fan_in(user).await? {
            Some(found) => self.bring_in(found).await,
            None => Ok(false),
        }
    }

    async fn sync(&self, user: UserKey, since: Stamp, limit: usize) -> Result<PullPage, Error> {
        let bounds = self.bounds;
        self.read_long(user, move |c| pull::sync(c, user, since, limit, &bounds)).await
    }

    async fn changes_after(&self, user: UserKey, since: Stamp) -> Result<u64, Error> {
        // Only the index is read.
        let sql = "SELECT count(*) FROM (SELECT 1 FROM items WHERE user = ?1 AND stamp > ?2 LIMIT ?3)";
        let most = i64::try_from(self.bounds.counted_changes).unwrap_or(i64::MAX);
        let values = [user.0, since.as_micros(), most];
        let count: i64 = self.read_long(user, move |c| sql::one(c, sql, values, |r| Ok(r.get(0)?))).await?;
        Ok(u64::try_from(count).unwrap_or_default())
    }

    async fn inbox(&self, user: UserKey, query: InboxQuery) -> Result<ItemsPage, Error> {
        let now = self.clock.now();
        self.read_long(user, move |c| list::inbox(c, user, &query, now)).await
    }

    async fn conversations(
        &self,
        user: UserKey,
        query: ConversationQuery,
    ) -> Result<Vec<Conversation>, Error> {
        let now = self.clock.now();
        self.read_long(user, move |c| conversations::page(c, user, &query, now)).await
    }

    async fn view(&self, user: UserKey, view: &View, cap: u64) -> Result<(Option<Stamp>, Count), Error> {
        let (view, now) = (view.clone(), self.clock.now());
        self.read_long(user, move |c| {
            let (kind, id) = read_marks::view_key(&view);
            let mark = read_marks::get(c, user, kind, id)?.map(|(mark, _)| mark);
            Ok((mark, counts::unread_in(c, user, kind, id, cap, now)?))
        })
        .await
    }

    async fn announcement_readers(&self, created_at: Stamp) -> Result<AnnouncementReaders, Error> {
        // Of the users who were there at the post, without who posted it. Each is looked up by key in its inbox. An item
        // that waits for new content is unread again, unless its reader has deleted it.
        let sql = "SELECT count(*), coalesce(sum(EXISTS (
                     SELECT 1 FROM items i LEFT JOIN read_marks v ON v.user = i.user AND v.kind = 1 AND v.view = 'all'
                     WHERE i.user = u.key AND i.created_at = n.created_at
                         AND (i.deleted = 1 OR i.revised_at >= n.content_revised_at)
                         AND (i.read_at IS NOT NULL OR i.content_at <= v.mark))), 0)
                 FROM notifications n CROSS JOIN users u
                 WHERE n.created_at = ?1 AND u.created_at < n.created_at AND u.id < '~' AND u.key <> n.publisher
                     AND u.id <> n.actor_id";
        let values = [created_at.as_micros()];
        let counted = move |c: &Connection| sql::one(c, sql, values, |r| Ok((r.get(0)?, r.get(1)?)));
        let (user_count, read_count): (i64, i64) = self.read_long(SHARED_QUEUE, counted).await?;
        let count = |n: i64| u64::try_from(n).unwrap_or_default();
        Ok(AnnouncementReaders { read_count: count(read_count), user_count: count(user_count) })
    }
}

#[async_trait]
impl UnreadStore for SqliteStore {
    async fn unread(&self, user: UserKey, cap: u64) -> Result<UnreadCounts, Error> {
        let now = self.clock.now();
        self.read_long(user, move |c| counts::unread(c, user, cap, now)).await
    }
}
