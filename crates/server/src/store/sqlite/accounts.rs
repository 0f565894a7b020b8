//! Users and tokens in their tables. Refuses to forget that somebody left: the version of what is known about them
//! moves with every change.

use rusqlite::{Connection, OptionalExtension, Row, params};
use tidings_model::wire::Scope;
use tidings_model::{Code, Stamp};

use super::write_context::WriteContext;
use crate::domain::account::{Bearer, NewToken, PROGRAM_TOKEN_PREFIX, Token, User, UserKey};
use crate::error::Error;
use crate::store::ListQuery;
use crate::store::page::{ListPage, PageBuilder};

fn user_row(row: &Row<'_>) -> rusqlite::Result<User> {
    Ok(User {
        key: UserKey(row.get(0)?),
        id: row.get(1)?,
        name: row.get(2)?,
        created_at: Stamp::from_micros(row.get(3)?),
    })
}

const USER: &str = "SELECT key, id, name, created_at FROM users";

/// The ids of removed users, whose rows are still to be deleted, and of groups that are still being made begin with
/// this. No id of the wire does, and it sorts after all of them.
pub(super) const HIDDEN: &str = "~";

pub(super) fn user(conn: &Connection, id: &str) -> Result<Option<User>, Error> {
    Ok(conn
        .prepare_cached(&format!("{USER} WHERE id = ?1 AND id < '~'"))?
        .query_row([id], user_row)
        .optional()?)
}

/// The id of a user who is there.
pub(super) fn id_of(conn: &Connection, key: UserKey) -> Result<String, Error> {
    conn.prepare_cached("SELECT id FROM users WHERE key = ?1 AND id < '~'")?
        .query_row([key.0], |r| r.get(0))
        .optional()?
        .ok_or_else(|| Error::not_found("user"))
}

pub(super) fn users(conn: &Connection, page: &ListQuery) -> Result<ListPage, Error> {
    let mut rows = conn.prepare_cached(&format!("{USER} WHERE id > ?1 AND id < '~' ORDER BY id"))?;
    let mut rows = rows.query([page.after.as_deref().unwrap_or_default()])?;
    let mut builder = PageBuilder::new(page.limit);
    while let Some(row) = rows.next()? {
        if !builder.push(&user_row(row)?)? {
            break;
        }
    }
    Ok(ListPage(builder.into_elements()))
}

pub(super) fn add_user(ctx: &mut WriteContext<'_>, id: &str, name: &str) -> Result<User, Error> {
    if user(ctx.tx, id)?.is_some() {
        return Err(Error::refused(Code::Conflict, format!("the user `{id}` is there already")));
    }
    let created_at = ctx.next_stamp();
    ctx.tx.execute(
        "INSERT INTO users (id, name, created_at, pulled_to) VALUES (?1, ?2, ?3, ?3)",
        params![id, name, created_at.as_micros()],
    )?;
    let key = UserKey(ctx.tx.last_insert_rowid());
    ctx.tx.execute("UPDATE head SET users = users + 1 WHERE one = 1", [])?;
    Ok(User { key, id: id.to_owned(), name: name.to_owned(), created_at })
}

/// Removes a user for everybody at once; what it had is deleted in portions, by [`super::removal::portion`].
pub(super) fn remove_user(ctx: &mut WriteContext<'_>, id: &str) -> Result<UserKey, Error> {
    let user = user(ctx.tx, id)?.ok_or_else(|| Error::not_found("user"))?;
    ctx.tx.execute("UPDATE users SET id = ?2 || key WHERE key = ?1", params![user.key.0, HIDDEN])?;
    ctx.tx.execute("UPDATE head SET users = users - 1 WHERE one = 1", [])?;
    moved(ctx)?;
    Ok(user.key)
}

/// Says that users or tokens changed.
fn moved(ctx: &WriteContext<'_>) -> Result<(), Error> {
    ctx.tx.execute("UPDATE head SET auth_version = auth_version + 1 WHERE one = 1", [])?;
    Ok(())
}

fn token_row(row: &Row<'_>) -> rusqlite::Result<Token> {
    Ok(Token {
        id: row.get(0)?,
        user: row.get(1)?,
        label: row.get(2)?,
        scopes: scopes(&row.get::<_, String>(3)?),
        created_at: Stamp::from_micros(row.get(4)?),
    })
}

fn scopes(text: &str) -> Vec<Scope> {
    text.split(' ').filter_map(|word| word.parse().ok()).collect()
}

pub(super) fn add_token(ctx: &mut WriteContext<'_>, owner: &str, new: NewToken) -> Result<Token, Error> {
    let user = user(ctx.tx, owner)?.ok_or_else(|| Error::not_found("user"))?;
    let created_at = ctx.next_stamp();
    let words: Vec<&str> = new.scopes.iter().map(|s| s.as_str()).collect();
    ctx.tx.execute(
        "INSERT INTO tokens (id, user, hash, label, scopes, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![new.id, user.key.0, new.hash, new.label, words.join(" "), created_at.as_micros()],
    )?;
    moved(ctx)?;
    Ok(Token { id: new.id, user: user.id, label: new.label, scopes: new.scopes, created_at })
}

/// A page of tokens, the oldest first.
pub(super) fn tokens(conn: &Connection, user: Option<UserKey>, page: &ListQuery) -> Result<ListPage, Error> {
    let after: i64 = match &page.after {
        Some(id) => conn
            .prepare_cached("SELECT created_at FROM tokens WHERE id = ?1")?
            .query_row([id], |r| r.get(0))
            .optional()?
            .ok_or_else(|| {
                Error::invalid("after", "there is no such token any more: begin with the first page")
            })?,
        None => 0,
    };
    let (index, whose) = match user {
        Some(_) => ("tokens_by_user", "t.user = ?2"),
        None => ("tokens_by_age", "?2 IS NULL"),
    };
    let mut rows = conn.prepare_cached(&format!(
        "SELECT t.id, u.id, t.label, t.scopes, t.created_at FROM tokens t INDEXED BY {index}
         CROSS JOIN users u ON u.key = t.user WHERE {whose} AND t.created_at > ?1 AND u.id < '~'
         ORDER BY t.created_at"
    ))?;
    let mut rows = rows.query(params![after, user.map(|k| k.0)])?;
    let mut builder = PageBuilder::new(page.limit);
    while let Some(row) = rows.next()? {
        if !builder.push(&token_row(row)?)? {
            break;
        }
    }
    Ok(ListPage(builder.into_elements()))
}

pub(super) fn revoke(ctx: &mut WriteContext<'_>, id: &str, user: Option<UserKey>) -> Result<(), Error> {
    let gone = match user {
        Some(user) => {
            ctx.tx.execute("DELETE FROM tokens WHERE id = ?1 AND user = ?2", params![id, user.0])?
        }
        None => ctx.tx.execute("DELETE FROM tokens WHERE id = ?1", [id])?,
    };
    if gone == 0 {
        return Err(Error::not_found("token"));
    }
    moved(ctx)
}

pub(super) fn revoke_program_tokens(ctx: &mut WriteContext<'_>) -> Result<(), Error> {
    // The ids that begin so are those between it and itself with `.`, which comes right after `-`, at its end.
    let end = format!("{}.", PROGRAM_TOKEN_PREFIX.trim_end_matches('-'));
    let gone = ctx
        .tx
        .execute("DELETE FROM tokens WHERE id >= ?1 AND id < ?2", params![PROGRAM_TOKEN_PREFIX, end])?;
    if gone > 0 { moved(ctx) } else { Ok(()) }
}

pub(super) fn bearer(conn: &Connection, hash: &[u8; 32]) -> Result<Option<Bearer>, Error> {
    Ok(conn
        .prepare_cached(
            "SELECT u.key, u.id, u.name, t.id, t.scopes FROM tokens t JOIN users u ON u.key = t.user
             WHERE t.hash = ?1 AND u.id < '~'",
        )?
        .query_row([hash.as_slice()], |r| {
            Ok(Bearer {
                user: UserKey(r.get(0)?),
                id: r.get(1)?,
                name: r.get(2)?,
                token: r.get(3)?,
                scopes: scopes(&r.get::<_, String>(4)?),
            })
        })
        .optional()?)
}
