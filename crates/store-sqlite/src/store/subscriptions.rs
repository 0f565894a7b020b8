//! Subscriptions, follows and preferences.

use std::collections::BTreeMap;

use async_trait::async_trait;
use tidings_store::{
    Error, Follow, FollowStore, ListPage, ListQuery, PreferenceStore, Subscription, SubscriptionStore,
    TargetRef, UserKey,
};

use crate::SqliteStore;
use crate::tables::{follows, preferences, subscriptions};

#[async_trait]
impl SubscriptionStore for SqliteStore {
    async fn subscribe(
        &self,
        user: UserKey,
        target: TargetRef,
        actions: Vec<String>,
        reason: Option<String>,
    ) -> Result<Subscription, Error> {
        let most = self.bounds.user_subscriptions;
        self.write(move |w| subscriptions::subscribe(w, user, &target, &actions, reason.as_deref(), most))
            .await
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
