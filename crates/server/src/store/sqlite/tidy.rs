//! Forgets what is too old, and what retention removes: found by age through an index, deleted in portions.

use rusqlite::{OptionalExtension, params};
use tidings_model::Stamp;

use super::portions::Budget;
use super::write_context::WriteContext;
use super::{pending_groups, removal};
use crate::domain::draft::{
    former_positions_expire, operations_expire, pending_groups_expire, receipts_expire,
    stored_responses_expire,
};
use crate::error::Error;

/// Deletes at most `batch` rows of what is too old, a few at a time, and fewer where that takes long. True while there
/// may be more.
pub(super) fn portion(
    ctx: &mut WriteContext<'_>,
    before: Option<Stamp>,
    batch: usize,
    budget: &mut Budget,
) -> Result<bool, Error> {
    let mut left = batch;
    loop {
        let rows = budget.batch_rows().min(left);
        let more = some(ctx, before, rows)?;
        left -= rows;
        budget.charge_writes(rows);
        if !more || left == 0 || budget.is_spent() {
            return Ok(more);
        }
    }
}

/// Deletes at most so many rows; true while there may be more.
fn some(ctx: &mut WriteContext<'_>, before: Option<Stamp>, batch: usize) -> Result<bool, Error> {
    let mut left = batch;
    left -= expired(ctx, left)?;
    while left > 0
        && let Some(user) = removal::next(ctx.tx)?
    {
        left -= removal::portion(ctx, user, left)?.max(1).min(left);
    }
    if left > 0 {
        left -= pending_groups::delete_abandoned(ctx, pending_groups_expire(ctx.now), left)?.min(left);
    }
    if let (Some(before), 1..) = (before, left) {
        left -= retain(ctx, before, left)?;
    }
    Ok(left == 0)
}

/// Answers, operations, receipts and places in groups that are older than anybody needs them.
fn expired(ctx: &WriteContext<'_>, batch: usize) -> Result<usize, Error> {
    let aged = [
        (
            "DELETE FROM answers WHERE (token, key) IN (SELECT token, key FROM answers WHERE at <= ?1 LIMIT ?2)",
            stored_responses_expire(ctx.now),
        ),
        (
            "DELETE FROM operations WHERE (user, id) IN (SELECT user, id FROM operations WHERE at <= ?1 LIMIT ?2)",
            operations_expire(ctx.now),
        ),
        (RECEIPTS, receipts_expire(ctx.now)),
        (
            "DELETE FROM places WHERE (group_key, user) IN (SELECT group_key, user FROM places WHERE left_at < ?1 LIMIT ?2)",
            former_positions_expire(ctx.now),
        ),
    ];
    run(ctx, &aged, batch)
}

const RECEIPTS: &str = "DELETE FROM receipts WHERE (sender, stamp) IN (
    SELECT sender, stamp FROM receipts WHERE message < ?1 LIMIT ?2)";

/// What was created before a time. The horizon moves first: from then on nobody brings any of it in, and every pull
/// says that it is gone.
fn retain(ctx: &WriteContext<'_>, before: Stamp, batch: usize) -> Result<usize, Error> {
    let newest: Option<i64> = ctx
        .tx
        .prepare_cached(
            "SELECT created_at FROM notifications WHERE created_at < ?1 ORDER BY created_at DESC LIMIT 1",
        )?
        .query_row([before.as_micros()], |r| r.get(0))
        .optional()?;
    if let Some(newest) = newest {
        ctx.tx
            .prepare_cached("UPDATE head SET forgotten_before = ?1 WHERE one = 1 AND forgotten_before < ?1")?
            .execute([newest + 1])?;
    }
    let horizon = ctx
        .tx
        .prepare_cached("SELECT forgotten_before FROM head WHERE one = 1")?
        .query_row([], |r| r.get(0).map(Stamp::from_micros))?;
    // Marks lie between the notifications: by the time that nothing older is there, they cover nothing either.
    let passed = horizon.max(before);
    // The notifications go last: what hangs on one is found by its age even where the program ended in between.
    let removed = [
        (
            "DELETE FROM items WHERE (user, created_at) IN (SELECT user, created_at FROM items INDEXED BY items_by_age
                 WHERE created_at < ?1 ORDER BY created_at LIMIT ?2)",
            horizon,
        ),
        // A mark covers what was created before it, and all of that is gone. The same holds for acknowledgements.
        (
            "DELETE FROM views WHERE (user, kind, view) IN (SELECT user, kind, view FROM views INDEXED BY views_by_mark
                 WHERE mark < ?1 ORDER BY mark LIMIT ?2)",
            passed,
        ),
        (RECEIPTS, horizon),
        (
            "DELETE FROM group_messages WHERE created_at IN (SELECT created_at FROM group_messages
                 WHERE created_at < ?1 ORDER BY created_at LIMIT ?2)",
            horizon,
        ),
        (
            "DELETE FROM acks WHERE (group_key, user, through) IN (SELECT group_key, user, through
                 FROM acks INDEXED BY acks_by_through WHERE through < ?1 ORDER BY through LIMIT ?2)",
            passed,
        ),
        (
            "DELETE FROM memberships WHERE (group_key, user, joined_at) IN (SELECT group_key, user, joined_at
                 FROM memberships INDEXED BY memberships_past WHERE left_at > 0 AND left_at < ?1 LIMIT ?2)",
            horizon,
        ),
        (
            "DELETE FROM notifications WHERE created_at IN (SELECT created_at FROM notifications
                 WHERE created_at < ?1 ORDER BY created_at LIMIT ?2)",
            horizon,
        ),
    ];
    run(ctx, &removed, batch)
}

/// Runs deletions in their order until so many rows went; answers how many.
fn run(ctx: &WriteContext<'_>, deletions: &[(&str, Stamp)], batch: usize) -> Result<usize, Error> {
    let mut left = batch;
    for (sql, before) in deletions {
        if left == 0 {
            break;
        }
        left -= ctx.tx.prepare_cached(sql)?.execute(params![before.as_micros(), left])?.min(left);
    }
    Ok(batch - left)
}
