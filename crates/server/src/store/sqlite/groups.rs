//! Groups, who is in them from when to when, and how far each member has read. Refuses work that grows with the size
//! of a group when somebody posts.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::{Code, Stamp};

use super::write_context::WriteContext;
use super::{accounts, receipts};
use crate::domain::account::UserKey;
use crate::domain::draft::former_positions_expire;
use crate::domain::limits;
use crate::error::Error;
use crate::store::page::{ListPage, PageBuilder};
use crate::store::{AffectedSenders, Group, GroupSummary, ListQuery, Member};

/// A group's row.
struct GroupRow {
    key: i64,
    name: String,
    owner: UserKey,
    created_at: Stamp,
    member_count: i64,
}

fn row(conn: &Connection, id: &str) -> Result<Option<GroupRow>, Error> {
    Ok(conn
        .prepare_cached("SELECT key, name, owner, created_at, member_count FROM groups WHERE id = ?1")?
        .query_row([id], |r| {
            Ok(GroupRow {
                key: r.get(0)?,
                name: r.get(1)?,
                owner: UserKey(r.get(2)?),
                created_at: Stamp::from_micros(r.get(3)?),
                member_count: r.get(4)?,
            })
        })
        .optional()?)
}

fn required_row(conn: &Connection, id: &str) -> Result<GroupRow, Error> {
    row(conn, id)?.ok_or_else(|| Error::not_found("group"))
}

fn is_in(conn: &Connection, group: i64, user: UserKey) -> Result<bool, Error> {
    Ok(conn
        .prepare_cached("SELECT 1 FROM memberships WHERE group_key = ?1 AND user = ?2 AND left_at = 0")?
        .exists([group, user.0])?)
}

/// A group with the first page of its members.
pub(super) fn group(conn: &Connection, id: &str) -> Result<Option<Group>, Error> {
    let Some(found) = row(conn, id)? else { return Ok(None) };
    let (mut members, mut names) = (Vec::new(), BTreeMap::new());
    each_member(conn, found.key, (0, 0), limits::MEMBERS_PAGE, |member| {
        if member.name != member.id {
            names.insert(member.id.clone(), member.name);
        }
        members.push(member.id);
        Ok(true)
    })?;
    let owner = accounts::id_of(conn, found.owner).unwrap_or_default();
    Ok(Some(Group {
        id: id.to_owned(),
        name: found.name,
        owner,
        members,
        names,
        member_count: u32::try_from(found.member_count).unwrap_or_default(),
        created_at: found.created_at,
    }))
}

/// The members after a place (its number, and their key), in the order in which they joined, until `take` says `false`
/// or there were `limit`.
fn each_member(
    conn: &Connection,
    group: i64,
    (place, user): (i64, i64),
    limit: usize,
    mut take: impl FnMut(Member) -> Result<bool, Error>,
) -> Result<(), Error> {
    let mut rows = conn.prepare_cached(
        "SELECT u.id, u.name FROM memberships m INDEXED BY members CROSS JOIN users u ON u.key = m.user
         WHERE m.group_key = ?1 AND m.left_at = 0 AND (m.place, m.user) > (?2, ?3) AND u.id < '~'
         ORDER BY m.place, m.user LIMIT ?4",
    )?;
    let mut rows = rows.query(params![group, place, user, limit])?;
    while let Some(row) = rows.next()? {
        if !take(Member { id: row.get(0)?, name: row.get(1)? })? {
            break;
        }
    }
    Ok(())
}

/// A page of a group's members.
pub(super) fn members(conn: &Connection, id: &str, page: &ListQuery) -> Result<ListPage, Error> {
    let found = required_row(conn, id)?;
    let after = match &page.after {
        Some(after) => place_of(conn, found.key, after)?,
        None => (0, 0),
    };
    let mut builder = PageBuilder::new(page.limit);
    each_member(conn, found.key, after, page.limit, |member| builder.push(&member))?;
    Ok(ListPage(builder.into_elements()))
}

/// Where a member stands in the order of joining, also when it has left meanwhile.
fn place_of(conn: &Connection, group: i64, member: &str) -> Result<(i64, i64), Error> {
    let unknown =
        || Error::invalid("after", "is no member of this group any more: begin with the first page");
    let user = accounts::user(conn, member)?.ok_or_else(unknown)?.key;
    let place: Option<i64> = conn
        .prepare_cached(
            "SELECT coalesce(
                 (SELECT place FROM memberships WHERE group_key = ?1 AND user = ?2 AND left_at = 0),
                 (SELECT place FROM places WHERE group_key = ?1 AND user = ?2),
                 (SELECT max(place) FROM memberships WHERE group_key = ?1 AND user = ?2))",
        )?
        .query_row([group, user.0], |r| r.get(0))?;
    Ok((place.ok_or_else(unknown)?, user.0))
}

/// Who owns a group.
pub(super) fn group_owner(conn: &Connection, id: &str) -> Result<Option<UserKey>, Error> {
    Ok(row(conn, id)?.map(|found| found.owner))
}

/// A page of the groups that a user is in, by id.
pub(super) fn of(conn: &Connection, user: UserKey, page: &ListQuery) -> Result<ListPage, Error> {
    let mut rows = conn.prepare_cached(
        "SELECT g.id, g.name, coalesce(o.id, ''), g.member_count, g.created_at
         FROM memberships m INDEXED BY memberships_now
         CROSS JOIN groups g ON g.key = m.group_key AND g.id = m.group_id
         LEFT JOIN users o ON o.key = g.owner AND o.id < '~'
         WHERE m.user = ?1 AND m.left_at = 0 AND m.group_id > ?2 ORDER BY m.group_id",
    )?;
    let mut rows = rows.query(params![user.0, page.after.as_deref().unwrap_or_default()])?;
    let mut builder = PageBuilder::new(page.limit);
    while let Some(row) = rows.next()? {
        let line = GroupSummary {
            id: row.get(0)?,
            name: row.get(1)?,
            owner: row.get(2)?,
            member_count: row.get(3)?,
            created_at: Stamp::from_micros(row.get(4)?),
        };
        if !builder.push(&line)? {
            break;
        }
    }
    Ok(ListPage(builder.into_elements()))
}

/// Adds a member; the caller counts it. One that left a short while ago stands where it stood: whoever reads the list
/// in pages meanwhile goes on from there and misses nobody.
pub(super) fn add_member(
    ctx: &WriteContext<'_>,
    (group, id): (i64, &str),
    user: UserKey,
    stamp: Stamp,
) -> Result<(), Error> {
    let since = former_positions_expire(ctx.now).as_micros();
    ctx.tx
        .prepare_cached(
            "INSERT INTO memberships (group_key, user, joined_at, left_at, group_id, place) VALUES (?1, ?2, ?3, 0, ?4,
                 coalesce((SELECT place FROM places WHERE group_key = ?1 AND user = ?2 AND left_at >= ?5), ?3))",
        )?
        .execute(params![group, user.0, stamp.as_micros(), id, since])?;
    Ok(())
}

/// Remembers for a short while where a member stood that leaves.
fn keep_place(ctx: &WriteContext<'_>, group: i64, user: UserKey, stamp: Stamp) -> Result<(), Error> {
    ctx.tx
        .prepare_cached(
            "INSERT OR REPLACE INTO places (group_key, user, place, left_at)
             SELECT group_key, user, place, ?3 FROM memberships
             WHERE group_key = ?1 AND user = ?2 AND left_at = 0",
        )?
        .execute(params![group, user.0, stamp.as_micros()])?;
    Ok(())
}

/// Keeps how many members a group has.
pub(super) fn count(ctx: &WriteContext<'_>, group: i64, more: i64) -> Result<(), Error> {
    ctx.tx
        .prepare_cached("UPDATE groups SET member_count = member_count + ?2 WHERE key = ?1")?
        .execute([group, more])?;
    Ok(())
}

pub(super) fn is_member(conn: &Connection, id: &str, user: UserKey) -> Result<bool, Error> {
    let found = required_row(conn, id)?;
    is_in(conn, found.key, user)
}

pub(super) fn join(ctx: &mut WriteContext<'_>, id: &str, user: &str) -> Result<(), Error> {
    let found = required_row(ctx.tx, id)?;
    let user = accounts::user(ctx.tx, user)?.ok_or_else(|| Error::not_found("user"))?;
    if !is_in(ctx.tx, found.key, user.key)? {
        let stamp = ctx.next_stamp();
        add_member(ctx, (found.key, id), user.key, stamp)?;
        count(ctx, found.key, 1)?;
    }
    Ok(())
}

pub(super) fn leave(ctx: &mut WriteContext<'_>, id: &str, user: &str) -> Result<(), Error> {
    let found = required_row(ctx.tx, id)?;
    let user = accounts::user(ctx.tx, user)?.ok_or_else(|| Error::not_found("user"))?;
    if !is_in(ctx.tx, found.key, user.key)? {
        return Err(Error::not_found("member"));
    }
    leave_one(ctx, found.key, found.owner, user.key)
}

/// What a user who was never there while anything was posted acknowledged: nothing. All rows of one membership but the
/// last are moved on, so there are few.
const ACKS_OF_NOTHING: &str = "DELETE FROM acks WHERE group_key = ?1 AND user = ?2
    AND NOT EXISTS (SELECT 1 FROM memberships WHERE group_key = ?1 AND user = ?2)";

/// Takes a member out of a group. Where nothing was posted while it was in it, nothing is left of that.
fn leave_one(ctx: &mut WriteContext<'_>, group: i64, owner: UserKey, user: UserKey) -> Result<(), Error> {
    let stamp = ctx.next_stamp();
    keep_place(ctx, group, user, stamp)?;
    ctx.tx
        .prepare_cached(
            "DELETE FROM memberships WHERE group_key = ?1 AND user = ?2 AND left_at = 0 AND NOT EXISTS (
                 SELECT 1 FROM group_messages m WHERE m.group_key = ?1 AND m.created_at > memberships.joined_at)",
        )?
        .execute([group, user.0])?;
    ctx.tx.prepare_cached(ACKS_OF_NOTHING)?.execute([group, user.0])?;
    ctx.tx
        .prepare_cached(
            "UPDATE memberships SET left_at = ?3 WHERE group_key = ?1 AND user = ?2 AND left_at = 0",
        )?
        .execute([group, user.0, stamp.as_micros()])?;
    count(ctx, group, -1)?;
    if owner == user {
        ctx.tx.execute(
            "UPDATE groups SET owner = coalesce((SELECT user FROM memberships INDEXED BY members
                 WHERE group_key = ?1 AND left_at = 0 ORDER BY place, user LIMIT 1), owner) WHERE key = ?1",
            [group],
        )?;
    }
    Ok(())
}

/// Takes a user who goes away out of at most `batch` groups; answers of how many.
pub(super) fn leave_some(ctx: &mut WriteContext<'_>, user: UserKey, batch: usize) -> Result<usize, Error> {
    let groups: Vec<(i64, i64)> = {
        let mut rows = ctx.tx.prepare_cached(
            "SELECT g.key, g.owner FROM memberships m INDEXED BY memberships_now
             CROSS JOIN groups g ON g.key = m.group_key WHERE m.user = ?1 AND m.left_at = 0 LIMIT ?2",
        )?;
        rows.query_map(params![user.0, batch], |r| Ok((r.get(0)?, r.get(1)?)))?.collect::<Result<_, _>>()?
    };
    for (group, owner) in &groups {
        leave_one(ctx, *group, UserKey(*owner), user)?;
    }
    Ok(groups.len())
}

/// The key of a group, if there is one.
pub(super) fn key_of(conn: &Connection, id: &str) -> Result<Option<i64>, Error> {
    Ok(row(conn, id)?.map(|found| found.key))
}

/// Notes a message of a group with how many will count as its readers; answers the sender, if it is a user.
pub(super) fn add_message(
    ctx: &WriteContext<'_>,
    id: &str,
    sender: &str,
    stamp: Stamp,
) -> Result<Option<UserKey>, Error> {
    let found = required_row(ctx.tx, id)?;
    let sender = accounts::user(ctx.tx, sender)?.map(|u| u.key);
    let inside = match sender {
        Some(sender) => is_in(ctx.tx, found.key, sender)?,
        None => false,
    };
    if !inside {
        return Err(Error::refused(Code::Forbidden, "only members post to a group"));
    }
    ctx.tx
        .prepare_cached(
            "INSERT INTO group_messages (created_at, group_key, sender, members, read_count) VALUES (?1, ?2, ?3, ?4, 0)",
        )?
        .execute(params![stamp.as_micros(), found.key, sender.map_or(0, |s| s.0), found.member_count - 1])?;
    Ok(sender)
}

/// How far a member has acknowledged: at least to when it first joined. None for who never was a member.
fn last_ack(conn: &Connection, group: i64, user: UserKey) -> Result<Option<i64>, Error> {
    Ok(conn
        .prepare_cached(
            "SELECT max((SELECT min(joined_at) FROM memberships WHERE group_key = ?1 AND user = ?2),
                 coalesce((SELECT max(through) FROM acks WHERE group_key = ?1 AND user = ?2), 0))",
        )?
        .query_row([group, user.0], |r| r.get(0))?)
}

/// The so manieth message up to a time that a member did not acknowledge yet; none where there are fewer.
pub(super) fn nth_unacknowledged(
    conn: &Connection,
    user: UserKey,
    id: &str,
    through: Stamp,
    n: usize,
) -> Result<Option<Stamp>, Error> {
    let Some(found) = row(conn, id)? else { return Ok(None) };
    let Some(last) = last_ack(conn, found.key, user)? else { return Ok(None) };
    Ok(conn
        .prepare_cached(
            "SELECT created_at FROM group_messages WHERE group_key = ?1 AND created_at > ?2 AND created_at <= ?3
             ORDER BY created_at LIMIT 1 OFFSET ?4",
        )?
        .query_row(params![found.key, last, through.as_micros(), n.saturating_sub(1)], |r| r.get(0))
        .optional()?
        .map(Stamp::from_micros))
}

/// A member read up to a time: one receipt for each message that is newly read and was posted while it was there.
/// Answers how many that were.
pub(super) fn ack(
    ctx: &mut WriteContext<'_>,
    user: UserKey,
    id: &str,
    through: Stamp,
    at: Stamp,
    affected: &mut AffectedSenders,
) -> Result<usize, Error> {
    let Some(found) = row(ctx.tx, id)? else { return Ok(0) };
    let Some(last) = last_ack(ctx.tx, found.key, user)? else { return Ok(0) };
    if through.as_micros() <= last {
        return Ok(0);
    }
    let range = receipts::Range { group: found.key, reader: user, after: last, through: through.as_micros() };
    let read = receipts::add(ctx, &range, at, affected)?;
    note_ack(ctx, found.key, user, (last, through.as_micros()), at, read == 0)?;
    Ok(read)
}

/// Keeps how far a member has read. An acknowledgement that reads no message moves the one before it. Upkeep removes those
/// that only speak of messages that retention removed.
fn note_ack(
    ctx: &WriteContext<'_>,
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
                "INSERT OR IGNORE INTO acks (group_key, user, through, at) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute([group, user.0, through, at.as_micros()])?;
    }
    Ok(())
}
