//! The table `gotify_clients`. A client's name is its token's label.

use rusqlite::{Connection, ToSql, params};
use tidings_store::domain::account::{Token, UserKey};
use tidings_store::domain::limits;
use tidings_store::{Client, Error};

use crate::sql;
use crate::write_tx::WriteTx;

/// A user's clients that fulfil a condition.
fn select(condition: &str) -> String {
    format!(
        "SELECT c.id, t.label, t.created_at, c.last_used FROM gotify_clients c CROSS JOIN tokens t ON t.id = c.token
         WHERE c.user = ?1 {condition}"
    )
}

fn one(conn: &Connection, condition: &str, values: &[&dyn ToSql]) -> Result<Option<Client>, Error> {
    sql::first(conn, &select(condition), values, |r| Client::from_row(r))
}

/// A user's client, by its number.
pub(crate) fn get(conn: &Connection, user: UserKey, id: i64) -> Result<Option<Client>, Error> {
    one(conn, "AND c.id = ?2", &[&user.0, &id])
}

/// A user's client, by its token.
pub(crate) fn of_token(conn: &Connection, user: UserKey, token: &str) -> Result<Option<Client>, Error> {
    one(conn, "AND c.token = ?2", &[&user.0, &token])
}

/// A user's clients, by their numbers.
pub(crate) fn list(conn: &Connection, user: UserKey) -> Result<Vec<Client>, Error> {
    let sql = select("ORDER BY c.id");
    sql::all(conn, &sql, [user.0], |r| Client::from_row(r))
}

/// Adds a client with a token that was added before; `invalid` if the user has `most` of them.
pub(crate) fn add(ctx: &WriteTx<'_>, user: UserKey, token: Token, most: usize) -> Result<Client, Error> {
    let sql = "SELECT count(*) FROM gotify_clients WHERE user = ?1";
    let count: usize = sql::one(ctx.tx, sql, [user.0], |r| Ok(r.get(0)?))?;
    if count >= most {
        let detail = format!("a user may have {most} clients: remove one");
        return Err(Error::invalid("client", detail));
    }
    ctx.tx.execute("INSERT INTO gotify_clients (user, token) VALUES (?1, ?2)", params![user.0, token.id])?;
    let id = ctx.tx.last_insert_rowid();
    Ok(Client { id, name: token.label, created_at: token.created_at, last_used: None })
}

/// Records that a client is used now, unless that was recorded a short time ago.
pub(crate) fn used(ctx: &WriteTx<'_>, user: UserKey, token: &str) -> Result<(), Error> {
    let since = ctx.now.plus_secs(-limits::LAST_USED_SECS);
    let sql = "UPDATE gotify_clients SET last_used = ?3 WHERE token = ?2 AND user = ?1 AND last_used < ?4";
    sql::run(ctx.tx, sql, params![user.0, token, ctx.now.as_micros(), since.as_micros()]).map(drop)
}

/// The id of a client's token.
pub(crate) fn token_of(conn: &Connection, user: UserKey, id: i64) -> Result<Option<String>, Error> {
    let sql = "SELECT token FROM gotify_clients WHERE id = ?2 AND user = ?1";
    sql::first(conn, sql, [user.0, id], |r| Ok(r.get(0)?))
}
