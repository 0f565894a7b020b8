//! Creates groups. A group with many members is created in portions under a hidden id. So it is invisible until it is
//! complete, and the log is held for short times only.

use std::collections::HashMap;

use tidings_model::{Code, Stamp};
use tidings_store::domain::account::{HIDDEN_PREFIX, UserKey, random_name};
use tidings_store::{Error, Group, Idempotency, Outcome};

use super::read_group;
use crate::PostgresStore;
use crate::session::{Columns, Session, rows};
use crate::tx::{WriteTx, in_transaction, reading};

/// A group being created.
struct PendingGroup {
    key: i64,
    joined_at: Stamp,
}

/// Creates a group, with the creator as its owner and a member. `id` is random if it is `None`.
pub(super) async fn add_group(
    store: &PostgresStore,
    owner: UserKey,
    id: Option<String>,
    name: String,
    members: Vec<String>,
    idempotency: Option<Idempotency<Group>>,
) -> Result<Outcome<Group>, Error> {
    if let Some(answer) = store.answer_of(idempotency.as_ref()).await? {
        return Ok(Outcome::Replayed(answer));
    }
    let id = id.unwrap_or_else(random_name);
    let members = reading!(store, |db| keys(db, owner, &members).await)?;
    let at_once = members.len() <= store.bounds.short_write_rows;
    let pending = if at_once { None } else { Some(in_portions(store, owner, &id, &name, &members).await?) };
    in_transaction!(store, |tx| {
        if let Some(answer) = tx.take_key(idempotency.as_ref()).await? {
            return Ok(Outcome::Replayed(answer));
        }
        // Two that create the same group wait for each other here, and not with the log in hand.
        tx.lock_names(&[&["group", &id]]).await?;
        require_free(tx, &id).await?;
        match &pending {
            Some(group) => reveal(tx, group, &id).await?,
            None => insert(tx, owner, &id, &name, &members).await?,
        }
        let group = read_group(tx, &id).await?.ok_or_else(|| Error::not_found("group"))?;
        tx.keep_answer(idempotency.as_ref(), &group).await?;
        Ok(Outcome::Done(group))
    })
}

async fn require_free(tx: &WriteTx<'_>, id: &str) -> Result<(), Error> {
    if tx.exists("SELECT 1 FROM groups WHERE id = $1", &[&id]).await? {
        return Err(Error::refused(Code::Conflict, format!("the group `{id}` already exists")));
    }
    Ok(())
}

/// Inserts a group with its members; those who were removed meanwhile are skipped. `$1` its id, `$2` its name, `$3` its owner,
/// `$4` the members, `$5` when they join, `$6` the stamp of its last change.
const INSERT: &str = "WITH members AS MATERIALIZED (SELECT user_key FROM inboxes WHERE user_key = ANY($4)),
    created AS (INSERT INTO groups (id, name, owner, created_at, member_count, changed_at)
        SELECT $1, $2, $3, $5, (SELECT count(*) FROM members), $6 RETURNING key)
    INSERT INTO memberships (group_key, group_id, user_key, joined_at, left_at, list_position)
    SELECT c.key, $1, m.user_key, $5, 0, $5 FROM created c CROSS JOIN members m";

async fn insert(
    tx: &mut WriteTx<'_>,
    owner: UserKey,
    id: &str,
    name: &str,
    members: &[i64],
) -> Result<(), Error> {
    keep_users(tx, owner, members).await?;
    let joined_at = tx.creation_stamps(2, Stamp::ZERO).await?;
    let (joined_at, changed_at) = (joined_at.as_micros(), joined_at.plus_micros(1).as_micros());
    tx.execute(INSERT, &[&id, &name, &owner.0, &members, &joined_at, &changed_at]).await?;
    Ok(())
}

/// The keys of all members of a new group: the owner and the members named, without duplicates.
async fn keys(db: &Session, owner: UserKey, named: &[String]) -> Result<Vec<i64>, Error> {
    let mut found = HashMap::with_capacity(named.len());
    for row in db.query("SELECT id, key FROM users WHERE id = ANY($1) AND id < '~'", &[&named]).await? {
        found.insert(row.at::<String>(0)?, row.at::<i64>(1)?);
    }
    let mut keys = vec![owner.0];
    for member in named {
        let unknown = || Error::refused(Code::NotFound, format!("there is no user `{member}`"));
        keys.push(*found.get(member).ok_or_else(unknown)?);
    }
    keys.sort_unstable();
    keys.dedup();
    Ok(keys)
}

/// Creates a hidden group and adds its members in portions.
async fn in_portions(
    store: &PostgresStore,
    owner: UserKey,
    id: &str,
    name: &str,
    members: &[i64],
) -> Result<PendingGroup, Error> {
    let group = in_transaction!(store, |tx| {
        keep_users(tx, owner, &[]).await?;
        require_free(tx, id).await?;
        begin(tx, owner, name).await
    })?;
    for portion in members.chunks(store.bounds.short_write_rows) {
        in_transaction!(store, |tx| {
            keep_users(tx, owner, portion).await?;
            add(tx, &group, id, portion).await
        })?;
    }
    Ok(group)
}

/// Keeps the inboxes of users, and so the users, until the end of the transaction. The owner has to be among them.
async fn keep_users(tx: &WriteTx<'_>, owner: UserKey, users: &[i64]) -> Result<(), Error> {
    let sql = "SELECT user_key = $1 FROM inboxes WHERE user_key = $1 OR user_key = ANY($2) ORDER BY user_key FOR KEY SHARE";
    for row in tx.query(sql, &[&owner.0, &users]).await? {
        if row.at(0)? {
            return Ok(());
        }
    }
    Err(Error::not_found("user"))
}

/// Inserts a group without members, under a hidden id.
async fn begin(tx: &mut WriteTx<'_>, owner: UserKey, name: &str) -> Result<PendingGroup, Error> {
    let hidden = format!("{HIDDEN_PREFIX}{}", random_name());
    let insert = "INSERT INTO groups (id, name, owner, created_at, member_count, changed_at) VALUES ($1, $2, $3, $4, 0, $4)
        RETURNING key";
    let joined_at = tx.creation_stamp().await?;
    let row = tx.query_one(insert, &[&hidden, &name, &owner.0, &joined_at.as_micros()]).await?;
    Ok(PendingGroup { key: row.at(0)?, joined_at })
}

/// Adds a portion of the members; those who were removed meanwhile are skipped. `$1` the group, `$2` its id, `$3` the users, `$4`
/// when they join.
const ADD: &str = "WITH added AS (
        INSERT INTO memberships (group_key, group_id, user_key, joined_at, left_at, list_position)
        SELECT $1, $2, user_key, $4, 0, $4 FROM inboxes WHERE user_key = ANY($3) ON CONFLICT DO NOTHING RETURNING 1)
    UPDATE groups SET member_count = member_count + (SELECT count(*) FROM added) WHERE key = $1";

async fn add(tx: &WriteTx<'_>, group: &PendingGroup, id: &str, users: &[i64]) -> Result<(), Error> {
    tx.execute(ADD, &[&group.key, &id, &users, &group.joined_at.as_micros()]).await?;
    Ok(())
}

/// Makes the group visible under its id. Only later messages can reach its members, because posts name the group by its
/// id.
async fn reveal(tx: &mut WriteTx<'_>, group: &PendingGroup, id: &str) -> Result<(), Error> {
    tx.execute("SELECT 1 FROM groups WHERE key = $1 FOR UPDATE", &[&group.key]).await?;
    let stamp = tx.creation_stamp().await?.as_micros();
    tx.execute("UPDATE groups SET id = $2, changed_at = $3 WHERE key = $1", &[&group.key, &id, &stamp])
        .await?;
    Ok(())
}

/// Deletes a portion of a group that was begun before this time and never completed, because the process ended. Gives
/// the number of deleted rows.
pub(crate) async fn delete_abandoned(
    tx: &mut WriteTx<'_>,
    before: Stamp,
    batch: usize,
) -> Result<usize, Error> {
    let find = "SELECT key FROM groups WHERE id >= '~' AND created_at < $1 ORDER BY key LIMIT 1 FOR UPDATE";
    let Some(row) = tx.query_opt(find, &[&before.as_micros()]).await? else { return Ok(0) };
    let key: i64 = row.at(0)?;
    let delete = "DELETE FROM memberships WHERE group_key = $1 AND (user_key, joined_at) IN (
        SELECT user_key, joined_at FROM memberships WHERE group_key = $1 LIMIT $2)";
    let deleted = usize::try_from(tx.execute(delete, &[&key, &rows(batch)]).await?).unwrap_or_default();
    if deleted < batch {
        tx.execute("DELETE FROM groups WHERE key = $1", &[&key]).await?;
        return Ok(deleted + 1);
    }
    Ok(deleted)
}
