//! The steps of long marks as they are written down.

use rusqlite::{Connection, OptionalExtension, params};

use super::Step;
use crate::{Result, row};

/// Steps of one transaction, in bytes.
pub(super) const BYTES: usize = 256 << 10;
/// Steps that are given up in one transaction.
const STEPS: i64 = 50;

/// A new job, which is not carried out yet.
pub(super) fn begin(tx: &Connection) -> Result<i64> {
    tx.prepare_cached("INSERT INTO mark_jobs (ready) VALUES (0)")?.execute([])?;
    Ok(tx.last_insert_rowid())
}

pub(super) fn add(tx: &Connection, job: i64, steps: &[String]) -> Result<()> {
    let mut add = tx.prepare_cached("INSERT INTO mark_steps (job, step) VALUES (?1, ?2)")?;
    for step in steps {
        add.execute(params![job, step])?;
    }
    Ok(())
}

/// All steps are there: the job is carried out from now on.
pub(super) fn ready(tx: &Connection, job: i64) -> Result<()> {
    tx.prepare_cached("UPDATE mark_jobs SET ready = 1 WHERE id = ?1")?.execute([job])?;
    Ok(())
}

/// The oldest job, and whether it is to be carried out.
pub(super) fn first(conn: &Connection) -> Result<Option<(i64, bool)>> {
    Ok(conn
        .prepare_cached("SELECT id, ready FROM mark_jobs WHERE id = (SELECT min(id) FROM mark_jobs)")?
        .query_row([], |r| Ok((r.get(0)?, r.get(1)?)))
        .optional()?)
}

/// The next step of a job; none where all are done.
pub(super) fn next(conn: &Connection, job: i64) -> Result<Option<(i64, Step)>> {
    Ok(conn
        .prepare_cached("SELECT seq, step FROM mark_steps WHERE job = ?1 ORDER BY seq LIMIT 1")?
        .query_row([job], |r| Ok((r.get(0)?, row::json(r, 1)?)))
        .optional()?)
}

/// A step was done, but for what is left.
pub(super) fn done(tx: &Connection, seq: i64, left: Option<&Step>) -> Result<()> {
    match left {
        Some(left) => tx
            .prepare_cached("UPDATE mark_steps SET step = ?2 WHERE seq = ?1")?
            .execute(params![seq, serde_json::to_string(left)?])?,
        None => tx.prepare_cached("DELETE FROM mark_steps WHERE seq = ?1")?.execute([seq])?,
    };
    Ok(())
}

/// Gives some steps of a job up, and with the last of them the job; `false` when it is gone.
pub(super) fn forget(tx: &Connection, job: i64) -> Result<bool> {
    let gone = tx
        .prepare_cached(
            "DELETE FROM mark_steps WHERE seq IN (SELECT seq FROM mark_steps WHERE job = ?1 LIMIT ?2)",
        )?
        .execute([job, STEPS])?;
    if gone > 0 {
        return Ok(true);
    }
    tx.prepare_cached("DELETE FROM mark_jobs WHERE id = ?1")?.execute([job])?;
    Ok(false)
}
