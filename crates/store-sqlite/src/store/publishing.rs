//! Publications.

use std::sync::Arc;

use async_trait::async_trait;
use tidings_model::wire::{Edited, NotificationEdit};
use tidings_model::{Catalog, MsgId, Question, Stamp};
use tidings_store::published::Published;
use tidings_store::traces::of_delivery;
use tidings_store::{
    Draft, Editor, Error, Idempotency, ListPage, ListQuery, Outcome, Post, PostedBy, PublishingStore,
    RevisionStore, SequenceChange, UserKey,
};

use crate::publishing::{self, Sharing, delayed, edit, questions, recall, revisions};
use crate::tables::{meta, notifications, scheduled};
use crate::write_tx::WriteTx;
use crate::{SHARED_QUEUE, SqliteStore};

#[async_trait]
impl PublishingStore for SqliteStore {
    async fn catalog(&self) -> Result<Arc<Catalog>, Error> {
        let cache = Arc::clone(&self.catalog_cache);
        self.read(move |c| cache.current(c)).await
    }

    async fn set_catalog(&self, catalog: Catalog) -> Result<(), Error> {
        self.write(move |w| meta::replace_catalog(w, &catalog)).await
    }

    async fn require_deliverable(&self, draft: &Draft) -> Result<(), Error> {
        let (audience, actor) = (draft.audience.clone(), draft.actor.clone());
        self.read(move |c| publishing::require_deliverable(c, &audience, &actor)).await
    }

    async fn post(
        &self,
        drafts: Vec<Draft>,
        idempotency: Option<Idempotency<Vec<Post>>>,
    ) -> Result<Outcome<Vec<Post>>, Error> {
        let sharing = Sharing::of(&drafts, idempotency.is_some());
        let count = drafts.len();
        let post = move |w: &mut WriteTx<'_>| {
            w.idempotent(idempotency, |w| {
                drafts.into_iter().map(|draft| publishing::post(w, draft)).collect()
            })
        };
        self.write_posts(count, sharing, post).await
    }

    async fn schedule(
        &self,
        draft: Draft,
        deliver_at: Stamp,
        idempotency: Option<Idempotency<MsgId>>,
    ) -> Result<Outcome<MsgId>, Error> {
        self.write(move |w| w.idempotent(idempotency, |w| delayed::schedule(w, draft, deliver_at))).await
    }

    async fn deliver_due(&self) -> Result<(Vec<Post>, Option<Stamp>), Error> {
        let ended = std::mem::take(&mut *self.ended.lock());
        let next = self.read(delayed::next_due).await?;
        if !ended.is_empty() || next.is_none_or(|at| at > self.clock.now()) {
            return Ok((ended, next));
        }
        let budget = self.budget();
        let due = move |w: &mut WriteTx<'_>| {
            let mut budget = budget();
            let mut posts = questions::expire_due(w, &mut budget)?;
            if !budget.is_spent() {
                posts.extend(delayed::deliver_due(w, &mut budget)?);
            }
            Ok((posts, delayed::next_due(w.tx)?))
        };
        of_delivery(self.write_long(due), |(posts, _): &(Vec<Post>, _)| posts.len()).await
    }

    async fn scheduled_on(
        &self,
        topic: &str,
        publishers: &[Option<UserKey>],
    ) -> Result<Vec<(MsgId, Stamp, Draft)>, Error> {
        let (topic, publishers) = (topic.to_owned(), publishers.to_vec());
        self.read_long(SHARED_QUEUE, move |c| scheduled::waiting_on(c, &topic, &publishers)).await
    }

    async fn scheduled_by(&self, publisher: UserKey, page: ListQuery) -> Result<ListPage, Error> {
        self.read_long(publisher, move |c| scheduled::page_of(c, publisher, &page)).await
    }

    async fn created_at(&self, msgid: &MsgId) -> Result<Option<Stamp>, Error> {
        let msgid = msgid.clone();
        self.read(move |c| notifications::created_at(c, &msgid)).await
    }
}

#[async_trait]
impl RevisionStore for SqliteStore {
    async fn sequence(
        &self,
        topic: &str,
        name: &str,
        change: SequenceChange,
        by: PostedBy,
    ) -> Result<Option<Post>, Error> {
        let (topic, name) = (topic.to_owned(), name.to_owned());
        self.write(move |w| revisions::change(w, &topic, &name, change, by)).await
    }

    async fn recall(&self, msgid: &MsgId, by: &Editor) -> Result<Option<Post>, Error> {
        let (msgid, by) = (msgid.clone(), by.clone());
        self.write(move |w| recall::recall(w, &msgid, &by)).await
    }

    async fn edit(
        &self,
        msgid: &MsgId,
        edit: &NotificationEdit,
        by: &Editor,
    ) -> Result<(Edited, Option<Post>), Error> {
        let (msgid, edit, by) = (msgid.clone(), edit.clone(), by.clone());
        self.write(move |w| edit::edit(w, &msgid, &edit, &by)).await
    }

    async fn question(&self, msgid: &MsgId, by: &Editor) -> Result<(MsgId, Question), Error> {
        let (msgid, by) = (msgid.clone(), by.clone());
        self.read(move |conn| questions::question(conn, &msgid, &by)).await
    }

    async fn own_announcement(&self, msgid: &MsgId, by: &Editor) -> Result<Stamp, Error> {
        let (msgid, by) = (msgid.clone(), by.clone());
        self.read(move |c| Published::own_announcement(recall::find(c, &msgid)?.as_ref(), &by)).await
    }
}
