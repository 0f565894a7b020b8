//! Creates groups. A group with many members is created in portions under a hidden id, so that it is invisible until it
//! is complete.

use rusqlite::Connection;
use tidings_model::{Code, Stamp};
use tidings_store::domain::account::{HIDDEN_PREFIX, UserKey};
use tidings_store::{Error, Group};

use crate::portions::{Budget, LongWrite};
use crate::tables::{groups, memberships, users};
use crate::write_tx::WriteTx;

/// A group being created.
#[derive(Debug, Clone)]
pub(crate) struct PendingGroup {
    key: i64,
    id: String,
    joined_at: Stamp,
}

/// The keys of all members of a new group: the owner and the members named, without duplicates.
pub(crate) fn members(conn: &Connection, owner: UserKey, named: &[String]) -> Result<Vec<UserKey>, Error> {
    let mut keys = vec![owner];
    for member in named {
        let user = users::by_id(conn, member)?
            .ok_or_else(|| Error::refused(Code::NotFound, format!("there is no user `{member}`")))?;
        keys.push(user.key);
    }
    keys.sort_unstable();
    keys.dedup();
    Ok(keys)
}

/// Inserts a group without members, under a hidden id.
pub(crate) fn begin(
    ctx: &mut WriteTx<'_>,
    owner: UserKey,
    id: &str,
    name: &str,
) -> Result<PendingGroup, Error> {
    users::id_of(ctx.tx, owner)?;
    require_free_id(ctx.tx, id)?;
    let joined_at = ctx.next_stamp();
    let hidden = format!("{HIDDEN_PREFIX}{}", tidings_store::domain::account::random_name());
    let key = groups::insert(ctx, &hidden, name, owner, joined_at)?;
    Ok(PendingGroup { key, id: id.to_owned(), joined_at })
}

fn require_free_id(conn: &Connection, id: &str) -> Result<(), Error> {
    if groups::key_of(conn, id)?.is_some() {
        return Err(Error::refused(Code::Conflict, format!("the group `{id}` already exists")));
    }
    Ok(())
}

/// Adds a portion of the members; those who were removed meanwhile are skipped.
pub(crate) fn add(ctx: &mut WriteTx<'_>, group: &PendingGroup, members: &[UserKey]) -> Result<(), Error> {
    let mut added = 0;
    for user in members {
        if users::id_of(ctx.tx, *user).is_ok() {
            memberships::insert(ctx, (group.key, &group.id), *user, group.joined_at)?;
            added += 1;
        }
    }
    groups::count_members(ctx, group.key, added)
}

/// The long write that adds the members of a large group.
pub(crate) struct AddMembers {
    pub(crate) group: PendingGroup,
    members: std::vec::IntoIter<UserKey>,
}

impl AddMembers {
    pub(crate) fn new(group: PendingGroup, members: Vec<UserKey>) -> Self {
        Self { group, members: members.into_iter() }
    }
}

impl LongWrite for AddMembers {
    fn portion(&mut self, ctx: &mut WriteTx<'_>, budget: &mut Budget) -> Result<bool, Error> {
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

/// Makes the group visible under its id.
pub(crate) fn reveal(ctx: &mut WriteTx<'_>, group: &PendingGroup) -> Result<Group, Error> {
    require_free_id(ctx.tx, &group.id)?;
    // Setting the id makes the group visible to its members. Only later messages can reach them, because posts name the
    // group by its id.
    groups::set_id(ctx, group.key, &group.id)?;
    let stamp = ctx.next_stamp();
    groups::set_changed(ctx, group.key, stamp)?;
    super::group(ctx.tx, &group.id)?.ok_or_else(|| Error::not_found("group"))
}

/// Deletes a portion of a group that was begun before this time and never completed, because the process ended. Gives
/// the number of deleted rows.
pub(crate) fn delete_abandoned(ctx: &mut WriteTx<'_>, before: Stamp, batch: usize) -> Result<usize, Error> {
    let Some(key) = groups::abandoned(ctx.tx, before)? else { return Ok(0) };
    let deleted = memberships::delete_batch(ctx, key, batch)?;
    if deleted < batch {
        groups::delete(ctx, key)?;
        return Ok(deleted + 1);
    }
    Ok(deleted)
}
