//! Groups: membership, and the read state of their messages. A post costs the same in a group of any size.

pub(super) mod pending;
mod readers;

use std::collections::BTreeMap;

use async_trait::async_trait;
use rusqlite::{Connection, params};
use tidings_model::{Code, Stamp};
use tidings_store::domain::account::random_name;
use tidings_store::domain::limits;
use tidings_store::page::PageBuilder;
use tidings_store::{
    AffectedSenders, Error, Group, GroupStore, GroupSummary, Idempotency, ListPage, ListQuery, Outcome,
    UserKey,
};

use super::tables::group_messages::{self, ReadRange};
use super::tables::groups::GroupRow;
use super::tables::{acks, former_positions, former_users, groups, items, memberships, receipts, users};
use super::write_tx::WriteTx;
use super::{SHARED_QUEUE, SqliteStore, sql};

#[async_trait]
impl GroupStore for SqliteStore {
    async fn add_group(
        &self,
        owner: UserKey,
        id: Option<String>,
        name: String,
        members: Vec<String>,
        idempotency: Option<Idempotency<Group>>,
    ) -> Result<Outcome<Group>, Error> {
        if let Some(answer) = self.stored_response_of(idempotency.as_ref().map(Idempotency::name)).await? {
            return Ok(Outcome::Replayed(answer));
        }
        let id = id.unwrap_or_else(random_name);
        let members = self.read_long(owner, move |c| pending::members(c, owner, &members)).await?;
        if members.len() <= self.bounds.short_write_rows {
            return self
                .write(move |w| {
                    w.idempotent(idempotency, |w| {
                        let group = pending::begin(w, owner, &id, &name)?;
                        pending::add(w, &group, &members)?;
                        pending::reveal(w, &group)
                    })
                })
                .await;
        }
        let group = self.write(move |w| pending::begin(w, owner, &id, &name)).await?;
        let group = self.in_portions(pending::AddMembers::new(group, members)).await?.group;
        self.write(move |w| w.idempotent(idempotency, |w| pending::reveal(w, &group))).await
    }

    async fn group(&self, id: &str) -> Result<Option<Group>, Error> {
        let id = id.to_owned();
        self.read_long(SHARED_QUEUE, move |c| group(c, &id)).await
    }

    async fn group_owner(&self, group: &str) -> Result<Option<UserKey>, Error> {
        let group = group.to_owned();
        self.read(move |c| Ok(groups::current(c, &group)?.map(|found| found.owner))).await
    }

    async fn members(&self, group: &str, page: ListQuery) -> Result<ListPage, Error> {
        let group = group.to_owned();
        self.read_long(SHARED_QUEUE, move |c| {
            let found = groups::require(c, &group)?;
            let after = match &page.after {
                Some(after) => position_of(c, found.key, after)?,
                None => (0, 0),
            };
            let mut builder = PageBuilder::new(page.limit);
            memberships::each_member(c, found.key, after, page.limit, |member| builder.push(&member))?;
            Ok(ListPage(builder.into_elements()))
        })
        .await
    }

    async fn groups_of(&self, user: UserKey, page: ListQuery) -> Result<ListPage, Error> {
        let sql = "SELECT g.id, g.name, coalesce(o.id, ''), g.member_count, g.created_at
             FROM memberships m INDEXED BY memberships_now
             CROSS JOIN groups g ON g.key = m.group_key AND g.id = m.group_id
             LEFT JOIN users o ON o.key = g.owner AND o.id < '~'
             WHERE m.user = ?1 AND m.left_at = 0 AND m.group_id > ?2 AND g.ended_at = 0 ORDER BY m.group_id";
        let after = page.after.unwrap_or_default();
        self.read_long(user, move |c| {
            sql::page(c, sql, params![user.0, after], page.limit, |row| GroupSummary::from_row(row))
        })
        .await
    }

    async fn is_member(&self, group: &str, user: UserKey) -> Result<bool, Error> {
        let group = group.to_owned();
        self.read(move |c| memberships::contains(c, groups::require(c, &group)?.key, user)).await
    }

    async fn join(&self, group: &str, user: &str) -> Result<Group, Error> {
        let (id, user) = (group.to_owned(), user.to_owned());
        self.write(move |w| {
            let found = groups::require(w.tx, &id)?;
            let user = users::by_id(w.tx, &user)?.ok_or_else(|| Error::not_found("user"))?;
            if !memberships::contains(w.tx, found.key, user.key)? {
                let stamp = w.next_stamp();
                memberships::insert(w, (found.key, &id), user.key, stamp)?;
                groups::count_members(w, found.key, 1)?;
                groups::set_changed(w, found.key, stamp)?;
                // All members had left, and the owner with them.
                if !memberships::contains(w.tx, found.key, found.owner)? {
                    groups::transfer_ownership(w, found.key)?;
                }
            }
            Ok(())
        })
        .await?;
        self.group(group).await?.ok_or_else(|| Error::not_found("group"))
    }

    async fn change_group(
        &self,
        group: &str,
        name: Option<String>,
        owner: Option<String>,
    ) -> Result<Group, Error> {
        let id = group.to_owned();
        self.write(move |w| {
            let found = groups::require(w.tx, &id)?;
            if let Some(owner) = owner {
                let owner = users::by_id(w.tx, &owner)?.ok_or_else(|| Error::not_found("user"))?;
                if !memberships::contains(w.tx, found.key, owner.key)? {
                    return Err(Error::not_found("member"));
                }
                groups::set_owner(w, found.key, owner.key)?;
            }
            if let Some(name) = name {
                groups::set_name(w, found.key, &name)?;
            }
            let stamp = w.next_stamp();
            groups::set_changed(w, found.key, stamp)
        })
        .await?;
        self.group(group).await?.ok_or_else(|| Error::not_found("group"))
    }

    async fn end_group(&self, group: &str) -> Result<(), Error> {
        let group = group.to_owned();
        self.write(move |w| {
            let found = groups::require(w.tx, &group)?;
            let stamp = w.next_stamp();
            groups::end(w, found.key, stamp)
        })
        .await
    }

    async fn leave(&self, group: &str, user: &str) -> Result<(), Error> {
        let (group, user) = (group.to_owned(), user.to_owned());
        self.write(move |w| {
            let found = groups::require(w.tx, &group)?;
            let user = users::by_id(w.tx, &user)?.ok_or_else(|| Error::not_found("user"))?;
            if !memberships::contains(w.tx, found.key, user.key)? {
                return Err(Error::not_found("member"));
            }
            end_membership(w, found.key, found.owner, user.key)
        })
        .await
    }
}

/// A group with the first page of its members.
fn group(conn: &Connection, id: &str) -> Result<Option<Group>, Error> {
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

/// A member's list position and user key, even if the member left a short while ago.
fn position_of(conn: &Connection, group: i64, member: &str) -> Result<(i64, i64), Error> {
    let unknown =
        || Error::invalid("after", "is no member of this group any more: begin with the first page");
    let user = users::by_id(conn, member)?.ok_or_else(unknown)?.key;
    let position = former_positions::position(conn, group, user)?;
    Ok((position.ok_or_else(unknown)?, user.0))
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
