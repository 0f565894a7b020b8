//! Groups: membership, and the read state of their messages. A post costs the same in a group of any size.

pub(super) mod pending;
pub(super) mod readers;

use std::collections::BTreeMap;

use rusqlite::Connection;
use tidings_model::{Code, Stamp};
use tidings_store::domain::account::UserKey;
use tidings_store::domain::limits;
use tidings_store::page::{ListPage, PageBuilder};
use tidings_store::{AffectedSenders, Error, Group, ListQuery};

use super::tables::group_messages::{self, ReadRange};
use super::tables::groups::GroupRow;
use super::tables::{acks, former_positions, former_users, groups, items, memberships, receipts, users};
use super::write_tx::WriteTx;

/// A group with the first page of its members.
pub(crate) fn group(conn: &Connection, id: &str) -> Result<Option<Group>, Error> {
    let Some(found) = groups::current(conn, id)? else { return Ok(None) };
    let (mut members, mut names) = (Vec::new(), BTreeMap::new());
    memberships::each_member(conn, found.key, (0, 0), limits::LISTED_MEMBERS, |member| {
        if member.name != member.id {
            names.insert(member.id.clone(), member.name);
        }
        members.push(member.id);
        Ok(true)
    })?;
    let owner = users::id_of(conn, found.owner).unwrap_or_default();
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

/// A page of a group's members, in the order in which they joined.
pub(crate) fn members(conn: &Connection, id: &str, page: &ListQuery) -> Result<ListPage, Error> {
    let found = groups::require(conn, id)?;
    let after = match &page.after {
        Some(after) => position_of(conn, found.key, after)?,
        None => (0, 0),
    };
    let mut builder = PageBuilder::new(page.limit);
    memberships::each_member(conn, found.key, after, page.limit, |member| builder.push(&member))?;
    Ok(ListPage(builder.into_elements()))
}

/// A member's list position and user key, even if the member left a short while ago.
fn position_of(conn: &Connection, group: i64, member: &str) -> Result<(i64, i64), Error> {
    let unknown =
        || Error::invalid("after", "is no member of this group any more: begin with the first page");
    let user = users::by_id(conn, member)?.ok_or_else(unknown)?.key;
    let position = former_positions::position(conn, group, user)?;
    Ok((position.ok_or_else(unknown)?, user.0))
}

/// The owner of a group.
pub(crate) fn group_owner(conn: &Connection, id: &str) -> Result<Option<UserKey>, Error> {
    Ok(groups::current(conn, id)?.map(|found| found.owner))
}

/// Whether a user is a member of a group.
pub(crate) fn is_member(conn: &Connection, id: &str, user: UserKey) -> Result<bool, Error> {
    let found = groups::require(conn, id)?;
    memberships::contains(conn, found.key, user)
}

pub(crate) fn join(ctx: &mut WriteTx<'_>, id: &str, user: &str) -> Result<(), Error> {
    let found = groups::require(ctx.tx, id)?;
    let user = users::by_id(ctx.tx, user)?.ok_or_else(|| Error::not_found("user"))?;
    if !memberships::contains(ctx.tx, found.key, user.key)? {
        let stamp = ctx.next_stamp();
        memberships::insert(ctx, (found.key, id), user.key, stamp)?;
        groups::count_members(ctx, found.key, 1)?;
        groups::set_changed(ctx, found.key, stamp)?;
        // All members had left, and the owner with them.
        if !memberships::contains(ctx.tx, found.key, found.owner)? {
            groups::transfer_ownership(ctx, found.key)?;
        }
    }
    Ok(())
}

/// Ends a group. Its members keep what they have, and its id is never given to another group.
pub(crate) fn end(ctx: &mut WriteTx<'_>, id: &str) -> Result<(), Error> {
    let found = groups::require(ctx.tx, id)?;
    let stamp = ctx.next_stamp();
    groups::end(ctx, found.key, stamp)
}

/// Ends at most `batch` memberships of a group that was ended; gives their number.
pub(crate) fn end_memberships(ctx: &WriteTx<'_>, batch: usize) -> Result<usize, Error> {
    let Some((group, at)) = groups::next_ending(ctx.tx)? else { return Ok(0) };
    let ended = memberships::end_batch(ctx, group, at, batch)?;
    groups::count_members(ctx, group, -i64::try_from(ended).unwrap_or(i64::MAX))?;
    Ok(ended)
}

/// Renames a group, and makes a member its owner.
pub(crate) fn change(
    ctx: &mut WriteTx<'_>,
    id: &str,
    name: Option<&str>,
    owner: Option<&str>,
) -> Result<(), Error> {
    let found = groups::require(ctx.tx, id)?;
    if let Some(owner) = owner {
        let owner = users::by_id(ctx.tx, owner)?.ok_or_else(|| Error::not_found("user"))?;
        if !memberships::contains(ctx.tx, found.key, owner.key)? {
            return Err(Error::not_found("member"));
        }
        groups::set_owner(ctx, found.key, owner.key)?;
    }
    if let Some(name) = name {
        groups::set_name(ctx, found.key, name)?;
    }
    let stamp = ctx.next_stamp();
    groups::set_changed(ctx, found.key, stamp)
}

pub(crate) fn leave(ctx: &mut WriteTx<'_>, id: &str, user: &str) -> Result<(), Error> {
    let found = groups::require(ctx.tx, id)?;
    let user = users::by_id(ctx.tx, user)?.ok_or_else(|| Error::not_found("user"))?;
    if !memberships::contains(ctx.tx, found.key, user.key)? {
        return Err(Error::not_found("member"));
    }
    end_membership(ctx, found.key, found.owner, user.key)
}

/// Ends a membership; no row of it remains if no message was posted during it.
fn end_membership(ctx: &mut WriteTx<'_>, group: i64, owner: UserKey, user: UserKey) -> Result<(), Error> {
    let stamp = ctx.next_stamp();
    former_positions::save(ctx, group, user, stamp)?;
    memberships::end(ctx, group, user, stamp)?;
    acks::delete_without_membership(ctx, group, user)?;
    groups::count_members(ctx, group, -1)?;
    groups::set_changed(ctx, group, stamp)?;
    if owner == user { groups::transfer_ownership(ctx, group) } else { Ok(()) }
}

/// Removes a user who is being deleted from at most `batch` groups; gives the number of groups.
pub(crate) fn leave_groups(ctx: &mut WriteTx<'_>, user: UserKey, batch: usize) -> Result<usize, Error> {
    let groups = memberships::groups_batch_of(ctx.tx, user, batch)?;
    for (group, owner) in &groups {
        end_membership(ctx, *group, *owner, user)?;
    }
    Ok(groups.len())
}

/// The group and the key of the user who posts to it.
pub(crate) fn require_sender(
    conn: &Connection,
    id: &str,
    sender: &str,
) -> Result<(GroupRow, UserKey), Error> {
    let found = groups::require(conn, id)?;
    if let Some(user) = users::by_id(conn, sender)?
        && memberships::contains(conn, found.key, user.key)?
    {
        return Ok((found, user.key));
    }
    if former_users::is_taken(conn, sender)? {
        return Err(Error::not_found("user"));
    }
    Err(Error::refused(Code::Forbidden, "only members may post to a group"))
}

/// Records a group message with the number of members whose reading counts. Gives the sender's key.
pub(crate) fn add_message(ctx: &WriteTx<'_>, id: &str, sender: &str, stamp: Stamp) -> Result<UserKey, Error> {
    let (found, sender) = require_sender(ctx.tx, id, sender)?;
    group_messages::insert(ctx, stamp, found.key, sender, found.member_count - 1)?;
    Ok(sender)
}

/// The `n`-th message up to a time that a member has not acknowledged; `None` if there are fewer.
pub(crate) fn nth_unacknowledged(
    conn: &Connection,
    user: UserKey,
    id: &str,
    through: Stamp,
    n: usize,
) -> Result<Option<Stamp>, Error> {
    let Some(found) = groups::get(conn, id)? else { return Ok(None) };
    let Some(last) = acks::last(conn, found.key, user)? else { return Ok(None) };
    group_messages::nth_after(conn, found.key, last, through, n)
}

/// Acknowledges a group's messages up to a time, which makes one receipt for each newly read message that was posted
/// during the reader's membership. Gives the number of those messages.
pub(crate) fn ack(
    ctx: &mut WriteTx<'_>,
    user: UserKey,
    id: &str,
    through: Stamp,
    at: Stamp,
    affected: &mut AffectedSenders,
) -> Result<usize, Error> {
    let Some(found) = groups::get(ctx.tx, id)? else { return Ok(0) };
    let Some(last) = acks::last(ctx.tx, found.key, user)? else { return Ok(0) };
    if through.as_micros() <= last {
        return Ok(0);
    }
    let range = ReadRange { group: found.key, reader: user, after: last, through: through.as_micros() };
    let read = read_range(ctx, &range, at, affected)?;
    acks::insert(ctx, found.key, user, (last, through.as_micros()), at, read == 0)?;
    Ok(read)
}

/// Increments the read count of each message of a range, makes a receipt of it for its sender, and gives the sender's
/// own item the receipt's stamp. Gives the number of messages.
fn read_range(
    ctx: &mut WriteTx<'_>,
    range: &ReadRange,
    at: Stamp,
    affected: &mut AffectedSenders,
) -> Result<usize, Error> {
    let read = group_messages::count_read(ctx, range, affected)?;
    if read > 0 {
        let reader = users::id_of(ctx.tx, range.reader)?;
        ctx.assign_stamps(|tx, first| {
            let inserted = receipts::insert(tx, range, &reader, at, first)?;
            items::restamp_read_messages(tx, range, first)?;
            Ok(inserted)
        })?;
    }
    Ok(read)
}
