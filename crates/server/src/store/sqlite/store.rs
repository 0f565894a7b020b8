//! The store's operations, each one transaction of the modules beside it. Refuses to hold a connection across an
//! await.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use tidings_model::wire::{Count, UnreadCounts};
use tidings_model::{Catalog, MsgId, Stamp, View};

use super::portions::{Deleting, LongChange};
use super::{
    SqliteStore, accounts, bring_in, catalog, conversations, counting, groups, hints, making, marking, ops,
    posting, reading, receipts, removal, sequences, subscriptions, tidy, upkeep, work,
};
use crate::domain::account::name_by_chance;
use crate::domain::limits;
use crate::error::Error;
use crate::store::{
    Answer, Applied, AskedOp, Bearer, Conversation, ConversationQuery, Did, Difference, Draft, Follow, Group,
    Head, InboxQuery, ItemsPage, List, ListQuery, NewToken, Once, Post, PullPage, Reach, Readers,
    ReceiptPage, Ripple, SequenceChange, Store, Subscription, TargetRef, Token, User, UserKey, Visit,
};

/// In whose line a read waits that is not about one user's data.
const ANYBODY: UserKey = UserKey(0);

#[async_trait]
impl Store for SqliteStore {
    async fn add_user(&self, id: &str, name: &str, once: Option<Once<User>>) -> Result<Did<User>, Error> {
        let (id, name) = (id.to_owned(), name.to_owned());
        self.change(move |w| w.once(once, |w| accounts::add_user(w, &id, &name))).await
    }

    async fn remove_user(&self, id: &str) -> Result<(), Error> {
        let id = id.to_owned();
        let budget = self.budget();
        self.change(move |w| {
            let user = accounts::remove_user(w, &id)?;
            Deleting(move |w: &mut work::Work<'_>, rows| removal::portion(w, user, rows))
                .portion(w, &mut budget())?;
            Ok(())
        })
        .await
    }

    async fn user(&self, id: &str) -> Result<Option<User>, Error> {
        let id = id.to_owned();
        self.look(move |c| accounts::user(c, &id)).await
    }

    async fn users(&self, page: ListQuery) -> Result<List, Error> {
        self.browse(ANYBODY, move |c| accounts::users(c, &page)).await
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

    async fn tokens(&self, user: Option<UserKey>, page: ListQuery) -> Result<List, Error> {
        self.browse(ANYBODY, move |c| accounts::tokens(c, user, &page)).await
    }

    async fn revoke(&self, id: &str, user: Option<UserKey>) -> Result<(), Error> {
        let id = id.to_owned();
        self.change(move |w| accounts::revoke(w, &id, user)).await
    }

    async fn revoke_of_programs(&self) -> Result<(), Error> {
        self.change(accounts::revoke_of_programs).await
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
        let much = posting::is_much(&drafts);
        let post = move |w: &mut work::Work<'_>| {
            w.once(once, |w| drafts.into_iter().map(|draft| posting::post(w, draft)).collect())
        };
        if much { self.change_much(post).await } else { self.change(post).await }
    }

    async fn schedule(
        &self,
        draft: Draft,
        publisher: Option<UserKey>,
        deliver_at: Stamp,
        once: Option<Once<MsgId>>,
    ) -> Result<Did<MsgId>, Error> {
        self.change(move |w| w.once(once, |w| posting::schedule(w, draft, publisher, deliver_at))).await
    }

    async fn deliver_due(&self) -> Result<(Vec<Post>, Option<Stamp>), Error> {
        let next = self.look(posting::next_due).await?;
        if next.is_none_or(|at| at > self.clock.now()) {
            return Ok((Vec::new(), next));
        }
        let budget = self.budget();
        let due = move |w: &mut work::Work<'_>| {
            Ok((posting::deliver_due(w, &mut budget())?, posting::next_due(w.tx)?))
        };
        self.change_much(due).await
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
        page: ListQuery,
    ) -> Result<List, Error> {
        self.browse(user, move |c| subscriptions::list(c, user, kind.as_deref(), id.as_deref(), &page)).await
    }

    async fn follow(&self, user: UserKey, actor: &str) -> Result<Follow, Error> {
        let actor = actor.to_owned();
        self.change(move |w| subscriptions::follow(w, user, &actor)).await
    }

    async fn unfollow(&self, user: UserKey, actor: &str) -> Result<(), Error> {
        let actor = actor.to_owned();
        self.change(move |w| subscriptions::unfollow(w, user, &actor)).await
    }

    async fn follows(&self, user: UserKey, page: ListQuery) -> Result<List, Error> {
        self.browse(user, move |c| subscriptions::follows(c, user, &page)).await
    }

    async fn followed(&self, user: UserKey, actor: &str) -> Result<Option<Follow>, Error> {
        let actor = actor.to_owned();
        self.look(move |c| subscriptions::followed(c, user, &actor)).await
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
        let Some(waiting) = self.browse(user, move |c| bring_in::find(c, user)).await? else {
            return Ok(false);
        };
        let brought = self.in_portions(waiting).await.map(|done| done.is_there_more());
        self.unless_full(brought, false)
    }

    async fn sync(&self, user: UserKey, since: Stamp, limit: usize) -> Result<PullPage, Error> {
        self.browse(user, move |c| reading::sync(c, user, since, limit)).await
    }

    async fn changes_after(&self, user: UserKey, since: Stamp) -> Result<u64, Error> {
        self.browse(user, move |c| reading::changes_after(c, user, since)).await
    }

    async fn inbox(&self, user: UserKey, query: InboxQuery) -> Result<ItemsPage, Error> {
        let now = self.clock.now();
        self.browse(user, move |c| reading::inbox(c, user, &query, now)).await
    }

    async fn unread(&self, user: UserKey, cap: u64) -> Result<UnreadCounts, Error> {
        let now = self.clock.now();
        self.browse(user, move |c| counting::unread(c, user, cap, now)).await
    }

    async fn conversations(
        &self,
        user: UserKey,
        query: ConversationQuery,
    ) -> Result<Vec<Conversation>, Error> {
        let now = self.clock.now();
        self.browse(user, move |c| conversations::page(c, user, &query, now)).await
    }

    async fn view(&self, user: UserKey, view: &View, cap: u64) -> Result<(Option<Stamp>, Count), Error> {
        let (view, now) = (view.clone(), self.clock.now());
        self.browse(user, move |c| counting::view(c, user, &view, cap, now)).await
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
        if let Some(answer) = self.done_before(once.as_ref().map(Once::name)).await? {
            return Ok(Did::Before(answer));
        }
        let id = id.unwrap_or_else(name_by_chance);
        let members = self.browse(owner, move |c| making::members(c, owner, &members)).await?;
        if members.len() <= limits::PORTION {
            return self
                .change(move |w| {
                    w.once(once, |w| {
                        let making = making::begin(w, owner, &id, &name)?;
                        making::add(w, &making, &members)?;
                        making::show(w, &making)
                    })
                })
                .await;
        }
        let making = self.change(move |w| making::begin(w, owner, &id, &name)).await?;
        let making = self.in_portions(making::Adding::new(making, members)).await?.making;
        self.change(move |w| w.once(once, |w| making::show(w, &making))).await
    }

    async fn group(&self, id: &str) -> Result<Option<Group>, Error> {
        let id = id.to_owned();
        self.browse(ANYBODY, move |c| groups::group(c, &id)).await
    }

    async fn owner_of(&self, group: &str) -> Result<Option<UserKey>, Error> {
        let group = group.to_owned();
        self.look(move |c| groups::owner_of(c, &group)).await
    }

    async fn members(&self, group: &str, page: ListQuery) -> Result<List, Error> {
        let group = group.to_owned();
        self.browse(ANYBODY, move |c| groups::members(c, &group, &page)).await
    }

    async fn groups_of(&self, user: UserKey, page: ListQuery) -> Result<List, Error> {
        self.browse(user, move |c| groups::of(c, user, &page)).await
    }

    async fn is_member(&self, group: &str, user: UserKey) -> Result<bool, Error> {
        let group = group.to_owned();
        self.look(move |c| groups::is_member(c, &group, user)).await
    }

    async fn join(&self, group: &str, user: &str) -> Result<Group, Error> {
        let (id, user) = (group.to_owned(), user.to_owned());
        self.change(move |w| groups::join(w, &id, &user)).await?;
        self.group(group).await?.ok_or_else(|| Error::not_found("group"))
    }

    async fn leave(&self, group: &str, user: &str) -> Result<(), Error> {
        let (group, user) = (group.to_owned(), user.to_owned());
        self.change(move |w| groups::leave(w, &group, &user)).await
    }

    async fn readers(&self, group: &str, msgid: &MsgId, page: ListQuery) -> Result<Readers, Error> {
        let (group, msgid) = (group.to_owned(), msgid.clone());
        self.browse(ANYBODY, move |c| receipts::readers(c, &group, &msgid, &page)).await
    }

    async fn receipts(&self, user: UserKey, since: Stamp, limit: usize) -> Result<ReceiptPage, Error> {
        self.browse(user, move |c| receipts::page(c, user, since, limit)).await
    }

    async fn ack_receipts(
        &self,
        user: UserKey,
        through: Stamp,
        once: Option<Once<()>>,
    ) -> Result<Did<()>, Error> {
        if let Some(answer) = self.done_before(once.as_ref().map(Once::name)).await? {
            return Ok(Did::Before(answer));
        }
        let forget = move |w: &mut work::Work<'_>, rows| receipts::forget(w, user, through, rows);
        self.in_portions(Deleting(forget)).await?;
        self.change(move |w| w.once(once, |_| Ok(()))).await
    }

    async fn concerned(&self, reaches: &[Reach], among: &[UserKey]) -> Result<Vec<UserKey>, Error> {
        let (reaches, among) = (reaches.to_vec(), among.to_vec());
        self.look(move |c| hints::concerned(c, &reaches, &among)).await
    }

    async fn epoch(&self) -> Result<String, Error> {
        self.look(upkeep::epoch).await
    }

    async fn head(&self) -> Result<Head, Error> {
        self.look(upkeep::head).await
    }

    async fn check(&self) -> Result<Vec<Difference>, Error> {
        let db = self.db.clone();
        let mut found = self.browse(ANYBODY, upkeep::check).await?;
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
        let (found, last) = self.browse(ANYBODY, move |c| upkeep::recount(c, after, since, batch)).await?;
        let mut users: Vec<UserKey> = found.iter().map(|(user, _)| *user).collect();
        users.dedup();
        for user in users {
            self.in_portions(upkeep::Repair::new(user)).await?;
        }
        Ok((found.into_iter().map(|(_, difference)| difference).collect(), last))
    }

    async fn tidy(&self, before: Option<Stamp>, batch: usize) -> Result<bool, Error> {
        let budget = self.budget();
        self.change_much(move |w| tidy::portion(w, before, batch, &mut budget())).await
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
