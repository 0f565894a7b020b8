//! The table `tokens`.

use async_trait::async_trait;
use rusqlite::{Connection, params};
use tidings_model::Stamp;
use tidings_store::descent::{self, is_valid};
use tidings_store::domain::account::{PROGRAM_TOKEN_PREFIX, scopes_of};
use tidings_store::statements::{BEARER, MAKERS};
use tidings_store::{
    Bearer, Error, Idempotency, ListPage, ListQuery, NewToken, Outcome, StoredResponse, Token, TokenStore,
    UserKey,
};

use super::{stored_responses, users};
use crate::tables::meta;
use crate::write_tx::WriteTx;
use crate::{SHARED_QUEUE, SqliteStore, sql};

#[async_trait]
impl TokenStore for SqliteStore {
    async fn add_token(
        &self,
        user: &str,
        token: NewToken,
        idempotency: Option<Idempotency<Token>>,
    ) -> Result<Outcome<Token>, Error> {
        let user = user.to_owned();
        self.write(move |w| w.idempotent(idempotency, |w| add(w, &user, token))).await
    }

    async fn tokens(&self, user: Option<UserKey>, page: ListQuery) -> Result<ListPage, Error> {
        let (index, owner_condition) = match user {
            Some(_) => ("tokens_by_user", "t.user = ?2"),
            None => ("tokens_by_age", "?2 IS NULL"),
        };
        let sql = format!(
            "SELECT t.id, u.id, t.label, t.scopes, t.created_at, t.made_by FROM tokens t INDEXED BY {index}
             CROSS JOIN users u ON u.key = t.user WHERE {owner_condition} AND t.created_at > ?1 AND u.id < '~'
                 AND {}
             ORDER BY t.created_at",
            is_valid!("user")
        );
        self.read_long(SHARED_QUEUE, move |c| {
            let after: i64 = match page.after {
                Some(id) => {
                    let gone = "there is no such token any more: begin with the first page";
                    sql::first(c, "SELECT created_at FROM tokens WHERE id = ?1", [id], |r| Ok(r.get(0)?))?
                        .ok_or_else(|| Error::invalid("after", gone))?
                }
                None => 0,
            };
            sql::page(c, &sql, params![after, user.map(|k| k.0)], page.limit, |r| Token::from_row(r))
        })
        .await
    }

    async fn revoke(&self, id: &str, by: Option<&Bearer>) -> Result<(), Error> {
        let (token, by) = (id.to_owned(), by.cloned());
        self.write(move |w| revoke(w, &token, by.as_ref())).await?;
        self.delete_descendants(id.to_owned()).await
    }

    async fn revoke_program_tokens(&self) -> Result<(), Error> {
        // The ids with this prefix are those from the prefix up to the same text with `.`, the character after `-`, at
        // its end.
        let end = format!("{}.", PROGRAM_TOKEN_PREFIX.trim_end_matches('-'));
        let sql = "DELETE FROM tokens WHERE id >= ?1 AND id < ?2";
        self.write(move |w| {
            let deleted = sql::run(w.tx, sql, params![PROGRAM_TOKEN_PREFIX, end])?;
            if deleted > 0 { meta::bump_auth_version(w) } else { Ok(()) }
        })
        .await
    }

    async fn bearer(&self, hash: [u8; 32]) -> Result<Option<Bearer>, Error> {
        self.read(move |c| sql::first(c, &sql::shared(BEARER), [hash.as_slice()], |r| Bearer::from_row(r)))
            .await
    }

    async fn stored_response(&self, token: &str, key: &str) -> Result<Option<StoredResponse>, Error> {
        let (token, key, now) = (token.to_owned(), key.to_owned(), self.clock.now());
        self.read(move |c| stored_responses::get(c, &token, &key, now)).await
    }
}

pub(crate) fn add(ctx: &mut WriteTx<'_>, owner: &str, new: NewToken) -> Result<Token, Error> {
    let user = users::by_id(ctx.tx, owner)?.ok_or_else(|| Error::not_found("user"))?;
    if let Some(maker) = &new.made_by {
        check_maker(ctx.tx, maker)?;
    }
    let created_at = next_created_at(ctx)?;
    let scope_names: Vec<&str> = new.scopes.iter().map(|s| s.as_str()).collect();
    ctx.tx.execute(
        "INSERT INTO tokens (id, user, hash, label, scopes, created_at, made_by) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            new.id,
            user.key.0,
            new.hash,
            new.label,
            scope_names.join(" "),
            created_at.as_micros(),
            new.made_by.as_deref().unwrap_or_default()
        ],
    )?;
    meta::bump_auth_version(ctx)?;
    let NewToken { id, label, scopes, made_by, .. } = new;
    Ok(Token { id, user: user.id, label, scopes, created_at, made_by })
}

/// The time of a token: later than that of every other one, and no stamp, so that a start, which makes a token, moves none.
fn next_created_at(ctx: &WriteTx<'_>) -> Result<Stamp, Error> {
    let sql = "SELECT coalesce(max(created_at), 0) FROM tokens";
    let newest: i64 = sql::one(ctx.tx, sql, [], |row| Ok(row.get(0)?))?;
    Ok(Stamp::from_micros(newest).next(ctx.now))
}

/// Refuses what a token makes that is not valid any more, or is of the last generation that there may be.
fn check_maker(conn: &Connection, id: &str) -> Result<(), Error> {
    let found = sql::first(conn, &sql::shared(MAKERS), [id], |r| Ok((r.get(0)?, r.get(1)?)))?;
    let (generations, is_valid) = found.unwrap_or((0, false));
    descent::check(generations, is_valid)
}

/// Removes a token that `by` may revoke: what it made is valid no more. `not_found` if there is none.
pub(crate) fn revoke(ctx: &mut WriteTx<'_>, id: &str, by: Option<&Bearer>) -> Result<(), Error> {
    let sql = "SELECT user, scopes FROM tokens WHERE id = ?1";
    let (owner, held) =
        sql::first(ctx.tx, sql, [id], |r| Ok((UserKey(r.get(0)?), scopes_of(&r.get::<_, String>(1)?))))?
            .ok_or_else(|| Error::not_found("token"))?;
    if let Some(by) = by {
        by.check_revocation(owner, &held)?;
    }
    ctx.tx.execute("DELETE FROM tokens WHERE id = ?1", [id])?;
    meta::bump_auth_version(ctx)
}

/// Deletes tokens that a token made, at most `limit`; gives their ids.
pub(crate) fn delete_made_by(ctx: &WriteTx<'_>, maker: &str, limit: usize) -> Result<Vec<String>, Error> {
    let mut rows = ctx.tx.prepare_cached(
        "DELETE FROM tokens WHERE id IN (
             SELECT id FROM tokens INDEXED BY tokens_by_maker WHERE made_by = ?1 AND made_by <> '' LIMIT ?2)
         RETURNING id",
    )?;
    Ok(rows.query_map(params![maker, limit], |r| r.get(0))?.collect::<Result<_, _>>()?)
}

/// Deletes tokens whose maker is gone, which a revocation that was interrupted left; `?1` the most rows.
pub(crate) const DELETE_ORPHANS: &str = "DELETE FROM tokens WHERE id IN (
    SELECT t.id FROM tokens t INDEXED BY tokens_by_maker
    WHERE t.made_by > '' AND t.made_by <> '' AND NOT EXISTS (SELECT 1 FROM tokens p WHERE p.id = t.made_by) LIMIT ?1)";

/// The label of a user's token.
pub(crate) fn label(conn: &Connection, user: UserKey, id: &str) -> Result<Option<String>, Error> {
    let sql = "SELECT label FROM tokens WHERE id = ?1 AND user = ?2";
    sql::first(conn, sql, params![id, user.0], |r| Ok(r.get(0)?))
}

/// Gives a token another label.
pub(crate) fn set_label(ctx: &WriteTx<'_>, id: &str, label: &str) -> Result<(), Error> {
    ctx.tx.execute("UPDATE tokens SET label = ?2 WHERE id = ?1", [id, label])?;
    Ok(())
}
