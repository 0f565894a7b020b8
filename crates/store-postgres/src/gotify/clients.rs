//! The table `gotify_clients`. A client's name is its token's label.

use tidings_store::domain::account::{Token, UserKey};
use tidings_store::domain::limits;
use tidings_store::{Client, Error};

use crate::session::{Columns, Session, Values};
use crate::tx::WriteTx;

/// A user's clients that fulfil a condition.
fn select(condition: &str) -> String {
    format!(
        "SELECT c.id, t.label, t.created_at, c.last_used FROM gotify_clients c JOIN tokens t ON t.id = c.token
         WHERE c.user_key = $1 {condition}"
    )
}

async fn one(session: &Session, condition: &str, values: Values<'_>) -> Result<Option<Client>, Error> {
    session.query_opt(&select(condition), values).await?.as_ref().map(Client::from_row).transpose()
}

/// A user's client, by its number.
pub(super) async fn get(session: &Session, user: UserKey, id: i64) -> Result<Option<Client>, Error> {
    one(session, "AND c.id = $2", &[&user.0, &id]).await
}

/// A user's client, by its token.
pub(super) async fn of_token(session: &Session, user: UserKey, token: &str) -> Result<Option<Client>, Error> {
    one(session, "AND c.token = $2", &[&user.0, &token]).await
}

/// A user's clients, by their numbers.
pub(super) async fn list(session: &Session, user: UserKey) -> Result<Vec<Client>, Error> {
    session.query(&select("ORDER BY c.id"), &[&user.0]).await?.iter().map(Client::from_row).collect()
}

/// Adds a client with a token that was added before, to a user whose inbox is locked; `invalid` if there are `most` of them.
pub(super) async fn add(tx: &WriteTx<'_>, user: UserKey, token: Token, most: usize) -> Result<Client, Error> {
    let count = tx.query_one("SELECT count(*) FROM gotify_clients WHERE user_key = $1", &[&user.0]).await?;
    if count.count(0)? >= most {
        let detail = format!("a user may have {most} clients: remove one");
        return Err(Error::invalid("client", detail));
    }
    let sql = "INSERT INTO gotify_clients (user_key, token) VALUES ($1, $2) RETURNING id";
    let id = tx.query_one(sql, &[&user.0, &token.id]).await?.at(0)?;
    Ok(Client { id, name: token.label, created_at: token.created_at, last_used: None })
}

/// Records that a client is used now, unless that was recorded a short time ago.
pub(super) async fn used(tx: &WriteTx<'_>, user: UserKey, token: &str) -> Result<(), Error> {
    let (now, since) = (tx.now.as_micros(), tx.now.plus_secs(-limits::LAST_USED_SECS).as_micros());
    let sql =
        "UPDATE gotify_clients SET last_used = $3 WHERE token = $2 AND user_key = $1 AND last_used < $4";
    tx.execute(sql, &[&user.0, &token, &now, &since]).await?;
    Ok(())
}

/// The id of a client's token.
pub(super) async fn token_of(session: &Session, user: UserKey, id: i64) -> Result<Option<String>, Error> {
    let sql = "SELECT token FROM gotify_clients WHERE id = $2 AND user_key = $1";
    session.query_opt(sql, &[&user.0, &id]).await?.map(|row| row.at(0)).transpose()
}
