//! Subscriptions, follows and preferences in their tables. Refuses to move the time from which an action counts.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::Stamp;

use super::work::Work;
use crate::domain::account::UserKey;
use crate::domain::limits;
use crate::error::Error;
use crate::store::{Follow, Subscription, TargetRef};

/// Adds one action at a fresh stamp unless it is there.
fn add(
    work: &mut Work<'_>,
    user: UserKey,
    target: &TargetRef,
    action: &str,
    reason: &str,
) -> Result<(), Error> {
    let there = work
        .tx
        .prepare_cached(
            "SELECT 1 FROM subscriptions WHERE user = ?1 AND target_type = ?2 AND target_id = ?3 AND action = ?4",
        )?
        .exists(params![user.0, target.kind, target.id, action])?;
    if there {
        return Ok(());
    }
    let stamp = work.stamp();
    work.tx
        .prepare_cached(
            "INSERT INTO subscriptions (user, target_type, target_id, action, reason, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![user.0, target.kind, target.id, action, reason, stamp.as_micros()])?;
    Ok(())
}

/// Makes sure of one action, if the user is still there.
pub(super) fn ensure(
    work: &mut Work<'_>,
    user: UserKey,
    target: &TargetRef,
    action: &str,
) -> Result<(), Error> {
    match super::accounts::id_of(work.tx, user) {
        Ok(_) => add(work, user, target, action, ""),
        Err(Error::Refused(_)) => Ok(()),
        Err(e) => Err(e),
    }
}

pub(super) fn subscribe(
    work: &mut Work<'_>,
    user: UserKey,
    target: &TargetRef,
    actions: &[String],
    reason: Option<&str>,
) -> Result<Subscription, Error> {
    super::accounts::id_of(work.tx, user)?;
    let n: i64 = work
        .tx
        .prepare_cached("SELECT count(*) FROM (SELECT 1 FROM subscriptions WHERE user = ?1 LIMIT ?2)")?
        .query_row(params![user.0, i64::try_from(limits::SUBSCRIPTIONS).unwrap_or(i64::MAX)], |r| r.get(0))?;
    if usize::try_from(n).is_ok_and(|n| n >= limits::SUBSCRIPTIONS) {
        return Err(Error::invalid("target", "this user has too many subscriptions"));
    }
    for action in actions {
        add(work, user, target, action, reason.unwrap_or(""))?;
    }
    list(work.tx, user, Some(&target.kind), Some(&target.id))?
        .into_iter()
        .next()
        .ok_or_else(|| Error::not_found("subscription"))
}

pub(super) fn unsubscribe(
    work: &mut Work<'_>,
    user: UserKey,
    target: &TargetRef,
    action: Option<&str>,
) -> Result<(), Error> {
    work.tx.execute(
        "DELETE FROM subscriptions WHERE user = ?1 AND target_type = ?2 AND target_id = ?3
             AND (?4 IS NULL OR action = ?4)",
        params![user.0, target.kind, target.id, action],
    )?;
    Ok(())
}

/// One row per action becomes one subscription per target.
pub(super) fn list(
    conn: &Connection,
    user: UserKey,
    kind: Option<&str>,
    id: Option<&str>,
) -> Result<Vec<Subscription>, Error> {
    let narrow = match (kind, id) {
        (Some(_), Some(_)) => "AND target_type = ?2 AND target_id = ?3",
        (Some(_), None) => "AND target_type = ?2 AND ?3 IS NULL",
        (None, Some(_)) => "AND ?2 IS NULL AND target_id = ?3",
        (None, None) => "AND ?2 IS NULL AND ?3 IS NULL",
    };
    let mut rows = conn.prepare_cached(&format!(
        "SELECT target_type, target_id, action, reason, created_at FROM subscriptions
         WHERE user = ?1 {narrow} ORDER BY target_type, target_id, action"
    ))?;
    let mut found: Vec<Subscription> = Vec::new();
    // When the reason that stands in the answer was given.
    let mut reasoned = Stamp::MAX;
    let mut rows = rows.query(params![user.0, kind, id])?;
    while let Some(row) = rows.next()? {
        let target = TargetRef { kind: row.get(0)?, id: row.get(1)? };
        let (action, reason): (String, String) = (row.get(2)?, row.get(3)?);
        let created_at = Stamp::from_micros(row.get(4)?);
        if found.last().is_none_or(|s| s.target != target) {
            found.push(Subscription { target, actions: Vec::new(), reason: None, created_at });
            reasoned = Stamp::MAX;
        }
        if let Some(subscription) = found.last_mut() {
            subscription.actions.push(action);
            subscription.created_at = subscription.created_at.min(created_at);
            if !reason.is_empty() && created_at < reasoned {
                subscription.reason = Some(reason);
                reasoned = created_at;
            }
        }
    }
    Ok(found)
}

pub(super) fn follow(work: &mut Work<'_>, user: UserKey, actor: &str) -> Result<Follow, Error> {
    super::accounts::id_of(work.tx, user)?;
    let there: Option<i64> = work
        .tx
        .query_row(
            "SELECT created_at FROM follows WHERE user = ?1 AND actor = ?2",
            params![user.0, actor],
            |r| r.get(0),
        )
        .optional()?;
    let created_at = if let Some(micros) = there {
        Stamp::from_micros(micros)
    } else {
        let stamp = work.stamp();
        work.tx.execute(
            "INSERT INTO follows (user, actor, created_at) VALUES (?1, ?2, ?3)",
            params![user.0, actor, stamp.as_micros()],
        )?;
        stamp
    };
    Ok(Follow { user: actor.to_owned(), created_at })
}

pub(super) fn unfollow(work: &mut Work<'_>, user: UserKey, actor: &str) -> Result<(), Error> {
    work.tx.execute("DELETE FROM follows WHERE user = ?1 AND actor = ?2", params![user.0, actor])?;
    Ok(())
}

pub(super) fn follows(conn: &Connection, user: UserKey) -> Result<Vec<Follow>, Error> {
    let mut rows =
        conn.prepare_cached("SELECT actor, created_at FROM follows WHERE user = ?1 ORDER BY actor")?;
    let follows = rows
        .query_map([user.0], |r| Ok(Follow { user: r.get(0)?, created_at: Stamp::from_micros(r.get(1)?) }))?
        .collect::<Result<_, _>>()?;
    Ok(follows)
}

pub(super) fn preferences(conn: &Connection, user: UserKey) -> Result<BTreeMap<String, bool>, Error> {
    let mut rows = conn.prepare_cached("SELECT action, wanted FROM preferences WHERE user = ?1")?;
    let set = rows.query_map([user.0], |r| Ok((r.get(0)?, r.get(1)?)))?.collect::<Result<_, _>>()?;
    Ok(set)
}

pub(super) fn set_preferences(
    work: &mut Work<'_>,
    user: UserKey,
    changes: &BTreeMap<String, Option<bool>>,
) -> Result<(), Error> {
    super::accounts::id_of(work.tx, user)?;
    for (action, wanted) in changes {
        match wanted {
            Some(wanted) => work.tx.execute(
                "INSERT OR REPLACE INTO preferences (user, action, wanted) VALUES (?1, ?2, ?3)",
                params![user.0, action, wanted],
            )?,
            None => work.tx.execute(
                "DELETE FROM preferences WHERE user = ?1 AND action = ?2",
                params![user.0, action],
            )?,
        };
    }
    Ok(())
}
