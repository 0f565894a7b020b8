//! The table `open_questions`: publications that wait for an answer.

use rusqlite::Connection;
use tidings_model::{Content, Stamp};
use tidings_store::Error;

use crate::sql;
use crate::write_tx::WriteTx;

/// Adds the question of a publication, if it asks one, in place of one whose time is over. `asked_at` is the stamp of the
/// content that asks it, and zero if that is the first.
pub(crate) fn insert(
    ctx: &WriteTx<'_>,
    created_at: Stamp,
    content: &Content,
    asked_at: Stamp,
) -> Result<(), Error> {
    if let Some(due) = content.question.as_ref().and_then(|question| question.expires_at) {
        let sql = "INSERT OR REPLACE INTO open_questions (created_at, due, asked_at) VALUES (?1, ?2, ?3)";
        sql::run(ctx.tx, sql, [created_at.as_micros(), due.as_micros(), asked_at.as_micros()])?;
    }
    Ok(())
}

/// When a question was asked in place of an earlier one; zero for a first one, and if none waits.
pub(crate) fn asked_at(conn: &Connection, created_at: Stamp) -> Result<Stamp, Error> {
    let sql = "SELECT asked_at FROM open_questions WHERE created_at = ?1";
    let found = sql::first(conn, sql, [created_at.as_micros()], |r| Ok(Stamp::from_micros(r.get(0)?)))?;
    Ok(found.unwrap_or(Stamp::ZERO))
}

/// Removes a question that waits no more.
pub(crate) fn delete(ctx: &WriteTx<'_>, created_at: Stamp) -> Result<(), Error> {
    let sql = "DELETE FROM open_questions WHERE created_at = ?1";
    sql::run(ctx.tx, sql, [created_at.as_micros()]).map(drop)
}

/// When the next question's time is over.
pub(crate) fn next_due(conn: &Connection) -> Result<Option<Stamp>, Error> {
    let sql = "SELECT due FROM open_questions INDEXED BY open_questions_by_due WHERE due > 0
             ORDER BY due LIMIT 1";
    sql::first(conn, sql, [], |r| Ok(Stamp::from_micros(r.get(0)?)))
}

/// The publication of the first question whose time is over.
pub(crate) fn first_due(conn: &Connection, now: Stamp) -> Result<Option<Stamp>, Error> {
    let sql = "SELECT created_at FROM open_questions INDEXED BY open_questions_by_due WHERE due <= ?1
         ORDER BY due LIMIT 1";
    sql::first(conn, sql, [now.as_micros()], |r| Ok(Stamp::from_micros(r.get(0)?)))
}
