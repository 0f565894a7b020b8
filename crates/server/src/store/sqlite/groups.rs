//! Groups, who is in them from when to when, and how far each member has read. Refuses work that grows with the size
//! of a group when somebody posts.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::{Code, Stamp};

use super::work::Work;
use super::{accounts, receipts};
use crate::domain::account::{UserKey, name_by_chance};
use crate::error::Error;
use crate::store::{Group, GroupLine, Ripple};

/// A group's row.
struct Found {
    key: i64,
    name: String,
    owner: UserKey,
    created_at: Stamp,
    member_count: i64,
}

fn find(conn: &Connection, id: &str) -> Result<Option<Found>, Error> {
    Ok(conn
        .prepare_cached("SELECT key, name, owner, created_at, member_count FROM groups WHERE id = ?1")?
        .query_row([id], |r| {
            Ok(Found {
                key: r.get(0)?,
                name: r.get(1)?,
                owner: UserKey(r.get(2)?),
                created_at: Stamp::from_micros(r.get(3)?),
                member_count: r.get(4)?,
            })
        })
        .optional()?)
}

fn must_find(conn: &Connection, id: &str) -> Result<Found, Error> {
    find(conn, id)?.ok_or_else(|| Error::not_found("group"))
}

fn is_in(conn: &Connection, group: i64, user: UserKey) -> Result<bool, Error> {
    Ok(conn
        .prepare_cached("SELECT 1 FROM memberships WHERE group_key = ?1 AND user = ?2 AND left_at = 0")?
        .exists([group, user.0])?)
}

pub(super) fn group(conn: &Connection, id: &str) -> Result<Option<Group>, Error> {
    let Some(found) = find(conn, id)? else { return Ok(None) };
    let mut rows = conn.prepare_cached(
        "SELECT u.id, u.name FROM memberships m JOIN users u ON u.key = m.user
         WHERE m.group_key = ?1 AND m.left_at = 0 ORDER BY m.joined_at, u.id",
    )?;
    let (mut members, mut names) = (Vec::new(), BTreeMap::new());
    for found in rows.query_map([found.key], |r| Ok((r.get::<_, String>(0)?, r.get::<_, String>(1)?)))? {
        let (id, name) = found?;
        if name != id {
            names.insert(id.clone(), name);
        }
        members.push(id);
    }
    let owner = accounts::id_of(conn, found.owner).unwrap_or_default();
    Ok(Some(Group {
        id: id.to_owned(),
        name: found.name,
        owner,
        members,
        names,
        created_at: found.created_at,
    }))
}

/// The groups that a user is in, by id.
pub(super) fn of(conn: &Connection, user: UserKey) -> Result<Vec<GroupLine>, Error> {
    let mut rows = conn.prepare_cached(
        "SELECT g.id, g.name, coalesce(o.id, ''), g.member_count, g.created_at
         FROM memberships m CROSS JOIN groups g ON g.key = m.group_key LEFT JOIN users o ON o.key = g.owner
         WHERE m.user = ?1 AND m.left_at = 0 ORDER BY g.id",
    )?;
    let found = rows.query_map([user.0], |r| {
        Ok(GroupLine {
            id: r.get(0)?,
            name: r.get(1)?,
            owner: r.get(2)?,
            member_count: r.get(3)?,
            created_at: Stamp::from_micros(r.get(4)?),
        })
    })?;
    Ok(found.collect::<Result<_, _>>()?)
}

pub(super) fn add(
    work: &mut Work<'_>,
    owner: UserKey,
    id: Option<String>,
    name: &str,
    members: &[String],
) -> Result<Group, Error> {
    accounts::id_of(work.tx, owner)?;
    let id = id.unwrap_or_else(name_by_chance);
    if find(work.tx, &id)?.is_some() {
        return Err(Error::refused(Code::Conflict, format!("the group `{id}` is there already")));
    }
    let stamp = work.stamp();
    work.tx.execute(
        "INSERT INTO groups (id, name, owner, created_at, member_count) VALUES (?1, ?2, ?3, ?4, 0)",
        params![id, name, owner.0, stamp.as_micros()],
    )?;
    let key = work.tx.last_insert_rowid();
    add_member(work, key, owner, stamp)?;
    for member in members {
        let user = accounts::user(work.tx, member)?
            .ok_or_else(|| Error::refused(Code::NotFound, format!("there is no user `{member}`")))?;
        add_member(work, key, user.key, stamp)?;
    }
    group(work.tx, &id)?.ok_or_else(|| Error::not_found("group"))
}

fn add_member(work: &Work<'_>, group: i64, user: UserKey, stamp: Stamp) -> Result<(), Error> {
    if is_in(work.tx, group, user)? {
        return Ok(());
    }
    work.tx
        .prepare_cached(
            "INSERT INTO memberships (group_key, user, joined_at, left_at) VALUES (?1, ?2, ?3, 0)",
        )?
        .execute([group, user.0, stamp.as_micros()])?;
    work.tx
        .prepare_cached("UPDATE groups SET member_count = member_count + 1 WHERE key = ?1")?
        .execute([group])?;
    Ok(())
}

pub(super) fn is_member(conn: &Connection, id: &str, user: UserKey) -> Result<bool, Error> {
    let found = must_find(conn, id)?;
    is_in(conn, found.key, user)
}

pub(super) fn join(work: &mut Work<'_>, id: &str, user: &str) -> Result<Group, Error> {
    let found = must_find(work.tx, id)?;
    let user = accounts::user(work.tx, user)?.ok_or_else(|| Error::not_found("user"))?;
    if !is_in(work.tx, found.key, user.key)? {
        let stamp = work.stamp();
        add_member(work, found.key, user.key, stamp)?;
    }
    group(work.tx, id)?.ok_or_else(|| Error::not_found("group"))
}

pub(super) fn leave(work: &mut Work<'_>, id: &str, user: &str) -> Result<(), Error> {
    let found = must_find(work.tx, id)?;
    let user = accounts::user(work.tx, user)?.ok_or_else(|| Error::not_found("user"))?;
    if !is_in(work.tx, found.key, user.key)? {
        return Err(Error::not_found("member"));
    }
    leave_one(work, found.key, found.owner, user.key)
}

fn leave_one(work: &mut Work<'_>, group: i64, owner: UserKey, user: UserKey) -> Result<(), Error> {
    let stamp = work.stamp();
    work.tx.execute(
        "UPDATE memberships SET left_at = ?3 WHERE group_key = ?1 AND user = ?2 AND left_at = 0",
        [group, user.0, stamp.as_micros()],
    )?;
    work.tx.execute("UPDATE groups SET member_count = member_count - 1 WHERE key = ?1", [group])?;
    if owner == user {
        work.tx.execute(
            "UPDATE groups SET owner = coalesce((SELECT user FROM memberships WHERE group_key = ?1 AND left_at = 0
                 ORDER BY joined_at, user LIMIT 1), owner) WHERE key = ?1",
            [group],
        )?;
    }
    Ok(())
}

/// Takes a user who goes away out of every group.
pub(super) fn leave_all(work: &mut Work<'_>, user: UserKey) -> Result<(), Error> {
    let groups: Vec<(i64, i64)> = {
        let mut rows = work.tx.prepare_cached(
            "SELECT g.key, g.owner FROM memberships m JOIN groups g ON g.key = m.group_key
             WHERE m.user = ?1 AND m.left_at = 0",
        )?;
        rows.query_map([user.0], |r| Ok((r.get(0)?, r.get(1)?)))?.collect::<Result<_, _>>()?
    };
    for (group, owner) in groups {
        leave_one(work, group, UserKey(owner), user)?;
    }
    Ok(())
}

/// Which of these users are in a group.
pub(super) fn members_among(conn: &Connection, id: &str, users: &[UserKey]) -> Result<Vec<UserKey>, Error> {
    let Some(found) = find(conn, id)? else { return Ok(Vec::new()) };
    let mut among = Vec::new();
    for user in users {
        if is_in(conn, found.key, *user)? {
            among.push(*user);
        }
    }
    Ok(among)
}

/// Notes a message of a group with how many will count as its readers; answers the sender, if it is a user.
pub(super) fn add_message(
    work: &Work<'_>,
    id: &str,
    sender: &str,
    stamp: Stamp,
) -> Result<Option<UserKey>, Error> {
    let found = must_find(work.tx, id)?;
    let sender = accounts::user(work.tx, sender)?.map(|u| u.key);
    let inside = match sender {
        Some(sender) => is_in(work.tx, found.key, sender)?,
        None => false,
    };
    if !inside {
        return Err(Error::refused(Code::Forbidden, "only members post to a group"));
    }
    work.tx
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
    let Some(found) = find(conn, id)? else { return Ok(None) };
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
    work: &mut Work<'_>,
    user: UserKey,
    id: &str,
    through: Stamp,
    at: Stamp,
    ripple: &mut Ripple,
) -> Result<usize, Error> {
    let Some(found) = find(work.tx, id)? else { return Ok(0) };
    let Some(last) = last_ack(work.tx, found.key, user)? else { return Ok(0) };
    if through.as_micros() <= last {
        return Ok(0);
    }
    let read: Vec<(i64, i64)> = {
        let mut rows = work.tx.prepare_cached(
            "SELECT m.created_at, m.sender FROM group_messages m
             WHERE m.group_key = ?1 AND m.created_at > ?3 AND m.created_at <= ?4 AND m.sender <> ?2
                 AND EXISTS (SELECT 1 FROM memberships s WHERE s.group_key = ?1 AND s.user = ?2
                     AND s.joined_at < m.created_at AND (s.left_at = 0 OR s.left_at > m.created_at))
             ORDER BY m.created_at",
        )?;
        rows.query_map([found.key, user.0, last, through.as_micros()], |r| Ok((r.get(0)?, r.get(1)?)))?
            .collect::<Result<_, _>>()?
    };
    work.tx
        .prepare_cached("INSERT OR IGNORE INTO acks (group_key, user, through, at) VALUES (?1, ?2, ?3, ?4)")?
        .execute([found.key, user.0, through.as_micros(), at.as_micros()])?;
    let reader = accounts::id_of(work.tx, user)?;
    for (message, sender) in &read {
        let sender = UserKey(*sender);
        receipts::add(work, sender, *message, &reader, at)?;
        ripple.senders.insert(sender);
    }
    Ok(read.len())
}
