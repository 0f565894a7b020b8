//! The tables `mark_jobs` and `mark_steps`: marks that take more than one transaction, and their remaining steps.

use rusqlite::{Connection, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::columns::json;
use super::sql;
use crate::Result;

/// The size of the steps that one transaction writes, in bytes.
pub const STEP_BYTES_PER_WRITE: usize = 256 << 10;
/// The most steps that one transaction discards.
const MAX_DISCARDED_STEPS: i64 = 50;

/// Inserts a job that is not ready to run yet, and returns its id.
pub fn insert(tx: &Connection) -> Result<i64> {
    sql::run(tx, "INSERT INTO mark_jobs (ready) VALUES (0)", [])?;
    Ok(tx.last_insert_rowid())
}

/// Appends steps, as JSON, to a job.
pub fn add_steps(tx: &Connection, job: i64, steps: &[String]) -> Result<()> {
    let sql = "INSERT INTO mark_steps (job, step) VALUES (?1, ?2)";
    steps.iter().try_for_each(|step| sql::run(tx, sql, params![job, step]).map(drop))
}

/// Marks a job as ready: all its steps are stored.
pub fn set_ready(tx: &Connection, job: i64) -> Result<()> {
    sql::run(tx, "UPDATE mark_jobs SET ready = 1 WHERE id = ?1", [job]).map(drop)
}

/// The oldest job, and whether it is ready to run.
pub fn first(conn: &Connection) -> Result<Option<(i64, bool)>> {
    sql::first(conn, "SELECT id, ready FROM mark_jobs WHERE id = (SELECT min(id) FROM mark_jobs)", [], |r| {
        Ok((r.get(0)?, r.get(1)?))
    })
}

/// The next step of a job; `None` if all are done.
pub fn next_step<S: DeserializeOwned>(conn: &Connection, job: i64) -> Result<Option<(i64, S)>> {
    sql::first(conn, "SELECT seq, step FROM mark_steps WHERE job = ?1 ORDER BY seq LIMIT 1", [job], |r| {
        Ok((r.get(0)?, json(r, 1)?))
    })
}

/// Deletes a step that is done, or replaces it by its remaining part.
pub fn step_done(tx: &Connection, seq: i64, left: Option<&impl Serialize>) -> Result<()> {
    match left {
        Some(left) => sql::run(
            tx,
            "UPDATE mark_steps SET step = ?2 WHERE seq = ?1",
            params![seq, serde_json::to_string(left)?],
        )?,
        None => sql::run(tx, "DELETE FROM mark_steps WHERE seq = ?1", [seq])?,
    };
    Ok(())
}

/// Discards some steps of a job, and after the last one the job itself; `false` when the job is gone.
pub fn discard(tx: &Connection, job: i64) -> Result<bool> {
    let sql = "DELETE FROM mark_steps WHERE seq IN (SELECT seq FROM mark_steps WHERE job = ?1 LIMIT ?2)";
    let gone = sql::run(tx, sql, [job, MAX_DISCARDED_STEPS])?;
    if gone > 0 {
        return Ok(true);
    }
    sql::run(tx, "DELETE FROM mark_jobs WHERE id = ?1", [job])?;
    Ok(false)
}
