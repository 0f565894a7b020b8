//! The implementation of [`Store`]: each method calls the modules beside it in a transaction or snapshot.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_trait::async_trait;
use rusqlite::{Connection, params};
use tidings_model::wire::{AnnouncementReaders, Count, Edited, NotificationEdit, UnreadCounts};
use tidings_model::{Catalog, Clock, MsgId, Question, Stamp, View};

use super::groups::{self, pending, readers};
use super::in_time::in_time;
use super::inbox::{announcement_readers, conversations, counts, list, pull};
use super::portions::{DeleteInBatches, LongWrite};
use super::publishing::{self, Sharing, delayed, edit, questions, recall, recipients, revisions, written};
use super::read_state::{marks, ops};
use super::tables::{
    deliveries, files, follows, former_users, memberships, meta, notifications, open_questions, preferences,
    receipts, scheduled, stored_responses, subscriptions, tokens, users,
};
use super::upkeep::{check, prune, removal, repair};
use super::write_tx::WriteTx;
use super::{SHARED_QUEUE, SqliteStore, fan_in, readiness, topics};
use crate::domain::account::random_name;
use crate::domain::draft::receipts_expire;
use crate::domain::limits;
use crate::error::Error;
use crate::store::published::Published;
use crate::store::{
    AffectedSenders, Applied, Bearer, Conversation, ConversationQuery, DeliveryStore, Difference, Draft,
    Editor, FileStore, FileUsage, Follow, FollowStore, Group, GroupStore, Idempotency, InboxQuery,
    InboxStore, ItemsPage, ListPage, ListQuery, LiveStore, NewToken, OldReceipt, Outcome, Post, PostedBy,
    PreferenceStore, PublishingStore, PullPage, ReadStateStore, Readers, ReceiptPage, ReceiptStore, Receipts,
    Recipients, RequestedOp, RetentionStore, RevisionStore, SequenceChange, Store, StoreMeta, StoredFile,
    StoredResponse, Subscription, SubscriptionStore, TargetRef, Token, TokenStore, TopicEventStore,
    TopicPage, UnreadStore, UpkeepStore, User, UserKey, UserStore, Visit, WrittenContent, WrittenPage,
};
use crate::traces::of_delivery;

impl Store for SqliteStore {}

#[async_trait]
impl UserStore for SqliteStore {
    async fn add_user(
        &self,
        id: &str,
        name: &str,
        idempotency: Option<Idempotency<User>>,
    ) -> Result<Outcome<User>, Error> {
        let (id, name) = (id.to_owned(), name.to_owned());
        self.write(move |w| w.idempotent(idempotency, |w| users::add(w, &id, &name))).await
    }

    async fn rename_user(&self, id: &str, name: &str) -> Result<User, Error> {
        let (id, name) = (id.to_owned(), name.to_owned());
        self.write(move |w| users::rename(w, &id, &name)).await
    }

    async fn remove_user(&self, id: &str, written: WrittenContent) -> Result<(), Error> {
        let id = id.to_owned();
        let budget = self.budget();
        self.write(move |w| {
            let user = users::remove(w, &id, written)?;
            let portion = match written {
                WrittenContent::Keep => removal::portion,
                WrittenContent::Delete => removal::first,
            };
            DeleteInBatches(move |w: &mut WriteTx<'_>, rows| portion(w, user, rows))
                .portion(w, &mut budget())?;
            Ok(())
        })
        .await
    }

    async fn removal_pending(&self) -> Result<bool, Error> {
        self.read(users::any_removed).await
    }

    async fn written(
        &self,
        user: UserKey,
        id: &str,
        after: Stamp,
        limit: usize,
    ) -> Result<WrittenPage, Error> {
        let id = id.to_owned();
        self.read_long(user, move |c| written::page(c, user, &id, after, limit)).await
    }

    async fn to_recall(&self, limit: usize) -> Result<Option<(UserKey, WrittenPage)>, Error> {
        self.read_long(SHARED_QUEUE, move |c| {
            let Some(former) = former_users::next_recalled(c)? else { return Ok(None) };
            let page = written::page(c, former.key, &former.id, former.recalled_to, limit)?;
            Ok(Some((former.key, page)))
        })
        .await
    }

    async fn recalled(&self, user: UserKey, through: Stamp, all: bool) -> Result<(), Error> {
        self.write(move |w| former_users::set_recalled(w, user, through, all)).await
    }

    async fn user(&self, id: &str) -> Result<Option<User>, Error> {
        let id = id.to_owned();
        self.read(move |c| users::by_id(c, &id)).await
    }

    async fn users(&self, page: ListQuery) -> Result<ListPage, Error> {
        self.read_long(SHARED_QUEUE, move |c| users::page(c, &page)).await
    }
}

#[async_trait]
impl TokenStore for SqliteStore {
    async fn add_token(
        &self,
        user: &str,
        token: NewToken,
        idempotency: Option<Idempotency<Token>>,
    ) -> Result<Outcome<Token>, Error> {
        let user = user.to_owned();
        self.write(move |w| w.idempotent(idempotency, |w| tokens::add(w, &user, token))).await
    }

    async fn tokens(&self, user: Option<UserKey>, page: ListQuery) -> Result<ListPage, Error> {
        self.read_long(SHARED_QUEUE, move |c| tokens::page(c, user, &page)).await
    }

    async fn revoke(&self, id: &str, by: Option<&Bearer>) -> Result<(), Error> {
        let (token, by) = (id.to_owned(), by.cloned());
        self.write(move |w| tokens::revoke(w, &token, by.as_ref())).await?;
        self.delete_descendants(id.to_owned()).await
    }

    async fn revoke_program_tokens(&self) -> Result<(), Error> {
        self.write(tokens::revoke_program_tokens).await
    }

    async fn bearer(&self, hash: [u8; 32]) -> Result<Option<Bearer>, Error> {
        self.read(move |c| tokens::bearer(c, &hash)).await
    }

    async fn stored_response(&self, token: &str, key: &str) -> Result<Option<StoredResponse>, Error> {
        let (token, key, now) = (token.to_owned(), key.to_owned(), self.clock.now());
        self.read(move |c| stored_responses::get(c, &token, &key, now)).await
    }
}

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

#[async_trait]
impl TopicEventStore for SqliteStore {
    async fn topic_events(&self, topic: &str, after: Stamp, limit: usize) -> Result<TopicPage, Error> {
        let topic = topic.to_owned();
        self.read(move |c| topics::events::after(c, &topic, after, limit)).await
    }

    async fn topic_latest(&self, topic: &str) -> Result<Option<Stamp>, Error> {
        let (mut latest, most): (Option<Stamp>, _) = (None, self.bounds.latest_rows);
        // A look that passes only what was deleted is followed by another one.
        for sql in [topics::events::NEWEST_REVISED, topics::events::NEWEST_CREATED] {
            let mut before = Some(Stamp::MAX);
            while let Some(end) = before {
                let topic = topic.to_owned();
                let look = move |c: &Connection| topics::events::newest(c, sql, (topic.as_str(), end), most);
                let (found, oldest) = self.read(look).await?;
                latest = latest.max(found);
                before = oldest.filter(|oldest| Some(*oldest) > latest);
            }
        }
        Ok(latest)
    }
}

#[async_trait]
impl FileStore for SqliteStore {
    async fn file(&self, name: &str) -> Result<Option<StoredFile>, Error> {
        let name = name.to_owned();
        self.read(move |c| files::get(c, &name)).await
    }

    async fn file_usage(&self, uploader: Option<UserKey>) -> Result<FileUsage, Error> {
        let now = self.clock.now();
        self.read(move |c| files::usage(c, uploader, now)).await
    }

    async fn expired_files(&self, by_age: bool, limit: usize) -> Result<Vec<String>, Error> {
        let now = if by_age { self.clock.now() } else { Stamp::ZERO };
        self.read(move |c| files::due(c, now, limit)).await
    }

    async fn known_files(&self, names: Vec<String>) -> Result<HashSet<String>, Error> {
        self.read(move |c| files::known(c, names)).await
    }

    async fn files_after(&self, name: &str, limit: usize) -> Result<Vec<String>, Error> {
        let name = name.to_owned();
        self.read(move |c| files::after(c, &name, limit)).await
    }

    async fn forget_files(&self, names: Vec<String>) -> Result<(), Error> {
        self.write_long(move |w| files::forget(w, &names)).await
    }
}

#[async_trait]
impl SubscriptionStore for SqliteStore {
    async fn subscribe(
        &self,
        user: UserKey,
        target: TargetRef,
        actions: Vec<String>,
        reason: Option<String>,
    ) -> Result<Subscription, Error> {
        self.write(move |w| subscriptions::subscribe(w, user, &target, &actions, reason.as_deref())).await
    }

    async fn unsubscribe(
        &self,
        user: UserKey,
        target: TargetRef,
        action: Option<String>,
    ) -> Result<(), Error> {
        self.write(move |w| subscriptions::unsubscribe(w, user, &target, action.as_deref())).await
    }

    async fn subscriptions(
        &self,
        user: UserKey,
        kind: Option<String>,
        id: Option<String>,
        page: ListQuery,
    ) -> Result<ListPage, Error> {
        let most_types = self.bounds.target_types;
        self.read_long(user, move |c| {
            subscriptions::list(c, user, kind.as_deref(), id.as_deref(), &page, most_types)
        })
        .await
    }
}

#[async_trait]
impl FollowStore for SqliteStore {
    async fn follow(&self, user: UserKey, actor: &str) -> Result<Follow, Error> {
        let actor = actor.to_owned();
        self.write(move |w| follows::follow(w, user, &actor)).await
    }

    async fn unfollow(&self, user: UserKey, actor: &str) -> Result<(), Error> {
        let actor = actor.to_owned();
        self.write(move |w| follows::unfollow(w, user, &actor)).await
    }

    async fn follows(&self, user: UserKey, page: ListQuery) -> Result<ListPage, Error> {
        self.read_long(user, move |c| follows::page(c, user, &page)).await
    }

    async fn followed(&self, user: UserKey, actor: &str) -> Result<Option<Follow>, Error> {
        let actor = actor.to_owned();
        self.read(move |c| follows::get(c, user, &actor)).await
    }
}

#[async_trait]
impl PreferenceStore for SqliteStore {
    async fn preferences(&self, user: UserKey) -> Result<BTreeMap<String, bool>, Error> {
        self.read(move |c| preferences::get(c, user)).await
    }

    async fn set_preferences(
        &self,
        user: UserKey,
        changes: BTreeMap<String, Option<bool>>,
    ) -> Result<(), Error> {
        self.write(move |w| preferences::set(w, user, &changes)).await
    }
}

#[async_trait]
impl InboxStore for SqliteStore {
    async fn fan_in(&self, user: UserKey) -> Result<bool, Error> {
        let bounds = self.bounds;
        let fan_in = loop {
            let now = self.clock.now();
            // A question ends at its very moment, whichever request comes first.
            let look = move |c: &Connection| {
                let is_over = open_questions::next_due(c)?.is_some_and(|due| due <= now);
                let fan_in = fan_in::prepare(c, user, &bounds)?;
                Ok((is_over, (fan_in, deliveries::any_untold(c, user, now)?)))
            };
            let (is_over, fan_in) = self.read_long(user, look).await?;
            if !is_over {
                break fan_in;
            }
            let budget = self.budget();
            match self.write_long(move |w| questions::expire_due(w, &mut budget())).await {
                Ok(posts) => self.ended.lock().extend(posts),
                Err(Error::DiskFull) => break fan_in,
                Err(e) => return Err(e),
            }
        };
        let (fan_in, any_untold) = fan_in;
        if any_untold {
            match self.tell_deliveries(user).await {
                Ok(_) | Err(Error::DiskFull) => {}
                Err(e) => return Err(e),
            }
        }
        let Some(fan_in) = fan_in else { return Ok(false) };
        let has_more = self.in_portions(fan_in).await.map(|done| done.has_more());
        match has_more {
            // Nothing new is stored, but the stored items can be read.
            Err(Error::DiskFull) => Ok(false),
            has_more => has_more,
        }
    }

    async fn sync(&self, user: UserKey, since: Stamp, limit: usize) -> Result<PullPage, Error> {
        let bounds = self.bounds;
        self.read_long(user, move |c| pull::sync(c, user, since, limit, &bounds)).await
    }

    async fn changes_after(&self, user: UserKey, since: Stamp) -> Result<u64, Error> {
        self.read_long(user, move |c| pull::changes_after(c, user, since)).await
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
        self.read_long(user, move |c| counts::view(c, user, &view, cap, now)).await
    }

    async fn announcement_readers(&self, created_at: Stamp) -> Result<AnnouncementReaders, Error> {
        self.read_long(SHARED_QUEUE, move |c| announcement_readers::count(c, created_at)).await
    }
}

#[async_trait]
impl ReadStateStore for SqliteStore {
    async fn visit(
        &self,
        user: UserKey,
        view: &View,
        visit: Visit,
        cap: u64,
    ) -> Result<(Stamp, Count, AffectedSenders), Error> {
        let _lock = in_time(self.user_locks.lock(user)).await?;
        let visit_write = marks::VisitWrite::new(user, view.clone(), visit);
        let visited = self.in_portions(visit_write).await?;
        let (mark, unread) = self.view(user, view, cap).await?;
        Ok((mark.unwrap_or(visited.to()), unread, visited.affected))
    }

    async fn apply(
        &self,
        user: UserKey,
        ops: Vec<RequestedOp>,
        cap: u64,
        idempotency: Option<Idempotency<Applied>>,
    ) -> Result<Outcome<Applied>, Error> {
        let _lock = in_time(self.user_locks.lock(user)).await?;
        if let Some(idempotency) = &idempotency
            && let Some(answer) = self.stored_response(&idempotency.token, &idempotency.key).await?
        {
            return Ok(Outcome::Replayed(answer));
        }
        let ops_write = self.in_portions(ops::OpsWrite::new(user, ops)).await?;
        let applied = ops_write.applied(self.unread(user, cap).await?);
        // The response is stored after the last portion; until then a repetition continues the work, each operation
        // once.
        match idempotency {
            None => Ok(Outcome::Done(applied)),
            Some(idempotency) => self.write(move |w| w.idempotent(Some(idempotency), |_| Ok(applied))).await,
        }
    }
}

#[async_trait]
impl DeliveryStore for SqliteStore {
    async fn set_delivered(&self, user: UserKey, to: Stamp) -> Result<(), Error> {
        let most = self.short_write_rows();
        while !self.write(move |w| deliveries::advance(w, user, to, most)).await? {}
        Ok(())
    }

    async fn tell_deliveries(&self, sender: UserKey) -> Result<bool, Error> {
        let (now, most) = (self.clock.now(), self.short_write_rows());
        if !self.read(move |c| deliveries::any_untold(c, sender, now)).await? {
            return Ok(false);
        }
        while self.write(move |w| deliveries::tell(w, sender, most)).await? >= most {}
        Ok(true)
    }
}

#[async_trait]
impl GroupStore for SqliteStore {
    async fn add_group(
        &self,
        owner: UserKey,
        id: Option<String>,
        name: String,
        members: Vec<String>,
        idempotency: Option<Idempotency<Group>>,
    ) -> Result<Outcome<Group>, Error> {
        if let Some(answer) = self.stored_response_of(idempotency.as_ref().map(Idempotency::name)).await? {
            return Ok(Outcome::Replayed(answer));
        }
        let id = id.unwrap_or_else(random_name);
        let members = self.read_long(owner, move |c| pending::members(c, owner, &members)).await?;
        if members.len() <= limits::SHORT_WRITE_ROWS {
            return self
                .write(move |w| {
                    w.idempotent(idempotency, |w| {
                        let group = pending::begin(w, owner, &id, &name)?;
                        pending::add(w, &group, &members)?;
                        pending::reveal(w, &group)
                    })
                })
                .await;
        }
        let group = self.write(move |w| pending::begin(w, owner, &id, &name)).await?;
        let group = self.in_portions(pending::AddMembers::new(group, members)).await?.group;
        self.write(move |w| w.idempotent(idempotency, |w| pending::reveal(w, &group))).await
    }

    async fn group(&self, id: &str) -> Result<Option<Group>, Error> {
        let id = id.to_owned();
        self.read_long(SHARED_QUEUE, move |c| groups::group(c, &id)).await
    }

    async fn group_owner(&self, group: &str) -> Result<Option<UserKey>, Error> {
        let group = group.to_owned();
        self.read(move |c| groups::group_owner(c, &group)).await
    }

    async fn members(&self, group: &str, page: ListQuery) -> Result<ListPage, Error> {
        let group = group.to_owned();
        self.read_long(SHARED_QUEUE, move |c| groups::members(c, &group, &page)).await
    }

    async fn groups_of(&self, user: UserKey, page: ListQuery) -> Result<ListPage, Error> {
        self.read_long(user, move |c| memberships::groups_of(c, user, &page)).await
    }

    async fn is_member(&self, group: &str, user: UserKey) -> Result<bool, Error> {
        let group = group.to_owned();
        self.read(move |c| groups::is_member(c, &group, user)).await
    }

    async fn join(&self, group: &str, user: &str) -> Result<Group, Error> {
        let (id, user) = (group.to_owned(), user.to_owned());
        self.write(move |w| groups::join(w, &id, &user)).await?;
        self.group(group).await?.ok_or_else(|| Error::not_found("group"))
    }

    async fn change_group(
        &self,
        group: &str,
        name: Option<String>,
        owner: Option<String>,
    ) -> Result<Group, Error> {
        let id = group.to_owned();
        self.write(move |w| groups::change(w, &id, name.as_deref(), owner.as_deref())).await?;
        self.group(group).await?.ok_or_else(|| Error::not_found("group"))
    }

    async fn end_group(&self, group: &str) -> Result<(), Error> {
        let group = group.to_owned();
        self.write(move |w| groups::end(w, &group)).await
    }

    async fn leave(&self, group: &str, user: &str) -> Result<(), Error> {
        let (group, user) = (group.to_owned(), user.to_owned());
        self.write(move |w| groups::leave(w, &group, &user)).await
    }
}

#[async_trait]
impl ReceiptStore for SqliteStore {
    async fn readers(&self, group: &str, msgid: &MsgId, page: ListQuery) -> Result<Readers, Error> {
        let (group, msgid, most) = (group.to_owned(), msgid.clone(), self.bounds.memberships);
        self.read_long(SHARED_QUEUE, move |c| readers::readers(c, &group, &msgid, &page, most)).await
    }

    async fn receipts(&self, user: UserKey, since: Stamp, limit: usize) -> Result<ReceiptPage, Error> {
        self.read_long(user, move |c| receipts::page(c, user, since, limit)).await
    }

    async fn ack_receipts(
        &self,
        user: UserKey,
        through: Stamp,
        idempotency: Option<Idempotency<()>>,
    ) -> Result<Outcome<()>, Error> {
        if let Some(answer) = self.stored_response_of(idempotency.as_ref().map(Idempotency::name)).await? {
            return Ok(Outcome::Replayed(answer));
        }
        let delete_receipts = move |w: &mut WriteTx<'_>, rows| receipts::delete(w, user, through, rows);
        self.in_portions(DeleteInBatches(delete_receipts)).await?;
        self.write(move |w| w.idempotent(idempotency, |_| Ok(()))).await
    }

    async fn old_receipts(&self, before: Option<Stamp>, limit: usize) -> Result<Vec<OldReceipt>, Error> {
        let expired = before.max(Some(receipts_expire(self.clock.now()))).unwrap_or_default();
        self.read(move |c| receipts::of_messages_before(c, expired.max(meta::forgotten_before(c)?), limit))
            .await
    }

    async fn forget_receipts(&self, archived: Vec<(UserKey, Stamp)>) -> Result<(), Error> {
        let mut left = archived.into_iter();
        let forget = move |w: &mut WriteTx<'_>, rows| {
            let mut delete = w.tx.prepare_cached(receipts::DELETE_ONE)?;
            let mut done = 0;
            for (sender, stamp) in left.by_ref().take(rows) {
                delete.execute(params![sender.0, stamp.as_micros()])?;
                done += 1;
            }
            Ok(done)
        };
        self.in_portions(DeleteInBatches(forget)).await?;
        Ok(())
    }
}

#[async_trait]
impl LiveStore for SqliteStore {
    async fn recipients_among(
        &self,
        all_recipients: &[Recipients],
        among: &[UserKey],
    ) -> Result<Vec<UserKey>, Error> {
        let (all_recipients, among) = (all_recipients.to_vec(), among.to_vec());
        let most = self.bounds.recipients;
        self.read(move |c| Ok(recipients::recipients_within(c, &all_recipients, &among, most)?.0)).await
    }

    async fn newest_stamp(&self) -> Result<Stamp, Error> {
        Ok(Stamp::from_micros(self.newest_stamp.load(Ordering::Acquire)))
    }

    async fn position(&self, _: UserKey) -> Result<Stamp, Error> {
        Ok(self.meta().await?.last_stamp)
    }
}

#[async_trait]
impl UpkeepStore for SqliteStore {
    fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock)
    }

    async fn epoch(&self) -> Result<String, Error> {
        self.read(meta::epoch).await
    }

    async fn new_epoch(&self) -> Result<String, Error> {
        self.write(meta::new_epoch).await
    }

    async fn ready(&self) -> Result<(), Error> {
        readiness::ready(self).await
    }

    async fn meta(&self) -> Result<StoreMeta, Error> {
        self.read(meta::get).await
    }

    async fn latest_stamp(&self) -> Result<Stamp, Error> {
        self.read(meta::last_stamp).await
    }

    async fn check(&self) -> Result<Vec<Difference>, Error> {
        let (db, most) = (self.db.clone(), self.bounds.differences);
        let mut found = self.read_long(SHARED_QUEUE, move |c| check::check(c, most)).await?;
        let damage = tokio::task::spawn_blocking(move || check::damage(&db));
        found.extend(damage.await.map_err(|_| tidings_sqlite::Error::Panicked)??);
        Ok(found)
    }

    async fn reconcile(
        &self,
        after: UserKey,
        since: Stamp,
        batch: usize,
    ) -> Result<(Vec<Difference>, Option<UserKey>), Error> {
        let bounds = self.bounds;
        let (found, last) =
            self.read_long(SHARED_QUEUE, move |c| check::recount(c, after, since, batch, &bounds)).await?;
        let mut users: Vec<UserKey> = found.iter().map(|(user, _)| *user).collect();
        users.dedup();
        for user in users {
            self.in_portions(repair::Repair::new(user)).await?;
        }
        Ok((found.into_iter().map(|(_, difference)| difference).collect(), last))
    }

    async fn backup(&self, to: &Path) -> Result<(), Error> {
        let (db, to) = (self.db.clone(), to.to_owned());
        tokio::task::spawn_blocking(move || db.backup(&to))
            .await
            .map_err(|_| tidings_sqlite::Error::Panicked)??;
        Ok(())
    }

    async fn reclaimable_bytes(&self) -> Result<u64, Error> {
        let db = self.db.clone();
        Ok(tokio::task::spawn_blocking(move || db.reclaimable_bytes())
            .await
            .map_err(|_| tidings_sqlite::Error::Panicked)??)
    }

    async fn compact(&self) -> Result<(), Error> {
        let db = self.db.clone();
        tokio::task::spawn_blocking(move || db.compact())
            .await
            .map_err(|_| tidings_sqlite::Error::Panicked)??;
        Ok(())
    }
}

#[async_trait]
impl RetentionStore for SqliteStore {
    async fn prune(&self, before: Option<Stamp>, batch: usize) -> Result<bool, Error> {
        let budget = self.budget();
        self.write_long(move |w| prune::portion(w, before, Receipts::Deleted, batch, &mut budget())).await
    }

    async fn prune_but_receipts(&self, before: Option<Stamp>, batch: usize) -> Result<bool, Error> {
        let budget = self.budget();
        self.write_long(move |w| prune::portion(w, before, Receipts::Kept, batch, &mut budget())).await
    }

    async fn prune_removed(&self, batch: usize) -> Result<bool, Error> {
        let budget = self.budget();
        self.write_long(move |w| prune::portion_of_removed(w, batch, &mut budget())).await
    }

    async fn age_hold(&self) -> Result<Duration, Error> {
        self.read(meta::age_hold).await
    }

    async fn set_age_hold(&self, left: Duration) -> Result<(), Error> {
        self.write(move |w| meta::set_age_hold(w, left)).await
    }
}

#[async_trait]
impl UnreadStore for SqliteStore {
    async fn unread(&self, user: UserKey, cap: u64) -> Result<UnreadCounts, Error> {
        let now = self.clock.now();
        self.read_long(user, move |c| counts::unread(c, user, cap, now)).await
    }
}
