//! The store's operations, each one transaction of the modules beside it. Refuses to hold a connection across an
//! await.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use tidings_model::wire::{Count, InboxPage, SyncPage, UnreadCounts};
use tidings_model::{Catalog, MsgId, Stamp, View};

use super::{
    SqliteStore, accounts, bring_in, catalog, conversations, counting, groups, marking, ops, posting,
    reading, receipts, sequences, subscriptions, upkeep, work,
};
use crate::error::Error;
use crate::store::{
    Answer, Applied, AskedOp, Bearer, Conversation, ConversationQuery, Did, Difference, Draft, Follow, Group,
    GroupLine, Head, InboxQuery, NewToken, Once, Post, Reach, Readers, ReceiptPage, Ripple, SequenceChange,
    Store, Subscription, TargetRef, Token, User, UserKey, Visit,
};

#[async_trait]
impl Store for SqliteStore {
    async fn add_user(&self, id: &str, name: &str, once: Option<Once<User>>) -> Result<Did<User>, Error> {
        let (id, name) = (id.to_owned(), name.to_owned());
        self.change(move |w| w.once(once, |w| accounts::add_user(w, &id, &name))).await
    }

    async fn remove_user(&self, id: &str) -> Result<(), Error> {
        let id = id.to_owned();
        self.change(move |w| accounts::remove_user(w, &id)).await
    }

    async fn user(&self, id: &str) -> Result<Option<User>, Error> {
        let id = id.to_owned();
        self.look(move |c| accounts::user(c, &id)).await
    }

    async fn users(&self) -> Result<Vec<User>, Error> {
        self.look(accounts::users).await
    }

    async fn add_token(
        &self,
        user: &str,
        token: NewToken,
        once: Option<Once<Token>>,
    ) -> Result<Did<Token>, Error> {
        let user = user.to_owned();
        self.change(move |w| w.once(once, |w| accounts::add_token(w, &user, token))).await
    }

    async fn tokens(&self, user: Option<UserKey>) -> Result<Vec<Token>, Error> {
        self.look(move |c| accounts::tokens(c, user)).await
    }

    async fn revoke(&self, id: &str, user: Option<UserKey>) -> Result<(), Error> {
        let id = id.to_owned();
        self.change(move |w| accounts::revoke(w, &id, user)).await
    }

    async fn bearer(&self, hash: [u8; 32]) -> Result<Option<Bearer>, Error> {
        self.look(move |c| accounts::bearer(c, &hash)).await
    }

    async fn answered(&self, token: &str, key: &str) -> Result<Option<Answer>, Error> {
        let (token, key, now) = (token.to_owned(), key.to_owned(), self.clock.now());
        self.look(move |c| work::answered(c, &token, &key, now)).await
    }

    async fn catalog(&self) -> Result<Arc<Catalog>, Error> {
        let cache = Arc::clone(&self.catalog);
        self.look(move |c| cache.current(c)).await
    }

    async fn set_catalog(&self, catalog: Catalog) -> Result<(), Error> {
        self.change(move |w| catalog::replace(w, &catalog)).await
    }

    async fn post(&self, drafts: Vec<Draft>, once: Option<Once<Vec<Post>>>) -> Result<Did<Vec<Post>>, Error> {
        self.change(move |w| {
            w.once(once, |w| drafts.into_iter().map(|draft| posting::post(w, draft)).collect())
        })
        .await
    }

    async fn schedule(
        &self,
        draft: Draft,
        deliver_at: Stamp,
        once: Option<Once<MsgId>>,
    ) -> Result<Did<MsgId>, Error> {
        self.change(move |w| w.once(once, |w| posting::schedule(w, draft, deliver_at))).await
    }

    async fn deliver_due(&self) -> Result<(Vec<Post>, Option<Stamp>), Error> {
        let next = self.look(posting::next_due).await?;
        if next.is_none_or(|at| at > self.clock.now()) {
            return Ok((Vec::new(), next));
        }
        self.change(|w| Ok((posting::deliver_due(w)?, posting::next_due(w.tx)?))).await
    }

    async fn sequence(&self, topic: &str, name: &str, change: SequenceChange) -> Result<Option<Post>, Error> {
        let (topic, name) = (topic.to_owned(), name.to_owned());
        self.change(move |w| sequences::change(w, &topic, &name, change)).await
    }

    async fn subscribe(
        &self,
        user: UserKey,
        target: TargetRef,
        actions: Vec<String>,
        reason: Option<String>,
    ) -> Result<Subscription, Error> {
        self.change(move |w| subscriptions::subscribe(w, user, &target, &actions, reason.as_deref())).await
    }

    async fn unsubscribe(
        &self,
        user: UserKey,
        target: TargetRef,
        action: Option<String>,
    ) -> Result<(), Error> {
        self.change(move |w| subscriptions::unsubscribe(w, user, &target, action.as_deref())).await
    }

    async fn subscriptions(
        &self,
        user: UserKey,
        kind: Option<String>,
        id: Option<String>,
    ) -> Result<Vec<Subscription>, Error> {
        self.look(move |c| subscriptions::list(c, user, kind.as_deref(), id.as_deref())).await
    }

    async fn follow(&self, user: UserKey, actor: &str) -> Result<Follow, Error> {
        let actor = actor.to_owned();
        self.change(move |w| subscriptions::follow(w, user, &actor)).await
    }

    async fn unfollow(&self, user: UserKey, actor: &str) -> Result<(), Error> {
        let actor = actor.to_owned();
        self.change(move |w| subscriptions::unfollow(w, user, &actor)).await
    }

    async fn follows(&self, user: UserKey) -> Result<Vec<Follow>, Error> {
        self.look(move |c| subscriptions::follows(c, user)).await
    }

    async fn preferences(&self, user: UserKey) -> Result<BTreeMap<String, bool>, Error> {
        self.look(move |c| subscriptions::preferences(c, user)).await
    }

    async fn set_preferences(
        &self,
        user: UserKey,
        changes: BTreeMap<String, Option<bool>>,
    ) -> Result<(), Error> {
        self.change(move |w| subscriptions::set_preferences(w, user, &changes)).await
    }

    async fn bring_in(&self, user: UserKey) -> Result<bool, Error> {
        let Some(waiting) = self.look(move |c| bring_in::find(c, user)).await? else { return Ok(false) };
        Ok(self.in_portions(waiting).await?.is_there_more())
    }

    async fn sync(&self, user: UserKey, since: Stamp, limit: usize) -> Result<SyncPage, Error> {
        self.look(move |c| reading::sync(c, user, since, limit)).await
    }

    async fn changes_after(&self, user: UserKey, since: Stamp) -> Result<u64, Error> {
        self.look(move |c| reading::changes_after(c, user, since)).await
    }

    async fn inbox(&self, user: UserKey, query: InboxQuery) -> Result<InboxPage, Error> {
        let now = self.clock.now();
        self.look(move |c| reading::inbox(c, user, &query, now)).await
    }

    async fn unread(&self, user: UserKey, cap: u64) -> Result<UnreadCounts, Error> {
        let now = self.clock.now();
        self.look(move |c| counting::unread(c, user, cap, now)).await
    }

    async fn conversations(
        &self,
        user: UserKey,
        query: ConversationQuery,
    ) -> Result<Vec<Conversation>, Error> {
        let now = self.clock.now();
        self.look(move |c| conversations::page(c, user, &query, now)).await
    }

    async fn view(&self, user: UserKey, view: &View, cap: u64) -> Result<(Option<Stamp>, Count), Error> {
        let (view, now) = (view.clone(), self.clock.now());
        self.look(move |c| counting::view(c, user, &view, cap, now)).await
    }

    async fn visit(
        &self,
        user: UserKey,
        view: &View,
        visit: Visit,
        cap: u64,
    ) -> Result<(Stamp, Count, Ripple), Error> {
        let _turn = self.turns.of(user).await;
        let visiting = marking::Visiting::new(user, view.clone(), visit);
        let visited = self.in_portions(visiting).await?;
        let (mark, unread) = self.view(user, view, cap).await?;
        Ok((mark.unwrap_or(visited.to()), unread, visited.ripple))
    }

    async fn apply(
        &self,
        user: UserKey,
        asked: Vec<AskedOp>,
        cap: u64,
        once: Option<Once<Applied>>,
    ) -> Result<Did<Applied>, Error> {
        let _turn = self.turns.of(user).await;
        if let Some(once) = &once
            && let Some(answer) = self.answered(&once.token, &once.key).await?
        {
            return Ok(Did::Before(answer));
        }
        let applying = self.in_portions(ops::Applying::new(user, asked)).await?;
        let applied = applying.applied(self.unread(user, cap).await?);
        // The answer is kept when everything is done: until then a repetition goes on, each operation once.
        match once {
            None => Ok(Did::Now(applied)),
            Some(once) => self.change(move |w| w.once(Some(once), |_| Ok(applied))).await,
        }
    }

    async fn add_group(
        &self,
        owner: UserKey,
        id: Option<String>,
        name: String,
        members: Vec<String>,
        once: Option<Once<Group>>,
    ) -> Result<Did<Group>, Error> {
        self.change(move |w| w.once(once, |w| groups::add(w, owner, id, &name, &members))).await
    }

    async fn group(&self, id: &str) -> Result<Option<Group>, Error> {
        let id = id.to_owned();
        self.look(move |c| groups::group(c, &id)).await
    }

    async fn groups_of(&self, user: UserKey) -> Result<Vec<GroupLine>, Error> {
        self.look(move |c| groups::of(c, user)).await
    }

    async fn is_member(&self, group: &str, user: UserKey) -> Result<bool, Error> {
        let group = group.to_owned();
        self.look(move |c| groups::is_member(c, &group, user)).await
    }

    async fn join(&self, group: &str, user: &str) -> Result<Group, Error> {
        let (group, user) = (group.to_owned(), user.to_owned());
        self.change(move |w| groups::join(w, &group, &user)).await
    }

    async fn leave(&self, group: &str, user: &str) -> Result<(), Error> {
        let (group, user) = (group.to_owned(), user.to_owned());
        self.change(move |w| groups::leave(w, &group, &user)).await
    }

    async fn members_among(&self, group: &str, users: &[UserKey]) -> Result<Vec<UserKey>, Error> {
        let (group, users) = (group.to_owned(), users.to_vec());
        self.look(move |c| groups::members_among(c, &group, &users)).await
    }

    async fn readers(&self, group: &str, msgid: &MsgId) -> Result<Readers, Error> {
        let (group, msgid) = (group.to_owned(), msgid.clone());
        self.look(move |c| receipts::readers(c, &group, &msgid)).await
    }

    async fn receipts(&self, user: UserKey, since: Stamp, limit: usize) -> Result<ReceiptPage, Error> {
        self.look(move |c| receipts::page(c, user, since, limit)).await
    }

    async fn ack_receipts(
        &self,
        user: UserKey,
        through: Stamp,
        once: Option<Once<()>>,
    ) -> Result<Did<()>, Error> {
        self.change(move |w| w.once(once, |w| receipts::forget(w, user, through))).await
    }

    async fn concerned(&self, reach: &Reach, among: &[UserKey]) -> Result<Vec<UserKey>, Error> {
        let (reach, among) = (reach.clone(), among.to_vec());
        self.look(move |c| upkeep::concerned(c, &reach, &among)).await
    }

    async fn epoch(&self) -> Result<String, Error> {
        self.look(upkeep::epoch).await
    }

    async fn head(&self) -> Result<Head, Error> {
        self.look(upkeep::head).await
    }

    async fn check(&self) -> Result<Vec<Difference>, Error> {
        let db = self.db.clone();
        let mut found = self.look(upkeep::check).await?;
        let damaged = tokio::task::spawn_blocking(move || db.integrity_check())
            .await
            .map_err(|_| tidings_sqlite::Error::Panicked)??;
        found.extend(damaged.into_iter().map(|line| Difference {
            what: "the database file".to_owned(),
            stored: line,
            counted: "ok".to_owned(),
        }));
        Ok(found)
    }

    async fn reconcile(
        &self,
        after: UserKey,
        since: Stamp,
        batch: usize,
    ) -> Result<(Vec<Difference>, Option<UserKey>), Error> {
        let (found, last) = self.look(move |c| upkeep::recount(c, after, since, batch)).await?;
        let mut users: Vec<UserKey> = found.iter().map(|(user, _)| *user).collect();
        users.dedup();
        for user in users {
            self.change(move |w| upkeep::put_right(w, user)).await?;
        }
        Ok((found.into_iter().map(|(_, difference)| difference).collect(), last))
    }

    async fn tidy(&self, before: Option<Stamp>, batch: usize) -> Result<bool, Error> {
        self.change(move |w| upkeep::tidy(w, before, batch)).await
    }

    async fn backup(&self, to: &Path) -> Result<(), Error> {
        let (db, to) = (self.db.clone(), to.to_owned());
        tokio::task::spawn_blocking(move || db.backup(&to))
            .await
            .map_err(|_| tidings_sqlite::Error::Panicked)??;
        Ok(())
    }

    async fn spare(&self) -> Result<u64, Error> {
        let db = self.db.clone();
        Ok(tokio::task::spawn_blocking(move || db.spare())
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

    async fn begin_epoch(&self) -> Result<String, Error> {
        self.change(upkeep::begin_epoch).await
    }
}
