//! Groups: membership, and the read state of their messages. A post costs the same in a group of any size.
//!
//! Who changes a group locks its row before it takes a stamp of the log; who posts to it locks the row for share.

pub(super) mod acks;
pub(super) mod deliveries;
mod members;
pub(super) mod pending;
mod readers;
mod receipts;
pub(super) mod recipients;

use std::collections::BTreeMap;

use async_trait::async_trait;
use tidings_store::domain::account::UserKey;
use tidings_store::domain::limits;
use tidings_store::{Error, Group, GroupStore, GroupSummary, Idempotency, ListPage, ListQuery, Outcome};

use super::PostgresStore;
use super::session::{Columns, Session, Values, rows};
use super::tx::{WriteTx, in_snapshot, in_transaction, reading};

pub(super) use self::members::{end_memberships, leave_groups};

/// A group, with the id of its owner. `$1` its id.
const GROUP: &str = "SELECT g.key, g.name, g.owner, g.created_at, g.member_count, coalesce(u.id, '')
    FROM groups g LEFT JOIN users u ON u.key = g.owner AND u.id < '~'
    WHERE g.id = $1 AND g.ended_at = 0";

/// The first members of a group. `$1` its id, `$2` the most members.
const FIRST_MEMBERS: &str = "SELECT u.id, u.name FROM groups g JOIN memberships m ON m.group_key = g.key AND m.left_at = 0
    JOIN users u ON u.key = m.user_key AND u.id < '~' WHERE g.id = $1 ORDER BY m.list_position, m.user_key LIMIT $2";

/// A group with the first page of its members. `db` has one snapshot.
async fn read_group(db: &Session, id: &str) -> Result<Option<Group>, Error> {
    let most = rows(limits::LISTED_MEMBERS);
    let found = db.pipeline(&[(GROUP, &[&id]), (FIRST_MEMBERS, &[&id, &most])]).await?;
    let Some(row) = found.first().and_then(|found| found.first()) else { return Ok(None) };
    let (mut members, mut names) = (Vec::new(), BTreeMap::new());
    for member in found.get(1).into_iter().flatten() {
        let (id, name): (String, String) = (member.at(0)?, member.at(1)?);
        if name != id {
            names.insert(id.clone(), name);
        }
        members.push(id);
    }
    Ok(Some(Group {
        id: id.to_owned(),
        name: row.at(1)?,
        owner: row.at(5)?,
        members,
        names,
        member_count: u32::try_from(row.count(4)?).unwrap_or_default(),
        created_at: row.stamp(3)?,
    }))
}

/// A page of the groups that a user is a member of. `$1` the user, `$2` after an id, `$3` the most groups.
const GROUPS_OF: &str = "SELECT g.id, g.name, coalesce(o.id, ''), g.member_count, g.created_at
    FROM memberships m JOIN groups g ON g.key = m.group_key AND g.id = m.group_id
    LEFT JOIN users o ON o.key = g.owner AND o.id < '~'
    WHERE m.user_key = $1 AND m.left_at = 0 AND m.group_id > $2 AND g.ended_at = 0 ORDER BY m.group_id LIMIT $3";

/// Whether a user is a member of a group; no row if there is no such group. `$1` the group, `$2` the user.
const IS_MEMBER: &str =
    "SELECT EXISTS (SELECT 1 FROM memberships m WHERE m.group_key = g.key AND m.user_key = $2
    AND m.left_at = 0) FROM groups g WHERE g.id = $1 AND g.ended_at = 0";

/// `$1` the group, `$2` its name, `$3` its owner; NULL for what stays. `$4` the stamp.
const CHANGE: &str = "UPDATE groups SET name = coalesce($2, name), owner = coalesce($3, owner), changed_at = $4 WHERE key = $1";

async fn change(
    tx: &mut WriteTx<'_>,
    group: &str,
    name: Option<&str>,
    owner: Option<&str>,
) -> Result<(), Error> {
    let found = members::lock(tx, group, owner).await?;
    let owner = match owner {
        None => None,
        Some(_) => Some(found.require_member()?.0),
    };
    let stamp = tx.creation_stamp().await?.as_micros();
    let values: Values<'_> = &[&found.key, &name, &owner, &stamp];
    tx.execute(CHANGE, values).await?;
    Ok(())
}

#[async_trait]
impl GroupStore for PostgresStore {
    async fn add_group(
        &self,
        owner: UserKey,
        id: Option<String>,
        name: String,
        members: Vec<String>,
        idempotency: Option<Idempotency<Group>>,
    ) -> Result<Outcome<Group>, Error> {
        pending::add_group(self, owner, id, name, members, idempotency).await
    }

    async fn group(&self, id: &str) -> Result<Option<Group>, Error> {
        in_snapshot!(self, |db| read_group(db, id).await)
    }

    async fn group_owner(&self, group: &str) -> Result<Option<UserKey>, Error> {
        let found = reading!(self, |db| db.query_opt(GROUP, &[&group]).await)?;
        Ok(found.map(|row| row.at(2)).transpose()?.map(UserKey))
    }

    async fn members(&self, group: &str, page: ListQuery) -> Result<ListPage, Error> {
        in_snapshot!(self, |db| members::page(db, group, &page).await)
    }

    async fn groups_of(&self, user: UserKey, page: ListQuery) -> Result<ListPage, Error> {
        let (after, limit) = (page.after.as_deref().unwrap_or_default(), rows(page.limit));
        let found = reading!(self, |db| db.query(GROUPS_OF, &[&user.0, &after, &limit]).await)?;
        ListPage::of(page.limit, found.iter().map(GroupSummary::from_row))
    }

    async fn is_member(&self, group: &str, user: UserKey) -> Result<bool, Error> {
        let found = reading!(self, |db| db.query_opt(IS_MEMBER, &[&group, &user.0]).await)?;
        found.ok_or_else(|| Error::not_found("group"))?.at(0)
    }

    async fn join(&self, group: &str, user: &str) -> Result<Group, Error> {
        in_transaction!(self, |tx| {
            members::join(tx, group, user).await?;
            read_group(tx, group).await?.ok_or_else(|| Error::not_found("group"))
        })
    }

    async fn change_group(
        &self,
        group: &str,
        name: Option<String>,
        owner: Option<String>,
    ) -> Result<Group, Error> {
        in_transaction!(self, |tx| {
            change(tx, group, name.as_deref(), owner.as_deref()).await?;
            read_group(tx, group).await?.ok_or_else(|| Error::not_found("group"))
        })
    }

    async fn end_group(&self, group: &str) -> Result<(), Error> {
        in_transaction!(self, |tx| {
            let found = members::lock(tx, group, None).await?;
            let stamp = tx.creation_stamp().await?.as_micros();
            let sql = "UPDATE groups SET ended_at = $2, changed_at = $2 WHERE key = $1";
            tx.execute(sql, &[&found.key, &stamp]).await?;
            Ok(())
        })
    }

    async fn leave(&self, group: &str, user: &str) -> Result<(), Error> {
        in_transaction!(self, |tx| members::leave(tx, group, user).await)
    }
}
