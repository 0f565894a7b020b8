//! Reads of an inbox, each in one snapshot.

mod announcement_readers;
mod cached;
mod conversations;
mod counts;
mod list;
mod pull;
mod row;

use tidings_model::wire::{Count, UnreadCounts};
use tidings_model::{Stamp, View};

pub(super) use self::announcement_readers::announcement_readers;
pub(super) use self::cached::{fresh_unread, reconcile_cache};
use super::PostgresStore;
use super::tx::{in_snapshot, reading};
use crate::domain::account::UserKey;
use crate::error::Error;
use crate::store::{Conversation, ConversationQuery, InboxQuery, ItemsPage, PullPage};

/// A page of a pull: items and read marks that are new or changed after a stamp.
pub(super) async fn sync(
    store: &PostgresStore,
    user: UserKey,
    since: Stamp,
    limit: usize,
) -> Result<PullPage, Error> {
    let bounds = store.bounds;
    in_snapshot!(store, |db| pull::sync(db, user, since, limit, &bounds).await)
}

/// The number of items that are new or changed after a stamp.
pub(super) async fn changes_after(store: &PostgresStore, user: UserKey, since: Stamp) -> Result<u64, Error> {
    reading!(store, |db| pull::changes_after(db, user, since).await)
}

/// A page of the inbox, newest first.
pub(super) async fn inbox(
    store: &PostgresStore,
    user: UserKey,
    query: InboxQuery,
) -> Result<ItemsPage, Error> {
    let now = store.clock.now();
    reading!(store, |db| list::inbox(db, user, &query, now).await)
}

/// The unread counts of an inbox, by kind and conversation.
pub(super) async fn unread(store: &PostgresStore, user: UserKey, cap: u64) -> Result<UnreadCounts, Error> {
    let now = store.clock.now();
    reading!(store, |db| counts::unread(db, user, cap, now).await)
}

/// A page of the conversations, latest first.
pub(super) async fn conversations(
    store: &PostgresStore,
    user: UserKey,
    query: ConversationQuery,
) -> Result<Vec<Conversation>, Error> {
    let now = store.clock.now();
    in_snapshot!(store, |db| conversations::page(db, user, &query, now).await)
}

/// A view's read mark and its unread count.
pub(super) async fn view(
    store: &PostgresStore,
    user: UserKey,
    view: &View,
    cap: u64,
) -> Result<(Option<Stamp>, Count), Error> {
    let now = store.clock.now();
    reading!(store, |db| counts::view(db, user, view, cap, now).await)
}
