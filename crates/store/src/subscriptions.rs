//! The part of the store's interface that says what a user wants to hear of.

use std::collections::BTreeMap;

use async_trait::async_trait;

use crate::Error;
use crate::{Follow, ListPage, ListQuery, Subscription, TargetRef, UserKey};

/// Subscriptions.
#[async_trait]
pub trait SubscriptionStore: Send + Sync {
    /// Adds actions to a subscription. Each brings reminders from now on; one that is there already is unchanged.
    ///
    /// # Errors
    /// `not_found` if there is no such user, `invalid` if the user has
    /// [`crate::domain::limits::USER_SUBSCRIPTIONS`].
    async fn subscribe(
        &self,
        user: UserKey,
        target: TargetRef,
        actions: Vec<String>,
        reason: Option<String>,
    ) -> Result<Subscription, Error>;
    /// Removes a subscription, or one action of it. Nothing happens if it is missing.
    async fn unsubscribe(
        &self,
        user: UserKey,
        target: TargetRef,
        action: Option<String>,
    ) -> Result<(), Error>;
    /// A page of a user's subscriptions, by type and id of the target; `after` is `<type>:<id>` of the last one.
    ///
    /// # Errors
    /// `invalid` if `after` is malformed, or if the user has too many target types to search them all for an id.
    async fn subscriptions(
        &self,
        user: UserKey,
        kind: Option<String>,
        id: Option<String>,
        page: ListQuery,
    ) -> Result<ListPage, Error>;
}

/// Follows.
#[async_trait]
pub trait FollowStore: Send + Sync {
    /// Adds a follow; an existing one is unchanged.
    ///
    /// # Errors
    /// `not_found` if there is no such user.
    async fn follow(&self, user: UserKey, actor: &str) -> Result<Follow, Error>;
    /// Removes a follow. Nothing happens if it is missing.
    async fn unfollow(&self, user: UserKey, actor: &str) -> Result<(), Error>;
    /// A page of a user's follows, by the actor's id.
    async fn follows(&self, user: UserKey, page: ListQuery) -> Result<ListPage, Error>;
    /// A user's follow of an actor.
    async fn followed(&self, user: UserKey, actor: &str) -> Result<Option<Follow>, Error>;
}

/// Preferences.
#[async_trait]
pub trait PreferenceStore: Send + Sync {
    /// The preferences that a user has set, without the catalog's defaults.
    async fn preferences(&self, user: UserKey) -> Result<BTreeMap<String, bool>, Error>;
    /// Sets preferences; `None` removes one.
    ///
    /// # Errors
    /// `not_found` if there is no such user.
    async fn set_preferences(
        &self,
        user: UserKey,
        changes: BTreeMap<String, Option<bool>>,
    ) -> Result<(), Error>;
}
