//! The table `tokens`.

use async_trait::async_trait;
use tidings_store::descent::{self, Descendants, is_valid};
use tidings_store::domain::account::{Bearer, NewToken, PROGRAM_TOKEN_PREFIX, Token, UserKey, scopes_of};
use tidings_store::page::ListPage;
use tidings_store::statements::{BEARER, MAKERS};
use tidings_store::{Error, Idempotency, ListQuery, Outcome, StoredResponse, TokenStore};
use tokio_postgres::Row;

use crate::session::{Columns, Session, rows};
use crate::tx::{WriteTx, in_transaction, reading};
use crate::users::{by_id, count};
use crate::{PostgresStore, answers};

/// Adds a token to a user; gives the user's key, too. The user can't be removed meanwhile.
pub(crate) async fn insert(
    tx: &mut WriteTx<'_>,
    owner: &str,
    new: &NewToken,
) -> Result<(UserKey, Token), Error> {
    let user = by_id(tx, owner).await?.ok_or_else(|| Error::not_found("user"))?;
    tx.lock_inbox(user.key).await?;
    if let Some(maker) = &new.made_by {
        check_maker(tx, maker).await?;
    }
    count(tx, 0, true).await?;
    // Later than that of every other token, and no stamp, so that a start, which makes a token, moves none. The counters
    // are locked, so nobody else makes one.
    let newest = tx.query_one("SELECT coalesce(max(created_at), 0) FROM tokens", &[]).await?.stamp(0)?;
    let created_at = newest.next(tx.now);
    let scope_names: Vec<&str> = new.scopes.iter().map(|s| s.as_str()).collect();
    let sql = "INSERT INTO tokens (id, user_key, hash, label, scopes, created_at, made_by)
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let (hash, created) = (new.hash.as_slice(), created_at.as_micros());
    let (scopes, maker) = (scope_names.join(" "), new.made_by.as_deref().unwrap_or_default());
    tx.execute(sql, &[&new.id, &user.key.0, &hash, &new.label, &scopes, &created, &maker]).await?;
    let NewToken { id, label, scopes, made_by, .. } = new.clone();
    Ok((user.key, Token { id, user: user.id, label, scopes, created_at, made_by }))
}

/// Refuses what a token makes that is not valid any more, or is of the last generation that there may be.
async fn check_maker(session: &Session, id: &str) -> Result<(), Error> {
    match session.query_opt(MAKERS, &[&id]).await? {
        Some(row) => descent::check(row.count(0)?, row.at(1)?),
        None => descent::check(0, false),
    }
}

async fn page_rows(session: &Session, user: Option<UserKey>, page: &ListQuery) -> Result<Vec<Row>, Error> {
    let gone = || Error::invalid("after", "there is no such token any more: begin with the first page");
    let after: i64 = match &page.after {
        Some(id) => {
            let row = session.query_opt("SELECT created_at FROM tokens WHERE id = $1", &[id]).await?;
            row.ok_or_else(gone)?.at(0)?
        }
        None => 0,
    };
    let owner = if user.is_some() { "t.user_key = $2" } else { "$2 = 0" };
    let sql = format!(
        "SELECT t.id, u.id, t.label, t.scopes, t.created_at, t.made_by FROM tokens t JOIN users u ON u.key = t.user_key
         WHERE {owner} AND t.created_at > $1 AND u.id < '~' AND {} ORDER BY t.created_at LIMIT $3",
        is_valid!("user_key")
    );
    session.query(&sql, &[&after, &user.map_or(0, |user| user.0), &rows(page.limit)]).await
}

/// Removes a token that `by` may revoke: what it made is valid no more. False if there is none.
pub(crate) async fn revoke_within(tx: &WriteTx<'_>, id: &str, by: Option<&Bearer>) -> Result<bool, Error> {
    let sql = "DELETE FROM tokens WHERE id = $1 RETURNING user_key, scopes";
    let Some(row) = tx.query_opt(sql, &[&id]).await? else { return Ok(false) };
    if let Some(by) = by {
        by.check_revocation(UserKey(row.at(0)?), &scopes_of(row.at(1)?))?;
    }
    count(tx, 0, true).await?;
    Ok(true)
}

/// Deletes what a revoked token made, in portions.
pub(crate) async fn delete_descendants(store: &PostgresStore, token: &str) -> Result<(), Error> {
    let sql = "DELETE FROM tokens WHERE id IN (
            SELECT id FROM tokens WHERE made_by = $1 AND made_by <> '' LIMIT $2) RETURNING id";
    let (mut descendants, most) = (Descendants::of(token.to_owned()), store.bounds.short_write_rows);
    while let Some(maker) = descendants.next() {
        let gone: Vec<String> = in_transaction!(store, |tx| {
            let found = tx.query(sql, &[&maker, &rows(most)]).await?;
            found.iter().map(|row| row.at(0)).collect()
        })?;
        let all = gone.len() < most;
        descendants.went(gone, all);
    }
    Ok(())
}

/// The label of a user's token.
pub(crate) async fn label(session: &Session, user: UserKey, id: &str) -> Result<Option<String>, Error> {
    let row = session
        .query_opt("SELECT label FROM tokens WHERE id = $1 AND user_key = $2", &[&id, &user.0])
        .await?;
    row.map(|row| row.at(0)).transpose()
}

/// Gives a token another label.
pub(crate) async fn set_label(tx: &WriteTx<'_>, id: &str, label: &str) -> Result<(), Error> {
    tx.execute("UPDATE tokens SET label = $2 WHERE id = $1", &[&id, &label]).await?;
    Ok(())
}

#[async_trait]
impl TokenStore for PostgresStore {
    async fn add_token(
        &self,
        user: &str,
        token: NewToken,
        idempotency: Option<Idempotency<Token>>,
    ) -> Result<Outcome<Token>, Error> {
        in_transaction!(self, |tx| {
            if let Some(answer) = tx.take_key(idempotency.as_ref()).await? {
                return Ok(Outcome::Replayed(answer));
            }
            let (_, token) = insert(tx, user, &token).await?;
            tx.keep_answer(idempotency.as_ref(), &token).await?;
            Ok(Outcome::Done(token))
        })
    }

    async fn tokens(&self, user: Option<UserKey>, page: ListQuery) -> Result<ListPage, Error> {
        let found = reading!(self, |s| page_rows(s, user, &page).await)?;
        ListPage::of(page.limit, found.iter().map(Token::from_row))
    }

    async fn revoke(&self, id: &str, by: Option<&Bearer>) -> Result<(), Error> {
        in_transaction!(self, |tx| {
            if revoke_within(tx, id, by).await? { Ok(()) } else { Err(Error::not_found("token")) }
        })?;
        delete_descendants(self, id).await
    }

    async fn revoke_program_tokens(&self) -> Result<(), Error> {
        // The ids with this prefix are those from the prefix up to the same text with `.`, the character after `-`, at its
        // end.
        let end = format!("{}.", PROGRAM_TOKEN_PREFIX.trim_end_matches('-'));
        in_transaction!(self, |tx| {
            let sql = "DELETE FROM tokens WHERE id >= $1 AND id < $2";
            if tx.execute(sql, &[&PROGRAM_TOKEN_PREFIX, &end]).await? > 0 {
                count(tx, 0, true).await?;
            }
            Ok(())
        })
    }

    async fn bearer(&self, hash: [u8; 32]) -> Result<Option<Bearer>, Error> {
        let row = reading!(self, |s| s.query_opt(BEARER, &[&hash.as_slice()]).await)?;
        row.as_ref().map(Bearer::from_row).transpose()
    }

    async fn stored_response(&self, token: &str, key: &str) -> Result<Option<StoredResponse>, Error> {
        reading!(self, |s| answers::get(s, &self.clock, token, key).await)
    }
}
