//! Makes groups. One with many members is made in portions: nobody sees it before it is whole.

use rusqlite::{Connection, params};
use tidings_model::{Code, Stamp};

use super::accounts::{self, HIDDEN};
use super::groups;
use super::portions::{Budget, LongChange};
use super::work::Work;
use crate::domain::account::UserKey;
use crate::error::Error;
use crate::store::Group;

/// A group that is being made.
#[derive(Debug, Clone)]
pub(super) struct Making {
    key: i64,
    id: String,
    joined_at: Stamp,
}

/// The keys of all who will be in a group: its owner, and the members named.
pub(super) fn members(conn: &Connection, owner: UserKey, named: &[String]) -> Result<Vec<UserKey>, Error> {
    let mut keys = vec![owner];
    for member in named {
        let user = accounts::user(conn, member)?
            .ok_or_else(|| Error::refused(Code::NotFound, format!("there is no user `{member}`")))?;
        keys.push(user.key);
    }
    keys.sort_unstable();
    keys.dedup();
    Ok(keys)
}

/// Begins a group without members, which nobody sees yet.
pub(super) fn begin(work: &mut Work<'_>, owner: UserKey, id: &str, name: &str) -> Result<Making, Error> {
    accounts::id_of(work.tx, owner)?;
    must_be_free(work.tx, id)?;
    let joined_at = work.stamp();
    let hidden = format!("{HIDDEN}{}", crate::domain::account::name_by_chance());
    work.tx.execute(
        "INSERT INTO groups (id, name, owner, created_at, member_count) VALUES (?1, ?2, ?3, ?4, 0)",
        params![hidden, name, owner.0, joined_at.as_micros()],
    )?;
    Ok(Making { key: work.tx.last_insert_rowid(), id: id.to_owned(), joined_at })
}

fn must_be_free(conn: &Connection, id: &str) -> Result<(), Error> {
    if groups::key_of(conn, id)?.is_some() {
        return Err(Error::refused(Code::Conflict, format!("the group `{id}` is there already")));
    }
    Ok(())
}

/// Adds a portion of the members, as far as they are still users.
pub(super) fn add(work: &mut Work<'_>, making: &Making, members: &[UserKey]) -> Result<(), Error> {
    let mut added = 0;
    for user in members {
        if accounts::id_of(work.tx, *user).is_ok() {
            groups::add_member(work, (making.key, &making.id), *user, making.joined_at)?;
            added += 1;
        }
    }
    groups::count(work, making.key, added)
}

/// Adds the members of a large group, in portions.
pub(super) struct Adding {
    pub(super) making: Making,
    members: std::vec::IntoIter<UserKey>,
}

impl Adding {
    pub(super) fn new(making: Making, members: Vec<UserKey>) -> Self {
        Self { making, members: members.into_iter() }
    }
}

impl LongChange for Adding {
    fn portion(&mut self, work: &mut Work<'_>, budget: &mut Budget) -> Result<bool, Error> {
        loop {
            let batch: Vec<UserKey> = self.members.by_ref().take(budget.rows()).collect();
            add(work, &self.making, &batch)?;
            budget.wrote(batch.len());
            let done = self.members.len() == 0;
            if done || budget.is_spent() {
                return Ok(done);
            }
        }
    }
}

/// Shows the group under its id.
pub(super) fn show(work: &mut Work<'_>, making: &Making) -> Result<Group, Error> {
    must_be_free(work.tx, &making.id)?;
    // Its members see it from now on: what they are to see was posted after it was made.
    work.tx.execute("UPDATE groups SET id = ?2 WHERE key = ?1", params![making.key, making.id])?;
    groups::group(work.tx, &making.id)?.ok_or_else(|| Error::not_found("group"))
}

/// Deletes a portion of a group that was begun before a time and never shown: the program ended meanwhile. Answers how
/// many rows went.
pub(super) fn clear_away(work: &mut Work<'_>, before: Stamp, batch: usize) -> Result<usize, Error> {
    let mut rows =
        work.tx.prepare_cached("SELECT key FROM groups WHERE id >= '~' AND created_at < ?1 LIMIT 1")?;
    let mut rows = rows.query([before.as_micros()])?;
    let Some(row) = rows.next()? else { return Ok(0) };
    let key: i64 = row.get(0)?;
    let gone = work
        .tx
        .prepare_cached(
            "DELETE FROM memberships WHERE (group_key, user, joined_at) IN (
                 SELECT group_key, user, joined_at FROM memberships WHERE group_key = ?1 LIMIT ?2)",
        )?
        .execute(params![key, batch])?;
    if gone < batch {
        work.tx.execute("DELETE FROM groups WHERE key = ?1", [key])?;
        return Ok(gone + 1);
    }
    Ok(gone)
}
