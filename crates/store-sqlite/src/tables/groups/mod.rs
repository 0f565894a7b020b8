//! The table `groups`; the modules below have the tables of members, messages, acknowledgements and receipts.

pub(crate) mod acks;
pub(crate) mod deliveries;
pub(crate) mod former_positions;
pub(crate) mod group_messages;
pub(crate) mod memberships;
pub(crate) mod receipts;

use rusqlite::{Connection, params};
use tidings_model::Stamp;
use tidings_store::Error;
use tidings_store::domain::account::UserKey;

use crate::sql;
use crate::write_tx::WriteTx;

/// A row of the table.
pub(crate) struct GroupRow {
    pub(crate) key: i64,
    pub(crate) name: String,
    pub(crate) owner: UserKey,
    pub(crate) created_at: Stamp,
    pub(crate) member_count: i64,
    /// Whether it was ended.
    pub(crate) ended: bool,
}

/// A group, also one that was ended.
pub(crate) fn get(conn: &Connection, id: &str) -> Result<Option<GroupRow>, Error> {
    let sql = "SELECT key, name, owner, created_at, member_count, ended_at > 0 FROM groups WHERE id = ?1";
    sql::first(conn, sql, [id], |r| {
        Ok(GroupRow {
            key: r.get(0)?,
            name: r.get(1)?,
            owner: UserKey(r.get(2)?),
            created_at: Stamp::from_micros(r.get(3)?),
            member_count: r.get(4)?,
            ended: r.get(5)?,
        })
    })
}

/// A group that goes on.
pub(crate) fn current(conn: &Connection, id: &str) -> Result<Option<GroupRow>, Error> {
    Ok(get(conn, id)?.filter(|found| !found.ended))
}

/// A group that goes on; `not_found` if there is none.
pub(crate) fn require(conn: &Connection, id: &str) -> Result<GroupRow, Error> {
    current(conn, id)?.ok_or_else(|| Error::not_found("group"))
}

/// The key of a group, also of one that was ended.
pub(crate) fn key_of(conn: &Connection, id: &str) -> Result<Option<i64>, Error> {
    Ok(get(conn, id)?.map(|found| found.key))
}

/// Adds a group without members; gives its key.
pub(crate) fn insert(
    ctx: &WriteTx<'_>,
    id: &str,
    name: &str,
    owner: UserKey,
    created_at: Stamp,
) -> Result<i64, Error> {
    ctx.tx.execute(
        "INSERT INTO groups (id, name, owner, created_at, member_count, changed_at) VALUES (?1, ?2, ?3, ?4, 0, ?4)",
        params![id, name, owner.0, created_at.as_micros()],
    )?;
    Ok(ctx.tx.last_insert_rowid())
}

pub(crate) fn set_id(ctx: &WriteTx<'_>, key: i64, id: &str) -> Result<(), Error> {
    ctx.tx.execute("UPDATE groups SET id = ?2 WHERE key = ?1", params![key, id])?;
    Ok(())
}

/// Makes the member who joined first the owner; without members the owner stays.
pub(crate) fn transfer_ownership(ctx: &WriteTx<'_>, key: i64) -> Result<(), Error> {
    ctx.tx.execute(
        "UPDATE groups SET owner = coalesce((SELECT user FROM memberships INDEXED BY members
             WHERE group_key = ?1 AND left_at = 0 ORDER BY list_position, user LIMIT 1), owner) WHERE key = ?1",
        [key],
    )?;
    Ok(())
}

/// Ends a group: nothing is posted to it any more. Upkeep ends the memberships.
pub(crate) fn end(ctx: &WriteTx<'_>, key: i64, at: Stamp) -> Result<(), Error> {
    ctx.tx.execute(
        "UPDATE groups SET ended_at = ?2, changed_at = ?2 WHERE key = ?1",
        params![key, at.as_micros()],
    )?;
    Ok(())
}

/// A group that was ended and still has members, and when it was ended.
pub(crate) fn next_ending(conn: &Connection) -> Result<Option<(i64, Stamp)>, Error> {
    let sql = "SELECT key, ended_at FROM groups INDEXED BY groups_ending WHERE ended_at > 0 AND member_count > 0 LIMIT 1";
    sql::first(conn, sql, [], |r| Ok((r.get(0)?, Stamp::from_micros(r.get(1)?))))
}

/// Gives the group the stamp of a change.
pub(crate) fn set_changed(ctx: &WriteTx<'_>, key: i64, at: Stamp) -> Result<(), Error> {
    let sql = "UPDATE groups SET changed_at = ?2 WHERE key = ?1";
    sql::run(ctx.tx, sql, params![key, at.as_micros()]).map(drop)
}

pub(crate) fn set_name(ctx: &WriteTx<'_>, key: i64, name: &str) -> Result<(), Error> {
    sql::run(ctx.tx, "UPDATE groups SET name = ?2 WHERE key = ?1", params![key, name]).map(drop)
}

pub(crate) fn set_owner(ctx: &WriteTx<'_>, key: i64, owner: UserKey) -> Result<(), Error> {
    sql::run(ctx.tx, "UPDATE groups SET owner = ?2 WHERE key = ?1", [key, owner.0]).map(drop)
}

/// The ids and stamps of the groups that changed between two stamps, in the order of the stamps: at most `limit`. The
/// user is in each of these groups, or was removed from it meanwhile. Few changes are tested each; with many, the query
/// goes from the user's memberships.
pub(crate) fn changed(
    conn: &Connection,
    user: UserKey,
    (since, upto): (Stamp, Stamp),
    limit: usize,
    tested_rows: usize,
) -> Result<Vec<(String, Stamp)>, Error> {
    let sql = "SELECT count(*) FROM (SELECT 1 FROM groups INDEXED BY groups_by_change
                 WHERE changed_at > ?1 AND changed_at <= ?2 LIMIT ?3)";
    let changes: usize = sql::one(
        conn,
        sql,
        params![since.as_micros(), upto.as_micros(), tested_rows + 1],
        |r| Ok(r.get(0)?),
    )?;
    let sql = if changes <= tested_rows {
        "SELECT g.id, g.changed_at FROM groups g INDEXED BY groups_by_change
         WHERE g.changed_at > ?2 AND g.changed_at <= ?3 AND g.id < '~'
             AND EXISTS (SELECT 1 FROM memberships m WHERE m.group_key = g.key AND m.user = ?1
                 AND (m.left_at = 0 OR m.left_at > ?2))
         ORDER BY g.changed_at LIMIT ?4"
    } else {
        "SELECT g.id, g.changed_at FROM memberships m INDEXED BY memberships_by_user
             CROSS JOIN groups g ON g.key = m.group_key AND g.changed_at > ?2 AND g.changed_at <= ?3 AND g.id < '~'
         WHERE m.user = ?1 AND (m.left_at = 0 OR m.left_at > ?2)
         GROUP BY g.key ORDER BY g.changed_at LIMIT ?4"
    };
    sql::all(conn, sql, params![user.0, since.as_micros(), upto.as_micros(), limit], |r| {
        Ok((r.get(0)?, Stamp::from_micros(r.get(1)?)))
    })
}

pub(crate) fn count_members(ctx: &WriteTx<'_>, group: i64, more: i64) -> Result<(), Error> {
    let sql = "UPDATE groups SET member_count = member_count + ?2 WHERE key = ?1";
    sql::run(ctx.tx, sql, [group, more]).map(drop)
}

/// A group whose creation began before this time and was not completed.
pub(crate) fn abandoned(conn: &Connection, before: Stamp) -> Result<Option<i64>, Error> {
    let sql = "SELECT key FROM groups WHERE id >= '~' AND created_at < ?1 LIMIT 1";
    sql::first(conn, sql, [before.as_micros()], |r| Ok(r.get(0)?))
}

pub(crate) fn delete(ctx: &WriteTx<'_>, key: i64) -> Result<(), Error> {
    ctx.tx.execute("DELETE FROM groups WHERE key = ?1", [key])?;
    Ok(())
}
