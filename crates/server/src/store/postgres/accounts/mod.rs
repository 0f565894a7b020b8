//! Users and tokens.

mod tokens;

use tidings_model::Code;
use tokio_postgres::Row;

pub(super) use self::tokens::{
    add_token, bearer, delete_descendants, insert as insert_token, label, revoke, revoke_program_tokens,
    revoke_within, set_label, tokens,
};
use super::PostgresStore;
use super::session::{Columns, Session, rows};
use super::tx::{WriteTx, in_transaction, reading};
use super::upkeep;
use crate::domain::account::{User, UserKey};
use crate::domain::limits;
use crate::error::Error;
use crate::store::page::{ListPage, PageBuilder};
use crate::store::{Idempotency, ListQuery, Outcome};

/// Prefix of the ids of removed users whose rows are not deleted yet, and of groups being created. No id of the API
/// begins with it, and it sorts after all of them.
pub(super) const HIDDEN_PREFIX: &str = "~";

fn from_row(row: &Row) -> Result<User, Error> {
    Ok(User { key: UserKey(row.at(0)?), id: row.at(1)?, name: row.at(2)?, created_at: row.stamp(3)? })
}

/// The user with this id.
pub(super) async fn by_id(session: &Session, id: &str) -> Result<Option<User>, Error> {
    let sql = "SELECT key, id, name, created_at FROM users WHERE id = $1 AND id < '~'";
    session.query_opt(sql, &[&id]).await?.as_ref().map(from_row).transpose()
}

/// The id of a user; `not_found` where the user was removed.
pub(super) async fn id_of(session: &Session, key: UserKey) -> Result<String, Error> {
    let sql = "SELECT id FROM users WHERE key = $1 AND id < '~'";
    session.query_opt(sql, &[&key.0]).await?.ok_or_else(|| Error::not_found("user"))?.at(0)
}

/// Adds to the number of users, and counts a change of users or tokens, so that processes that cache them notice.
pub(super) async fn count(tx: &WriteTx<'_>, more_users: i64, auth_changed: bool) -> Result<(), Error> {
    let sql = "UPDATE counters SET user_count = user_count + $1, auth_version = auth_version + $2";
    tx.execute(sql, &[&more_users, &i64::from(auth_changed)]).await?;
    Ok(())
}

pub(super) async fn add_user(
    store: &PostgresStore,
    id: &str,
    name: &str,
    idempotency: Option<Idempotency<User>>,
) -> Result<Outcome<User>, Error> {
    in_transaction!(store, |tx| {
        if let Some(answer) = tx.take_key(idempotency.as_ref()).await? {
            return Ok(Outcome::Replayed(answer));
        }
        let user = insert(tx, id, name).await?;
        tx.keep_answer(idempotency.as_ref(), &user).await?;
        Ok(Outcome::Done(user))
    })
}

async fn insert(tx: &mut WriteTx<'_>, id: &str, name: &str) -> Result<User, Error> {
    let taken = || Error::refused(Code::Conflict, format!("the user `{id}` is there already"));
    if tx.exists("SELECT 1 FROM users WHERE id = $1", &[&id]).await? {
        return Err(taken());
    }
    count(tx, 1, false).await?;
    let created_at = tx.creation_stamp().await?;
    let sql = "WITH added AS (
            INSERT INTO users (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING RETURNING key)
        INSERT INTO inboxes (user_key, last, pulled_to) SELECT key, $3, $3 FROM added RETURNING user_key";
    let row = tx.query_opt(sql, &[&id, &name, &created_at.as_micros()]).await?.ok_or_else(taken)?;
    Ok(User { key: UserKey(row.at(0)?), id: id.to_owned(), name: name.to_owned(), created_at })
}

/// Removes a user for all queries at once, and a first portion of what the user has.
pub(super) async fn remove_user(store: &PostgresStore, id: &str) -> Result<(), Error> {
    let user: UserKey = in_transaction!(store, |tx| {
        let user = by_id(tx, id).await?.ok_or_else(|| Error::not_found("user"))?.key;
        // Whoever writes to the inbox goes first; afterwards there is none. Of two who remove the user one finds it.
        if tx.execute("DELETE FROM inboxes WHERE user_key = $1", &[&user.0]).await? == 0 {
            return Err(Error::not_found("user"));
        }
        tx.execute("UPDATE users SET id = $2 || key WHERE key = $1", &[&user.0, &HIDDEN_PREFIX]).await?;
        count(tx, -1, true).await?;
        Ok(user)
    })?;
    in_transaction!(store, |tx| upkeep::removal::portion(tx, user, limits::SHORT_WRITE_ROWS).await)?;
    Ok(())
}

pub(super) async fn user(store: &PostgresStore, id: &str) -> Result<Option<User>, Error> {
    reading!(store, |s| by_id(s, id).await)
}

/// A page of the users, by id.
pub(super) async fn users(store: &PostgresStore, page: ListQuery) -> Result<ListPage, Error> {
    let sql = "SELECT key, id, name, created_at FROM users WHERE id > $1 AND id < '~' ORDER BY id LIMIT $2";
    let after = page.after.as_deref().unwrap_or_default();
    let found = reading!(store, |s| s.query(sql, &[&after, &rows(page.limit)]).await)?;
    let mut builder = PageBuilder::new(page.limit);
    for row in &found {
        if !builder.push(&from_row(row)?)? {
            break;
        }
    }
    Ok(ListPage(builder.into_elements()))
}

/// Users with keys greater than `after`, by their keys.
pub(super) async fn users_by_key(
    store: &PostgresStore,
    after: UserKey,
    limit: usize,
) -> Result<Vec<User>, Error> {
    let sql = "SELECT key, id, name, created_at FROM users WHERE key > $1 AND id < '~' ORDER BY key LIMIT $2";
    let found = reading!(store, |s| s.query(sql, &[&after.0, &rows(limit)]).await)?;
    found.iter().map(from_row).collect()
}

/// A removed user whose rows are not all deleted.
pub(super) async fn next_removed(session: &Session) -> Result<Option<UserKey>, Error> {
    let row = session.query_opt("SELECT key FROM users WHERE id >= '~' ORDER BY id LIMIT 1", &[]).await?;
    row.map(|row| Ok(UserKey(row.at(0)?))).transpose()
}
