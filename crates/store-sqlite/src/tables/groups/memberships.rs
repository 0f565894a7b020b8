//! The table `memberships`: the members of groups, with the times of joining and leaving.

use rusqlite::{Connection, params};
use tidings_model::Stamp;
use tidings_store::domain::account::UserKey;
use tidings_store::domain::draft::former_positions_expire;
use tidings_store::{Error, Member};

use crate::sql;
use crate::write_tx::WriteTx;

/// Whether a user is a member of a group.
pub(crate) fn contains(conn: &Connection, group: i64, user: UserKey) -> Result<bool, Error> {
    let sql = "SELECT 1 FROM memberships WHERE group_key = ?1 AND user = ?2 AND left_at = 0";
    sql::exists(conn, sql, [group, user.0])
}

/// Passes the members after a list position and user key to `on_member`, in the order in which they joined, until it
/// returns `false` or `limit` is reached.
pub(crate) fn each_member(
    conn: &Connection,
    group: i64,
    (position, user): (i64, i64),
    limit: usize,
    mut on_member: impl FnMut(Member) -> Result<bool, Error>,
) -> Result<(), Error> {
    let mut rows = conn.prepare_cached(
        "SELECT u.id, u.name FROM memberships m INDEXED BY members CROSS JOIN users u ON u.key = m.user
         WHERE m.group_key = ?1 AND m.left_at = 0 AND (m.list_position, m.user) > (?2, ?3) AND u.id < '~'
         ORDER BY m.list_position, m.user LIMIT ?4",
    )?;
    let mut rows = rows.query(params![group, position, user, limit])?;
    while let Some(row) = rows.next()? {
        if !on_member(Member { id: row.get(0)?, name: row.get(1)? })? {
            break;
        }
    }
    Ok(())
}

/// Adds a member; the caller updates the group's count. A member who left a short while ago gets the former list
/// position, so that a client that pages through the list meanwhile misses nobody.
pub(crate) fn insert(
    ctx: &WriteTx<'_>,
    (group, id): (i64, &str),
    user: UserKey,
    stamp: Stamp,
) -> Result<(), Error> {
    let since = former_positions_expire(ctx.now).as_micros();
    let sql = "INSERT INTO memberships (group_key, user, joined_at, left_at, group_id, list_position) VALUES (?1, ?2, ?3, 0, ?4,
                 coalesce((SELECT list_position FROM former_positions WHERE group_key = ?1 AND user = ?2 AND left_at >= ?5), ?3))";
    sql::run(ctx.tx, sql, params![group, user.0, stamp.as_micros(), id, since]).map(drop)
}

/// Ends a membership; its row is deleted if no message was posted during it.
pub(crate) fn end(ctx: &WriteTx<'_>, group: i64, user: UserKey, at: Stamp) -> Result<(), Error> {
    let sql = "DELETE FROM memberships WHERE group_key = ?1 AND user = ?2 AND left_at = 0 AND NOT EXISTS (
                 SELECT 1 FROM group_messages m WHERE m.group_key = ?1 AND m.created_at > memberships.joined_at)";
    sql::run(ctx.tx, sql, [group, user.0])?;
    let sql = "UPDATE memberships SET left_at = ?3 WHERE group_key = ?1 AND user = ?2 AND left_at = 0";
    sql::run(ctx.tx, sql, [group, user.0, at.as_micros()]).map(drop)
}

/// Ends at most `limit` memberships of a group that was ended at a time; gives their number. The rows stay, so that a
/// pull names the group to each user who was in it.
pub(crate) fn end_batch(ctx: &WriteTx<'_>, group: i64, at: Stamp, limit: usize) -> Result<usize, Error> {
    let sql = "UPDATE memberships SET left_at = ?2 WHERE (group_key, user, joined_at) IN (
                 SELECT group_key, user, joined_at FROM memberships INDEXED BY members
                 WHERE group_key = ?1 AND left_at = 0 LIMIT ?3)";
    sql::run(ctx.tx, sql, params![group, at.as_micros(), limit])
}

/// At most `limit` groups that a user is a member of, each with its owner.
pub(crate) fn groups_batch_of(
    conn: &Connection,
    user: UserKey,
    limit: usize,
) -> Result<Vec<(i64, UserKey)>, Error> {
    let sql = "SELECT g.key, g.owner FROM memberships m INDEXED BY memberships_now
         CROSS JOIN groups g ON g.key = m.group_key WHERE m.user = ?1 AND m.left_at = 0 LIMIT ?2";
    sql::all(conn, sql, params![user.0, limit], |r| Ok((r.get(0)?, UserKey(r.get(1)?))))
}

/// Deletes at most `limit` memberships of a group; gives their number.
pub(crate) fn delete_batch(ctx: &WriteTx<'_>, group: i64, limit: usize) -> Result<usize, Error> {
    let sql = "DELETE FROM memberships WHERE (group_key, user, joined_at) IN (
                 SELECT group_key, user, joined_at FROM memberships WHERE group_key = ?1 LIMIT ?2)";
    sql::run(ctx.tx, sql, params![group, limit])
}

/// `?1` a time, `?2` the most rows.
pub(crate) const DELETE_LEFT_BEFORE: &str = "DELETE FROM memberships WHERE (group_key, user, joined_at) IN (
    SELECT group_key, user, joined_at FROM memberships INDEXED BY memberships_past
    WHERE left_at > 0 AND left_at < ?1 LIMIT ?2)";
