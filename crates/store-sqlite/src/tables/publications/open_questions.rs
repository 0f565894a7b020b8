//! The table `open_questions`: publications that wait for an answer.

use rusqlite::{Connection, OptionalExtension};
use tidings_model::{Content, Stamp};
use tidings_store::Error;

use crate::write_tx::WriteTx;

/// Adds the question of a new publication, if it asks one.
pub(crate) fn insert(ctx: &WriteTx<'_>, created_at: Stamp, content: &Content) -> Result<(), Error> {
    if let Some(due) = content.question.as_ref().and_then(|question| question.expires_at) {
        ctx.tx
            .prepare_cached("INSERT INTO open_questions (created_at, due) VALUES (?1, ?2)")?
            .execute([created_at.as_micros(), due.as_micros()])?;
    }
    Ok(())
}

/// Removes a question that waits no more.
pub(crate) fn delete(ctx: &WriteTx<'_>, created_at: Stamp) -> Result<(), Error> {
    ctx.tx
        .prepare_cached("DELETE FROM open_questions WHERE created_at = ?1")?
        .execute([created_at.as_micros()])?;
    Ok(())
}

/// When the next question's time is over.
pub(crate) fn next_due(conn: &Connection) -> Result<Option<Stamp>, Error> {
    Ok(conn
        .prepare_cached(
            "SELECT due FROM open_questions INDEXED BY open_questions_by_due WHERE due > 0
             ORDER BY due LIMIT 1",
        )?
        .query_row([], |r| r.get(0).map(Stamp::from_micros))
        .optional()?)
}

/// The publication of the first question whose time is over.
pub(crate) fn first_due(conn: &Connection, now: Stamp) -> Result<Option<Stamp>, Error> {
    let sql = "SELECT created_at FROM open_questions INDEXED BY open_questions_by_due WHERE due <= ?1
         ORDER BY due LIMIT 1";
    Ok(conn
        .prepare_cached(sql)?
        .query_row([now.as_micros()], |r| r.get(0).map(Stamp::from_micros))
        .optional()?)
}
