//! Subscriptions, one row for each action of a target. An action brings reminders from the time at which it was first
//! subscribed to; `follows` and `preferences` are below.

mod follows;
mod list;
mod preferences;

use async_trait::async_trait;
use tidings_store::domain::account::UserKey;
use tidings_store::{Error, ListPage, ListQuery, Subscription, SubscriptionStore, TargetRef};

use super::PostgresStore;
use super::session::{Columns, rows};
use super::tx::{WriteTx, in_transaction};

/// Adds the actions that are missing, each at a new stamp.
async fn add(
    tx: &mut WriteTx<'_>,
    user: UserKey,
    target: &TargetRef,
    actions: &[String],
    reason: &str,
) -> Result<(), Error> {
    let sql = "SELECT w.action FROM unnest($4) WITH ORDINALITY AS w (action, n) WHERE NOT EXISTS (
            SELECT 1 FROM subscriptions s WHERE s.user_key = $1 AND s.target_type = $2 AND s.target_id = $3
                AND s.action = w.action) GROUP BY w.action ORDER BY min(w.n)";
    let found = tx.query(sql, &[&user.0, &target.kind, &target.id, &actions]).await?;
    let missing: Vec<String> = found.iter().map(|row| row.at(0)).collect::<Result<_, _>>()?;
    if missing.is_empty() {
        return Ok(());
    }
    let count = "UPDATE users SET subscription_count = subscription_count + $2 WHERE key = $1";
    tx.execute(count, &[&user.0, &rows(missing.len())]).await?;
    let first = tx.creation_stamps(missing.len(), tidings_model::Stamp::ZERO).await?;
    let sql = "INSERT INTO subscriptions (user_key, target_type, target_id, action, reason, created_at)
        SELECT $1, $2, $3, w.action, $5, $6 + w.n - 1 FROM unnest($4) WITH ORDINALITY AS w (action, n)";
    tx.execute(sql, &[&user.0, &target.kind, &target.id, &missing, &reason, &first.as_micros()]).await?;
    Ok(())
}

/// Removes a subscription, or one action of it.
pub(super) async fn delete(
    tx: &WriteTx<'_>,
    user: UserKey,
    target: &TargetRef,
    action: Option<&str>,
) -> Result<(), Error> {
    let sql =
        "WITH gone AS (DELETE FROM subscriptions WHERE user_key = $1 AND target_type = $2 AND target_id = $3
                AND ($4 IS NULL OR action = $4) RETURNING 1)
        UPDATE users SET subscription_count = subscription_count - (SELECT count(*) FROM gone)
        WHERE key = $1 AND EXISTS (SELECT 1 FROM gone)";
    tx.execute(sql, &[&user.0, &target.kind, &target.id, &action]).await?;
    Ok(())
}

#[async_trait]
impl SubscriptionStore for PostgresStore {
    async fn subscribe(
        &self,
        user: UserKey,
        target: TargetRef,
        actions: Vec<String>,
        reason: Option<String>,
    ) -> Result<Subscription, Error> {
        in_transaction!(self, |tx| {
            // Subscriptions of one user are added one after the other, so that they are counted.
            tx.lock_inbox(user).await?;
            let row = tx.query_one("SELECT subscription_count FROM users WHERE key = $1", &[&user.0]).await?;
            if row.count(0)? >= self.bounds.user_subscriptions {
                return Err(Error::invalid("target", "this user has too many subscriptions"));
            }
            add(tx, user, &target, &actions, reason.as_deref().unwrap_or("")).await?;
            list::find(tx, user, &target).await?.ok_or_else(|| Error::not_found("subscription"))
        })
    }

    async fn unsubscribe(
        &self,
        user: UserKey,
        target: TargetRef,
        action: Option<String>,
    ) -> Result<(), Error> {
        in_transaction!(self, |tx| delete(tx, user, &target, action.as_deref()).await)
    }

    async fn subscriptions(
        &self,
        user: UserKey,
        kind: Option<String>,
        id: Option<String>,
        page: ListQuery,
    ) -> Result<ListPage, Error> {
        list::subscriptions(self, user, kind, id, page).await
    }
}
