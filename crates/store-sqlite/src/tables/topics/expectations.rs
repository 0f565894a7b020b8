//! The table `expectations`: what topics expect, and the state of that.

use rusqlite::{Connection, params};
use tidings_store::Error;
use tidings_store::domain::expectation::Expectation;

use crate::sql;
use crate::write_tx::WriteTx;

/// The topics that are to be looked at after so much running time, those first that wait longest.
pub(crate) fn due(conn: &Connection, ran: i64, limit: usize) -> Result<Vec<Expectation>, Error> {
    let sql = "SELECT topic, every_secs, seen_to, told_at, heard, missing FROM expectations INDEXED BY expectations_by_due
         WHERE due <= ?1 ORDER BY due, topic LIMIT ?2";
    sql::all(conn, sql, params![ran, limit], |row| Expectation::from_row(row))
}

/// Stores what a topic expects, and when to look at it again.
pub(crate) fn put(ctx: &WriteTx<'_>, expectation: &Expectation, due: i64) -> Result<(), Error> {
    let Expectation { topic, every_secs, seen_to, told_at, heard, missing } = expectation;
    let sql = "INSERT OR REPLACE INTO expectations (topic, every_secs, seen_to, told_at, heard, due, missing)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    sql::run(
        ctx.tx,
        sql,
        params![topic, every_secs, seen_to.as_micros(), told_at.as_micros(), heard, due, missing],
    )
    .map(drop)
}

/// Removes what a topic expects.
pub(crate) fn remove(ctx: &WriteTx<'_>, topic: &str) -> Result<(), Error> {
    sql::run(ctx.tx, "DELETE FROM expectations WHERE topic = ?1", [topic]).map(drop)
}
