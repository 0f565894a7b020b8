//! The table `acks`: the times up to which members have read a group, and when they did.

use rusqlite::Connection;
use tidings_model::Stamp;
use tidings_store::Error;
use tidings_store::domain::account::UserKey;

use crate::sql;
use crate::write_tx::WriteTx;

/// The time up to which a member has read a group, at least that of the first joining; `None` for a user who never was
/// a member.
pub(crate) fn last(conn: &Connection, group: i64, user: UserKey) -> Result<Option<i64>, Error> {
    let sql = "SELECT max((SELECT min(joined_at) FROM memberships WHERE group_key = ?1 AND user = ?2),
                 coalesce((SELECT max(through) FROM acks WHERE group_key = ?1 AND user = ?2), 0))";
    sql::one(conn, sql, [group, user.0], |r| Ok(r.get(0)?))
}

/// Records the time up to which a member has read. An acknowledgement that reads no message replaces the one before it.
/// Retention removes those that cover only removed messages.
pub(crate) fn insert(
    ctx: &WriteTx<'_>,
    group: i64,
    user: UserKey,
    (last, through): (i64, i64),
    at: Stamp,
    reads_nothing: bool,
) -> Result<(), Error> {
    let sql = "UPDATE acks SET through = ?4 WHERE group_key = ?1 AND user = ?2 AND through = ?3";
    let moved = reads_nothing && sql::run(ctx.tx, sql, [group, user.0, last, through])? > 0;
    if !moved {
        let sql = "INSERT OR IGNORE INTO acks (group_key, user, through, acked_at) VALUES (?1, ?2, ?3, ?4)";
        sql::run(ctx.tx, sql, [group, user.0, through, at.as_micros()])?;
    }
    Ok(())
}

/// When a member read a message; `None` if they have not.
pub(crate) fn read_at(
    conn: &Connection,
    group: i64,
    user: i64,
    message: i64,
) -> Result<Option<Stamp>, Error> {
    let sql = "SELECT acked_at FROM acks WHERE group_key = ?1 AND user = ?2 AND through >= ?3 ORDER BY through LIMIT 1";
    sql::first(conn, sql, [group, user, message], |r| Ok(Stamp::from_micros(r.get(0)?)))
}

/// Deletes the acknowledgements of a user without any membership row, whose membership ended without a message. There
/// are few rows, because acknowledgements that read no message are merged.
pub(crate) fn delete_without_membership(ctx: &WriteTx<'_>, group: i64, user: UserKey) -> Result<(), Error> {
    let sql = "DELETE FROM acks WHERE group_key = ?1 AND user = ?2
                 AND NOT EXISTS (SELECT 1 FROM memberships WHERE group_key = ?1 AND user = ?2)";
    sql::run(ctx.tx, sql, [group, user.0]).map(drop)
}
