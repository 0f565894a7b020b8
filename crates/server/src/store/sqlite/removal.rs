//! Deletes what removed users leave behind, in portions, between which others write.

use rusqlite::{Connection, OptionalExtension, params};

use super::groups;
use super::write_context::WriteContext;
use crate::domain::account::UserKey;
use crate::error::Error;

/// What a user has, each with at most so many rows at once.
const ROWS: &[&str] = &[
    "DELETE FROM answers WHERE (token, key) IN (SELECT a.token, a.key FROM tokens t
         CROSS JOIN answers a ON a.token = t.id WHERE t.user = ?1 LIMIT ?2)",
    "DELETE FROM tokens WHERE id IN (SELECT id FROM tokens WHERE user = ?1 LIMIT ?2)",
    "DELETE FROM items WHERE (user, created_at) IN (SELECT user, created_at FROM items WHERE user = ?1 LIMIT ?2)",
    "DELETE FROM views WHERE (user, kind, view) IN (SELECT user, kind, view FROM views WHERE user = ?1 LIMIT ?2)",
    "DELETE FROM operations WHERE (user, id) IN (SELECT user, id FROM operations WHERE user = ?1 LIMIT ?2)",
    "DELETE FROM subscriptions WHERE (user, target_type, target_id, action) IN (
         SELECT user, target_type, target_id, action FROM subscriptions WHERE user = ?1 LIMIT ?2)",
    "DELETE FROM follows WHERE (user, actor) IN (SELECT user, actor FROM follows WHERE user = ?1 LIMIT ?2)",
    "DELETE FROM preferences WHERE (user, action) IN (
         SELECT user, action FROM preferences WHERE user = ?1 LIMIT ?2)",
    "DELETE FROM receipts WHERE (sender, stamp) IN (SELECT sender, stamp FROM receipts WHERE sender = ?1 LIMIT ?2)",
];

/// A removed user of whom something is left.
pub(super) fn next(conn: &Connection) -> Result<Option<UserKey>, Error> {
    Ok(conn
        .prepare_cached("SELECT key FROM users WHERE id >= '~' LIMIT 1")?
        .query_row([], |r| r.get(0).map(UserKey))
        .optional()?)
}

/// Deletes at most `batch` rows of a removed user; answers how many. Fewer than `batch`: nothing is left.
pub(super) fn portion(ctx: &mut WriteContext<'_>, user: UserKey, batch: usize) -> Result<usize, Error> {
    let mut left = batch - groups::leave_some(ctx, user, batch)?;
    for sql in ROWS {
        if left == 0 {
            return Ok(batch);
        }
        left -= ctx.tx.prepare_cached(sql)?.execute(params![user.0, left])?.min(left);
    }
    if left == 0 {
        return Ok(batch);
    }
    ctx.tx.execute("DELETE FROM users WHERE key = ?1 AND id >= '~'", [user.0])?;
    Ok(batch - left)
}
