//! Makes groups. One with many members is made in portions: nobody sees it before it is whole.

use rusqlite::{Connection, params};
use tidings_model::{Code, Stamp};

use super::accounts::{self, HIDDEN};
use super::groups;
use super::portions::{Budget, LongWrite};
use super::write_context::WriteContext;
use crate::domain::account::UserKey;
use crate::error::Error;
use crate::store::Group;

/// A group that is being made.
#[derive(Debug, Clone)]
pub(super) struct PendingGroup {
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
pub(super) fn begin(
    ctx: &mut WriteContext<'_>,
    owner: UserKey,
    id: &str,
    name: &str,
) -> Result<PendingGroup, Error> {
    accounts::id_of(ctx.tx, owner)?;
    must_be_free(ctx.tx, id)?;
    let joined_at = ctx.next_stamp();
    let hidden = format!("{HIDDEN}{}", crate::domain::account::random_name());
    ctx.tx.execute(
        "INSERT INTO groups (id, name, owner, created_at, member_count) VALUES (?1, ?2, ?3, ?4, 0)",
        params![hidden, name, owner.0, joined_at.as_micros()],
    )?;
    Ok(PendingGroup { key: ctx.tx.last_insert_rowid(), id: id.to_owned(), joined_at })
}

fn must_be_free(conn: &Connection, id: &str) -> Result<(), Error> {
    if groups::key_of(conn, id)?.is_some() {
        return Err(Error::refused(Code::Conflict, format!("the group `{id}` is there already")));
    }
    Ok(())
}

/// Adds a portion of the members, as far as they are still users.
pub(super) fn add(
    ctx: &mut WriteContext<'_>,
    group: &PendingGroup,
    members: &[UserKey],
) -> Result<(), Error> {
    let mut added = 0;
    for user in members {
        if accounts::id_of(ctx.tx, *user).is_ok() {
            groups::add_member(ctx, (group.key, &group.id), *user, group.joined_at)?;
            added += 1;
        }
    }
    groups::count(ctx, group.key, added)
}

/// Adds the members of a large group, in portions.
pub(super) struct AddMembers {
    pub(super) group: PendingGroup,
    members: std::vec::IntoIter<UserKey>,
}

impl AddMembers {
    pub(super) fn new(group: PendingGroup, members: Vec<UserKey>) -> Self {
        Self { group, members: members.into_iter() }
    }
}

impl LongWrite for AddMembers {
    fn portion(&mut self, ctx: &mut WriteContext<'_>, budget: &mut Budget) -> Result<bool, Error> {
        loop {
            let batch: Vec<UserKey> = self.members.by_ref().take(budget.batch_rows()).collect();
            add(ctx, &self.group, &batch)?;
            budget.charge_writes(batch.len());
            let done = self.members.len() == 0;
            if done || budget.is_spent() {
                return Ok(done);
            }
        }
    }
}

/// Shows the group under its id.
pub(super) fn reveal(ctx: &mut WriteContext<'_>, group: &PendingGroup) -> Result<Group, Error> {
    must_be_free(ctx.tx, &group.id)?;
    // Its members see it from now on: what they are to see was posted after it was made.
    ctx.tx.execute("UPDATE groups SET id = ?2 WHERE key = ?1", params![group.key, group.id])?;
    groups::group(ctx.tx, &group.id)?.ok_or_else(|| Error::not_found("group"))
}

/// Deletes a portion of a group that was begun before a time and never shown: the program ended meanwhile. Answers how
/// many rows went.
pub(super) fn delete_abandoned(
    ctx: &mut WriteContext<'_>,
    before: Stamp,
    batch: usize,
) -> Result<usize, Error> {
    let mut rows =
        ctx.tx.prepare_cached("SELECT key FROM groups WHERE id >= '~' AND created_at < ?1 LIMIT 1")?;
    let mut rows = rows.query([before.as_micros()])?;
    let Some(row) = rows.next()? else { return Ok(0) };
    let key: i64 = row.get(0)?;
    let gone = ctx
        .tx
        .prepare_cached(
            "DELETE FROM memberships WHERE (group_key, user, joined_at) IN (
                 SELECT group_key, user, joined_at FROM memberships WHERE group_key = ?1 LIMIT ?2)",
        )?
        .execute(params![key, batch])?;
    if gone < batch {
        ctx.tx.execute("DELETE FROM groups WHERE key = ?1", [key])?;
        return Ok(gone + 1);
    }
    Ok(gone)
}
