//! The table `server_runs`: when a server ran and looked at what topics expect.

use rusqlite::{Connection, params};
use tidings_model::Stamp;
use tidings_store::Error;
use tidings_store::domain::expectation::{RUNS, Running};

use crate::sql;
use crate::write_tx::WriteTx;

/// Looks now; gives the run that the look belongs to.
pub(crate) fn look(ctx: &WriteTx<'_>) -> Result<Running, Error> {
    let sql = "SELECT began, ended, ran_before, id FROM server_runs WHERE id > 0 ORDER BY id DESC LIMIT 1";
    let last = sql::first(ctx.tx, sql, [], |row| Ok((Running::from_row(row)?, row.get::<_, i64>(3)?)))?;
    let (run, is_new) = Running::look(last.map(|(run, _)| run), ctx.now);
    let id = last.map_or(0, |(_, id)| id) + i64::from(is_new);
    let sql = "INSERT OR REPLACE INTO server_runs (id, began, ended, ran_before) VALUES (?1, ?2, ?3, ?4)";
    sql::run(ctx.tx, sql, params![id, run.began.as_micros(), run.ended.as_micros(), run.ran_before])?;
    if is_new {
        sql::run(ctx.tx, "DELETE FROM server_runs WHERE id <= ?1 - ?2", params![id, RUNS])?;
    }
    Ok(run)
}

/// The running time at a stamp, microseconds; zero if it is before all that is remembered.
pub(crate) fn ran_at(conn: &Connection, stamp: Stamp) -> Result<i64, Error> {
    let sql = "SELECT began, ended, ran_before FROM server_runs WHERE id > 0 AND began <= ?1 ORDER BY id DESC LIMIT 1";
    let run = sql::first(conn, sql, [stamp.as_micros()], |row| Running::from_row(row))?;
    Ok(run.map_or(0, |run| run.ran_at(stamp)))
}
