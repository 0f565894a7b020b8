//! The table `subscriptions`, with one row for each action of a target; `follows` and `preferences` are below. An
//! action brings reminders from the time at which it was first subscribed to.

mod follows;
pub(crate) mod preferences;

use std::cmp::Ordering;

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, ToSql, params};
use tidings_store::page::PageBuilder;
use tidings_store::subscription_builder::SubscriptionBuilder;
use tidings_store::{Error, ListPage, ListQuery, Subscription, SubscriptionStore, TargetRef, UserKey};

use crate::tables::users;
use crate::write_tx::WriteTx;
use crate::{SqliteStore, sql};

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
        self.write(move |w| {
            users::id_of(w.tx, user)?;
            if users::subscription_count(w.tx, user)? >= most {
                return Err(Error::invalid("target", "this user has too many subscriptions"));
            }
            for action in &actions {
                add(w, user, &target, action, reason.as_deref().unwrap_or(""))?;
            }
            find(w.tx, user, &target)?.ok_or_else(|| Error::not_found("subscription"))
        })
        .await
    }

    async fn unsubscribe(
        &self,
        user: UserKey,
        target: TargetRef,
        action: Option<String>,
    ) -> Result<(), Error> {
        self.write(move |w| unsubscribe(w, user, &target, action.as_deref())).await
    }

    async fn subscriptions(
        &self,
        user: UserKey,
        kind: Option<String>,
        id: Option<String>,
        page: ListQuery,
    ) -> Result<ListPage, Error> {
        // Those to an id of any type are searched among at most so many types.
        let most_types = self.bounds.target_types;
        self.read_long(user, move |c| {
            let after = page.after.as_deref().map(|after| {
                let unknown = || Error::invalid("after", "must be the `<type>:<id>` of a target");
                after.split_once(':').ok_or_else(unknown)
            });
            let (after_kind, after_id) = after.transpose()?.unwrap_or_default();
            let mut builder = PageBuilder::new(page.limit);
            match (kind, id) {
                (Some(kind), Some(id)) => {
                    let wanted = (after_kind, after_id) < (kind.as_str(), id.as_str());
                    let found = find(c, user, &TargetRef { kind, id })?;
                    if let Some(found) = found.filter(|_| wanted) {
                        builder.push(&found)?;
                    }
                }
                (Some(kind), None) => {
                    let after_id = match after_kind.cmp(kind.as_str()) {
                        Ordering::Less => "",
                        Ordering::Equal => after_id,
                        Ordering::Greater => return Ok(ListPage(Vec::new())),
                    };
                    let sql = format!("{ROWS} AND target_type = ?2 AND target_id > ?3 ORDER BY target_id, action");
                    push_rows(c, &sql, params![user.0, kind, after_id], &mut builder)?;
                }
                (None, Some(id)) => {
                    push_any_type(c, user, &id, (after_kind, after_id), most_types, &mut builder)?;
                }
                (None, None) => {
                    let sql = format!(
                        "{ROWS} AND (target_type, target_id) > (?2, ?3) ORDER BY target_type, target_id, action"
                    );
                    push_rows(c, &sql, params![user.0, after_kind, after_id], &mut builder)?;
                }
            }
            Ok(ListPage(builder.into_elements()))
        })
        .await
    }
}

/// Whether a user has subscribed to an action of a target.
fn is_there(conn: &Connection, user: UserKey, target: &TargetRef, action: &str) -> Result<bool, Error> {
    let sql =
        "SELECT 1 FROM subscriptions WHERE user = ?1 AND target_type = ?2 AND target_id = ?3 AND action = ?4";
    sql::exists(conn, sql, params![user.0, target.kind, target.id, action])
}

/// Adds one action at a new stamp, unless it is there.
fn add(
    ctx: &mut WriteTx<'_>,
    user: UserKey,
    target: &TargetRef,
    action: &str,
    reason: &str,
) -> Result<(), Error> {
    if is_there(ctx.tx, user, target, action)? {
        return Ok(());
    }
    let stamp = ctx.next_stamp();
    let sql = "INSERT INTO subscriptions (user, target_type, target_id, action, reason, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    sql::run(ctx.tx, sql, params![user.0, target.kind, target.id, action, reason, stamp.as_micros()])?;
    users::count_subscriptions(ctx, user, 1)
}

/// Adds one action if it is missing; nothing happens if the user was removed. It is there with every publication on a topic
/// but the first, so that is looked at before the user.
pub(crate) fn ensure(
    ctx: &mut WriteTx<'_>,
    user: UserKey,
    target: &TargetRef,
    action: &str,
) -> Result<(), Error> {
    if is_there(ctx.tx, user, target, action)? {
        return Ok(());
    }
    match users::id_of(ctx.tx, user) {
        Ok(_) => add(ctx, user, target, action, ""),
        Err(Error::Refused(_)) => Ok(()),
        Err(e) => Err(e),
    }
}

pub(crate) fn unsubscribe(
    ctx: &mut WriteTx<'_>,
    user: UserKey,
    target: &TargetRef,
    action: Option<&str>,
) -> Result<(), Error> {
    let delete_target = "DELETE FROM subscriptions WHERE user = ?1 AND target_type = ?2 AND target_id = ?3";
    let deleted = match action {
        Some(action) => ctx.tx.execute(
            &format!("{delete_target} AND action = ?4"),
            params![user.0, target.kind, target.id, action],
        )?,
        None => ctx.tx.execute(delete_target, params![user.0, target.kind, target.id])?,
    };
    users::count_subscriptions(ctx, user, -i64::try_from(deleted).unwrap_or(0))
}

/// The subscription of a user to one target.
fn find(conn: &Connection, user: UserKey, target: &TargetRef) -> Result<Option<Subscription>, Error> {
    let mut pending = SubscriptionBuilder::default();
    let mut rows =
        conn.prepare_cached(&format!("{ROWS} AND target_type = ?2 AND target_id = ?3 ORDER BY action"))?;
    let mut rows = rows.query(params![user.0, target.kind, target.id])?;
    while let Some(row) = rows.next()? {
        pending.add_row(row)?;
    }
    Ok(pending.finish())
}

const ROWS: &str =
    "SELECT target_type, target_id, action, reason, created_at FROM subscriptions WHERE user = ?1";

/// Reads rows into the page until it is full.
fn push_rows(
    conn: &Connection,
    sql: &str,
    values: &[&dyn ToSql],
    builder: &mut PageBuilder,
) -> Result<(), Error> {
    let mut rows = conn.prepare_cached(sql)?;
    let mut rows = rows.query(values)?;
    let mut pending = SubscriptionBuilder::default();
    while let Some(row) = rows.next()? {
        if !pending.push_row(row, builder)? {
            return Ok(());
        }
    }
    pending.push_last(builder)
}

/// The subscriptions to targets with an id of any type, type by type.
fn push_any_type(
    conn: &Connection,
    user: UserKey,
    id: &str,
    (after_kind, after_id): (&str, &str),
    most_types: usize,
    builder: &mut PageBuilder,
) -> Result<(), Error> {
    let mut next_type = conn.prepare_cached(
        "SELECT target_type FROM subscriptions WHERE user = ?1 AND target_type > ?2 ORDER BY target_type LIMIT 1",
    )?;
    let mut kind = after_kind.to_owned();
    // The type of the last element may still have this id after the last element's id.
    let mut first_type = (!kind.is_empty() && after_id < id).then(|| kind.clone());
    // One more tells whether there are too many.
    for _ in 0..=most_types {
        let next = match first_type.take() {
            Some(kind) => Some(kind),
            None => next_type.query_row(params![user.0, kind], |r| r.get(0)).optional()?,
        };
        let Some(next) = next else { return Ok(()) };
        kind = next;
        let target = TargetRef { kind: kind.clone(), id: id.to_owned() };
        if let Some(found) = find(conn, user, &target)?
            && !builder.push(&found)?
        {
            return Ok(());
        }
    }
    Err(Error::invalid("type", "is required: this user is subscribed to targets of too many types"))
}
