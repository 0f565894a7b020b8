//! Users and tokens.

mod tokens;

use async_trait::async_trait;
use tidings_model::{Code, Stamp};
use tidings_store::domain::account::{HIDDEN_PREFIX, User, UserKey, WrittenContent, taken_for_good};
use tidings_store::domain::limits;
use tidings_store::page::ListPage;
use tidings_store::{Error, Idempotency, ListQuery, Outcome, UserStore, WrittenPage, written};

pub(super) use self::tokens::{delete_descendants, insert as insert_token, label, revoke_within, set_label};
use super::PostgresStore;
use super::session::{Columns, rows};
use super::tx::{WriteTx, in_transaction, reading};
use super::upkeep;
use super::users::{beginning, by_id, count};

async fn insert(tx: &mut WriteTx<'_>, id: &str, name: &str) -> Result<User, Error> {
    let taken = || Error::refused(Code::Conflict, format!("the user `{id}` already exists"));
    // Who removes the user with this id is waited for.
    tx.lock_names(&[&["user", id]]).await?;
    if tx.exists("SELECT 1 FROM users WHERE id = $1", &[&id]).await? {
        return Err(taken());
    }
    if tx.exists("SELECT 1 FROM former_users WHERE id = $1", &[&id]).await? {
        return Err(Error::refused(Code::Conflict, taken_for_good(id)));
    }
    count(tx, 1, false).await?;
    let created_at = tx.creation_stamp().await?;
    let sql = "WITH added AS (
            INSERT INTO users (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING RETURNING key)
        INSERT INTO inboxes (user_key, last, pulled_to) SELECT key, $3, $3 FROM added RETURNING user_key";
    let row = tx.query_opt(sql, &[&id, &name, &created_at.as_micros()]).await?.ok_or_else(taken)?;
    Ok(User { key: UserKey(row.at(0)?), id: id.to_owned(), name: name.to_owned(), created_at })
}

/// A removed user of whom something is still to be recalled: the key, the id, and up to when that is done.
const NEXT_RECALLED: &str = "SELECT f.key, f.id, f.recalled_to FROM former_users f WHERE f.recalls
    AND EXISTS (SELECT 1 FROM users u WHERE u.key = f.key) LIMIT 1";

/// The creation times of the publications of a user's tokens `$1`, of those whose actor is the user `$2`, and of
/// messages in the user's name. They are after `$3`, and at most `$4`.
const WRITTEN: &str = "SELECT DISTINCT w.created_at FROM (
        (SELECT created_at FROM notifications WHERE publisher = $1 AND publisher > 0 AND created_at > $3
            ORDER BY created_at LIMIT $4)
        UNION ALL (SELECT created_at FROM notifications WHERE kind = 2 AND actor_id = $2 AND created_at > $3
            AND NOT (target_type = 'topic' AND target_id = actor_id) ORDER BY created_at LIMIT $4)
        UNION ALL (SELECT created_at FROM items WHERE user_key = $1 AND created_at > $3 AND own AND kind = 3
            ORDER BY created_at LIMIT $4)) w
    ORDER BY w.created_at LIMIT $4";

#[async_trait]
impl UserStore for PostgresStore {
    async fn add_user(
        &self,
        id: &str,
        name: &str,
        idempotency: Option<Idempotency<User>>,
    ) -> Result<Outcome<User>, Error> {
        in_transaction!(self, |tx| {
            if let Some(answer) = tx.take_key(idempotency.as_ref()).await? {
                return Ok(Outcome::Replayed(answer));
            }
            let user = insert(tx, id, name).await?;
            tx.keep_answer(idempotency.as_ref(), &user).await?;
            Ok(Outcome::Done(user))
        })
    }

    async fn rename_user(&self, id: &str, name: &str) -> Result<User, Error> {
        in_transaction!(self, |tx| {
            let sql =
                "UPDATE users SET name = $2 WHERE id = $1 AND id < '~' RETURNING key, id, name, created_at";
            let row = tx.query_opt(sql, &[&id, &name]).await?.ok_or_else(|| Error::not_found("user"))?;
            count(tx, 0, true).await?;
            User::from_row(&row)
        })
    }

    async fn remove_user(&self, id: &str, written: WrittenContent) -> Result<(), Error> {
        let user: UserKey = in_transaction!(self, |tx| {
            tx.lock_names(&[&["user", id]]).await?;
            let user = by_id(tx, id).await?.ok_or_else(|| Error::not_found("user"))?.key;
            // A task that writes to the inbox goes first; afterwards there is no inbox. Of two who remove the user one
            // finds it.
            if tx.execute("DELETE FROM inboxes WHERE user_key = $1", &[&user.0]).await? == 0 {
                return Err(Error::not_found("user"));
            }
            tx.execute("UPDATE users SET id = $2 || key WHERE key = $1", &[&user.0, &HIDDEN_PREFIX]).await?;
            count(tx, -1, true).await?;
            let removed_at = tx.creation_stamp().await?.as_micros();
            let recalls = written == WrittenContent::Delete;
            let sql = "INSERT INTO former_users (id, key, removed_at, recalls) VALUES ($1, $2, $3, $4)";
            tx.execute(sql, &[&id, &user.0, &removed_at, &recalls]).await?;
            Ok(user)
        })?;
        // Groups first, so that none is without an owner.
        in_transaction!(self, |tx| upkeep::removal::first(tx, user, limits::SHORT_WRITE_ROWS).await)?;
        Ok(())
    }

    async fn removal_pending(&self) -> Result<bool, Error> {
        reading!(self, |s| s.exists("SELECT 1 FROM users WHERE id >= '~' LIMIT 1", &[]).await)
    }

    async fn written(
        &self,
        user: UserKey,
        id: &str,
        after: Stamp,
        limit: usize,
    ) -> Result<WrittenPage, Error> {
        let read = format!(
            "SELECT {} FROM unnest($1::bigint[]) WITH ORDINALITY w (at, nth)
         CROSS JOIN LATERAL (SELECT * FROM notifications WHERE created_at = w.at LIMIT 1) n ORDER BY w.nth",
            written::COLUMNS
        );
        let most = rows(limit);
        let (found, publications) = reading!(self, |s| {
            let found = s.query(WRITTEN, &[&user.0, &id, &after.as_micros(), &most]).await?;
            let found = found.iter().map(|row| row.at(0)).collect::<Result<Vec<i64>, Error>>()?;
            let publications = s.query(&read, &[&found]).await?;
            Ok((found, publications))
        })?;
        let upto = found.last().filter(|_| found.len() == limit).copied().map(Stamp::from_micros);
        let mut page = written::WrittenBuilder::new(after, limit);
        for row in &publications {
            if !page.push(row)? {
                break;
            }
        }
        Ok(page.finish(upto))
    }

    async fn to_recall(&self, limit: usize) -> Result<Option<(UserKey, WrittenPage)>, Error> {
        let found = reading!(self, |s| s.query_opt(NEXT_RECALLED, &[]).await)?;
        let Some(row) = found else { return Ok(None) };
        let (user, id): (UserKey, String) = (UserKey(row.at(0)?), row.at(1)?);
        let page = self.written(user, &id, row.stamp(2)?, limit).await?;
        Ok(Some((user, page)))
    }

    async fn recalled(&self, user: UserKey, through: Stamp, all: bool) -> Result<(), Error> {
        let sql = "UPDATE former_users SET recalled_to = greatest(recalled_to, $2), recalls = recalls AND NOT $3 WHERE key = $1";
        in_transaction!(self, |tx| tx.execute(sql, &[&user.0, &through.as_micros(), &all]).await)?;
        Ok(())
    }

    async fn user(&self, id: &str) -> Result<Option<User>, Error> {
        reading!(self, |s| by_id(s, id).await)
    }

    async fn users(&self, page: ListQuery) -> Result<ListPage, Error> {
        let sql =
            "SELECT key, id, name, created_at FROM users WHERE id > $1 AND id < '~' ORDER BY id LIMIT $2";
        let after = page.after.as_deref().unwrap_or_default();
        let found = reading!(self, |s| s.query(sql, &[&after, &rows(page.limit)]).await)?;
        ListPage::of(page.limit, found.iter().map(User::from_row))
    }

    async fn users_beginning(&self, typed: &str, limit: usize) -> Result<Vec<User>, Error> {
        reading!(self, |s| beginning(s, typed, limit).await)
    }
}
