//! Subscriptions, follows and preferences in their tables. Refuses to move the time from which an action counts.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};
use tidings_model::Stamp;

use super::write_context::WriteContext;
use crate::domain::account::UserKey;
use crate::domain::limits;
use crate::error::Error;
use crate::store::page::{ListPage, PageBuilder};
use crate::store::{Follow, ListQuery, Subscription, TargetRef};

/// Adds one action at a fresh stamp unless it is there.
fn add(
    ctx: &mut WriteContext<'_>,
    user: UserKey,
    target: &TargetRef,
    action: &str,
    reason: &str,
) -> Result<(), Error> {
    let there = ctx
        .tx
        .prepare_cached(
            "SELECT 1 FROM subscriptions WHERE user = ?1 AND target_type = ?2 AND target_id = ?3 AND action = ?4",
        )?
        .exists(params![user.0, target.kind, target.id, action])?;
    if there {
        return Ok(());
    }
    let stamp = ctx.next_stamp();
    ctx.tx
        .prepare_cached(
            "INSERT INTO subscriptions (user, target_type, target_id, action, reason, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![user.0, target.kind, target.id, action, reason, stamp.as_micros()])?;
    counted(ctx, user, 1)
}

/// Keeps how many subscriptions a user has.
fn counted(ctx: &WriteContext<'_>, user: UserKey, more: i64) -> Result<(), Error> {
    ctx.tx
        .prepare_cached("UPDATE users SET subscriptions = subscriptions + ?2 WHERE key = ?1")?
        .execute([user.0, more])?;
    Ok(())
}

/// Makes sure of one action, if the user is still there.
pub(super) fn ensure(
    ctx: &mut WriteContext<'_>,
    user: UserKey,
    target: &TargetRef,
    action: &str,
) -> Result<(), Error> {
    match super::accounts::id_of(ctx.tx, user) {
        Ok(_) => add(ctx, user, target, action, ""),
        Err(Error::Refused(_)) => Ok(()),
        Err(e) => Err(e),
    }
}

pub(super) fn subscribe(
    ctx: &mut WriteContext<'_>,
    user: UserKey,
    target: &TargetRef,
    actions: &[String],
    reason: Option<&str>,
) -> Result<Subscription, Error> {
    super::accounts::id_of(ctx.tx, user)?;
    let there: usize = ctx
        .tx
        .prepare_cached("SELECT subscriptions FROM users WHERE key = ?1")?
        .query_row([user.0], |r| r.get(0))?;
    if there >= limits::SUBSCRIPTIONS {
        return Err(Error::invalid("target", "this user has too many subscriptions"));
    }
    for action in actions {
        add(ctx, user, target, action, reason.unwrap_or(""))?;
    }
    one(ctx.tx, user, target)?.ok_or_else(|| Error::not_found("subscription"))
}

pub(super) fn unsubscribe(
    ctx: &mut WriteContext<'_>,
    user: UserKey,
    target: &TargetRef,
    action: Option<&str>,
) -> Result<(), Error> {
    let whole = "DELETE FROM subscriptions WHERE user = ?1 AND target_type = ?2 AND target_id = ?3";
    let gone = match action {
        Some(action) => ctx
            .tx
            .execute(&format!("{whole} AND action = ?4"), params![user.0, target.kind, target.id, action])?,
        None => ctx.tx.execute(whole, params![user.0, target.kind, target.id])?,
    };
    counted(ctx, user, -i64::try_from(gone).unwrap_or(0))
}

/// The subscription of a user to one target.
fn one(conn: &Connection, user: UserKey, target: &TargetRef) -> Result<Option<Subscription>, Error> {
    let mut gathering = Gathering::default();
    let mut rows =
        conn.prepare_cached(&format!("{ROWS} AND target_type = ?2 AND target_id = ?3 ORDER BY action"))?;
    let mut rows = rows.query(params![user.0, target.kind, target.id])?;
    while let Some(row) = rows.next()? {
        gathering.take(row)?;
    }
    Ok(gathering.subscription)
}

const ROWS: &str =
    "SELECT target_type, target_id, action, reason, created_at FROM subscriptions WHERE user = ?1";

/// One row per action becomes one subscription per target.
#[derive(Default)]
struct Gathering {
    subscription: Option<Subscription>,
    /// When the reason that stands in the answer was given.
    reasoned: Option<Stamp>,
}

impl Gathering {
    /// Takes the next row; answers the subscription before it where the row begins another one.
    fn take(&mut self, row: &Row<'_>) -> rusqlite::Result<Option<Subscription>> {
        let target = TargetRef { kind: row.get(0)?, id: row.get(1)? };
        let (action, reason): (String, String) = (row.get(2)?, row.get(3)?);
        let created_at = Stamp::from_micros(row.get(4)?);
        let done = self.subscription.take_if(|s| s.target != target);
        if done.is_some() {
            self.reasoned = None;
        }
        let current = self.subscription.get_or_insert(Subscription {
            target,
            actions: Vec::new(),
            reason: None,
            created_at,
        });
        current.actions.push(action);
        current.created_at = current.created_at.min(created_at);
        if !reason.is_empty() && self.reasoned.is_none_or(|at| created_at < at) {
            current.reason = Some(reason);
            self.reasoned = Some(created_at);
        }
        Ok(done)
    }
}

/// Types that are looked at for one page of the subscriptions to an id of any type.
const TYPES: usize = 10_000;

/// A page of subscriptions, by type and id.
pub(super) fn list(
    conn: &Connection,
    user: UserKey,
    kind: Option<&str>,
    id: Option<&str>,
    page: &ListQuery,
) -> Result<ListPage, Error> {
    let after = page.after.as_deref().map(|after| {
        after.split_once(':').ok_or_else(|| Error::invalid("after", "must be the `<type>:<id>` of a target"))
    });
    let (after_kind, after_id) = after.transpose()?.unwrap_or_default();
    let mut builder = PageBuilder::new(page.limit);
    match (kind, id) {
        (Some(kind), Some(id)) => {
            let target = TargetRef { kind: kind.to_owned(), id: id.to_owned() };
            let wanted = (after_kind, after_id) < (kind, id);
            if let Some(found) = one(conn, user, &target)?.filter(|_| wanted) {
                builder.push(&found)?;
            }
        }
        (Some(kind), None) => {
            let after_id = match after_kind.cmp(kind) {
                Ordering::Less => "",
                Ordering::Equal => after_id,
                Ordering::Greater => return Ok(ListPage(Vec::new())),
            };
            let sql = format!("{ROWS} AND target_type = ?2 AND target_id > ?3 ORDER BY target_id, action");
            gather(conn, &sql, params![user.0, kind, after_id], &mut builder)?;
        }
        (None, Some(id)) => of_any_type(conn, user, id, (after_kind, after_id), &mut builder)?,
        (None, None) => {
            let sql = format!(
                "{ROWS} AND (target_type, target_id) > (?2, ?3) ORDER BY target_type, target_id, action"
            );
            gather(conn, &sql, params![user.0, after_kind, after_id], &mut builder)?;
        }
    }
    Ok(ListPage(builder.into_elements()))
}

/// Reads rows until the page is full.
fn gather(
    conn: &Connection,
    sql: &str,
    values: &[&dyn ToSql],
    builder: &mut PageBuilder,
) -> Result<(), Error> {
    let mut rows = conn.prepare_cached(sql)?;
    let mut rows = rows.query(values)?;
    let mut gathering = Gathering::default();
    while let Some(row) = rows.next()? {
        if let Some(done) = gathering.take(row)?
            && !builder.push(&done)?
        {
            return Ok(());
        }
    }
    if let Some(last) = gathering.subscription {
        builder.push(&last)?;
    }
    Ok(())
}

/// The subscriptions to an id, from type to type.
fn of_any_type(
    conn: &Connection,
    user: UserKey,
    id: &str,
    (after_kind, after_id): (&str, &str),
    builder: &mut PageBuilder,
) -> Result<(), Error> {
    let mut following = conn.prepare_cached(
        "SELECT target_type FROM subscriptions WHERE user = ?1 AND target_type > ?2 ORDER BY target_type LIMIT 1",
    )?;
    let mut kind = after_kind.to_owned();
    // The type of the last element may still have the id itself behind it.
    let mut here = (!kind.is_empty() && after_id < id).then(|| kind.clone());
    for _ in 0..TYPES {
        let next = match here.take() {
            Some(kind) => Some(kind),
            None => following.query_row(params![user.0, kind], |r| r.get(0)).optional()?,
        };
        let Some(next) = next else { return Ok(()) };
        kind = next;
        let target = TargetRef { kind: kind.clone(), id: id.to_owned() };
        if let Some(found) = one(conn, user, &target)?
            && !builder.push(&found)?
        {
            return Ok(());
        }
    }
    Err(Error::invalid("type", "must be given: this user is subscribed to targets of too many types"))
}

pub(super) fn follow(ctx: &mut WriteContext<'_>, user: UserKey, actor: &str) -> Result<Follow, Error> {
    super::accounts::id_of(ctx.tx, user)?;
    if let Some(there) = followed(ctx.tx, user, actor)? {
        return Ok(there);
    }
    let created_at = ctx.next_stamp();
    ctx.tx.execute(
        "INSERT INTO follows (user, actor, created_at) VALUES (?1, ?2, ?3)",
        params![user.0, actor, created_at.as_micros()],
    )?;
    Ok(Follow { user: actor.to_owned(), created_at })
}

pub(super) fn unfollow(ctx: &mut WriteContext<'_>, user: UserKey, actor: &str) -> Result<(), Error> {
    ctx.tx.execute("DELETE FROM follows WHERE user = ?1 AND actor = ?2", params![user.0, actor])?;
    Ok(())
}

fn follow_row(row: &Row<'_>) -> rusqlite::Result<Follow> {
    Ok(Follow { user: row.get(0)?, created_at: Stamp::from_micros(row.get(1)?) })
}

pub(super) fn follows(conn: &Connection, user: UserKey, page: &ListQuery) -> Result<ListPage, Error> {
    let mut rows = conn.prepare_cached(
        "SELECT actor, created_at FROM follows WHERE user = ?1 AND actor > ?2 ORDER BY actor",
    )?;
    let mut rows = rows.query(params![user.0, page.after.as_deref().unwrap_or_default()])?;
    let mut builder = PageBuilder::new(page.limit);
    while let Some(row) = rows.next()? {
        if !builder.push(&follow_row(row)?)? {
            break;
        }
    }
    Ok(ListPage(builder.into_elements()))
}

pub(super) fn followed(conn: &Connection, user: UserKey, actor: &str) -> Result<Option<Follow>, Error> {
    Ok(conn
        .prepare_cached("SELECT actor, created_at FROM follows WHERE user = ?1 AND actor = ?2")?
        .query_row(params![user.0, actor], follow_row)
        .optional()?)
}

pub(super) fn preferences(conn: &Connection, user: UserKey) -> Result<BTreeMap<String, bool>, Error> {
    let mut rows = conn.prepare_cached("SELECT action, wanted FROM preferences WHERE user = ?1")?;
    let set = rows.query_map([user.0], |r| Ok((r.get(0)?, r.get(1)?)))?.collect::<Result<_, _>>()?;
    Ok(set)
}

pub(super) fn set_preferences(
    ctx: &mut WriteContext<'_>,
    user: UserKey,
    changes: &BTreeMap<String, Option<bool>>,
) -> Result<(), Error> {
    super::accounts::id_of(ctx.tx, user)?;
    for (action, wanted) in changes {
        match wanted {
            Some(wanted) => ctx.tx.execute(
                "INSERT OR REPLACE INTO preferences (user, action, wanted) VALUES (?1, ?2, ?3)",
                params![user.0, action, wanted],
            )?,
            None => ctx.tx.execute(
                "DELETE FROM preferences WHERE user = ?1 AND action = ?2",
                params![user.0, action],
            )?,
        };
    }
    Ok(())
}
