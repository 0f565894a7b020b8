//! The table `stored_responses`: responses that are sent again for a known `Idempotency-Key`.

use rusqlite::{Connection, params};
use tidings_model::Stamp;
use tidings_store::domain::draft::stored_responses_expire;
use tidings_store::{Error, StoredResponse};

use crate::sql;
use crate::write_tx::WriteTx;

/// The stored response of a token's key, if it has not expired.
pub(crate) fn get(
    conn: &Connection,
    token: &str,
    key: &str,
    now: Stamp,
) -> Result<Option<StoredResponse>, Error> {
    let sql = "SELECT status, body, token_salt FROM stored_responses WHERE token = ?1 AND key = ?2 AND stored_at > ?3";
    sql::first(conn, sql, params![token, key, stored_responses_expire(now).as_micros()], |r| {
        Ok(StoredResponse { status: r.get(0)?, body: r.get(1)?, token_salt: r.get(2)? })
    })
}

pub(crate) fn put(ctx: &WriteTx<'_>, token: &str, key: &str, response: &StoredResponse) -> Result<(), Error> {
    let sql = "INSERT OR REPLACE INTO stored_responses (token, key, stored_at, status, body, token_salt)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    sql::run(
        ctx.tx,
        sql,
        params![token, key, ctx.now.as_micros(), response.status, response.body, response.token_salt],
    )
    .map(drop)
}
