//! The table `acks`: how far each member has read a group, and when.

use rusqlite::{Connection, OptionalExtension};
use tidings_model::Stamp;

use crate::domain::account::UserKey;
use crate::error::Error;
use crate::store::sqlite::write_tx::WriteTx;

/// How far a member has acknowledged: at least to when it first joined. None for who never was a member.
pub(crate) fn last(conn: &Connection, group: i64, user: UserKey) -> Result<Option<i64>, Error> {
    Ok(conn
        .prepare_cached(
            "SELECT max((SELECT min(joined_at) FROM memberships WHERE group_key = ?1 AND user = ?2),
                 coalesce((SELECT max(through) FROM acks WHERE group_key = ?1 AND user = ?2), 0))",
        )?
        .query_row([group, user.0], |r| r.get(0))?)
}

/// Keeps how far a member has read. An acknowledgement that reads no message moves the one before it. Upkeep removes those
/// that only speak of messages that retention removed.
pub(crate) fn insert(
    ctx: &WriteTx<'_>,
    group: i64,
    user: UserKey,
    (last, through): (i64, i64),
    at: Stamp,
    reads_nothing: bool,
) -> Result<(), Error> {
    let moved = reads_nothing
        && ctx
            .tx
            .prepare_cached(
                "UPDATE acks SET through = ?4 WHERE group_key = ?1 AND user = ?2 AND through = ?3",
            )?
            .execute([group, user.0, last, through])?
            > 0;
    if !moved {
        ctx.tx
            .prepare_cached(
                "INSERT OR IGNORE INTO acks (group_key, user, through, acked_at) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute([group, user.0, through, at.as_micros()])?;
    }
    Ok(())
}

/// When a member read a message; none where it did not.
pub(crate) fn read_at(
    conn: &Connection,
    group: i64,
    user: i64,
    message: i64,
) -> Result<Option<Stamp>, Error> {
    Ok(conn
        .prepare_cached(
            "SELECT acked_at FROM acks WHERE group_key = ?1 AND user = ?2 AND through >= ?3 ORDER BY through LIMIT 1",
        )?
        .query_row([group, user, message], |r| r.get(0).map(Stamp::from_micros))
        .optional()?)
}

/// Deletes what a user acknowledged who was never a member while anything was posted. All rows of one membership but the
/// last are moved on, so there are few.
pub(crate) fn delete_without_membership(ctx: &WriteTx<'_>, group: i64, user: UserKey) -> Result<(), Error> {
    ctx.tx
        .prepare_cached(
            "DELETE FROM acks WHERE group_key = ?1 AND user = ?2
                 AND NOT EXISTS (SELECT 1 FROM memberships WHERE group_key = ?1 AND user = ?2)",
        )?
        .execute([group, user.0])?;
    Ok(())
}

/// `?1` a time, `?2` at most so many rows.
pub(crate) const DELETE_THROUGH_BEFORE: &str = "DELETE FROM acks WHERE (group_key, user, through) IN (
    SELECT group_key, user, through FROM acks INDEXED BY acks_by_through WHERE through < ?1 ORDER BY through LIMIT ?2)";
