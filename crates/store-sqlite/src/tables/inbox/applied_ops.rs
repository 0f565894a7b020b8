//! The table `applied_ops`: ids of applied operations, so that each is applied once.

use rusqlite::params;
use tidings_store::Error;
use tidings_store::domain::account::UserKey;

use crate::sql;
use crate::write_tx::WriteTx;

pub(crate) fn contains(ctx: &WriteTx<'_>, user: UserKey, id: &str) -> Result<bool, Error> {
    sql::exists(ctx.tx, "SELECT 1 FROM applied_ops WHERE user = ?1 AND id = ?2", params![user.0, id])
}

pub(crate) fn insert(ctx: &WriteTx<'_>, user: UserKey, id: &str) -> Result<(), Error> {
    let sql = "INSERT INTO applied_ops (user, id, applied_at) VALUES (?1, ?2, ?3)";
    sql::run(ctx.tx, sql, params![user.0, id, ctx.now.as_micros()]).map(drop)
}

/// `?1` a time, `?2` the most rows.
pub(crate) const DELETE_EXPIRED: &str = "DELETE FROM applied_ops WHERE (user, id) IN (
    SELECT user, id FROM applied_ops WHERE applied_at <= ?1 LIMIT ?2)";
