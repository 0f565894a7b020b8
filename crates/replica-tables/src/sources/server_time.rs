//! The clock of a source's server, and the waits that the server asked for.

use rusqlite::{Connection, params};
use tidings_model::Stamp;

use super::super::columns::time;
use super::super::sql;
use crate::{Error, Result, SourceId, Waits};

/// The columns of waits that the server asked for.
#[derive(Debug, Clone, Copy)]
pub enum Wait {
    /// No request.
    Requests,
    /// No pull that nobody asked for.
    Polls,
}

/// Stores that a server asked for a wait until a time, unless it asked for a longer one. A stored time after `most` was
/// set before the clock went back.
pub fn wait_until(tx: &Connection, id: SourceId, wait: Wait, until: Stamp, most: Stamp) -> Result<()> {
    let sql = match wait {
        Wait::Requests => {
            "UPDATE sources SET not_before = ?2 WHERE id = ?1 AND ifnull(not_before NOT BETWEEN ?2 AND ?3, 1)"
        }
        Wait::Polls => {
            "UPDATE sources SET poll_not_before = ?2
             WHERE id = ?1 AND ifnull(poll_not_before NOT BETWEEN ?2 AND ?3, 1)"
        }
    };
    sql::run(tx, sql, params![id, until.as_micros(), most.as_micros()]).map(drop)
}

/// The waits that a server asked for and that end after `now`, but not after `most`.
pub fn waits(conn: &Connection, id: SourceId, now: Stamp, most: Stamp) -> Result<Waits> {
    let sql = "SELECT not_before, poll_not_before FROM sources WHERE id = ?1 AND removing = 0";
    let stored = sql::first(conn, sql, [id], |r| Ok((time(r, 0)?, time(r, 1)?)))?;
    let (requests, polls) = stored.ok_or(Error::NoSource(id))?;
    let to_come = |until: &Stamp| *until > now && *until <= most;
    Ok(Waits { requests: requests.filter(to_come), polls: polls.filter(to_come) })
}

/// The clock of the source's server minus this machine's, in microseconds.
pub fn clock_offset(conn: &Connection, id: SourceId) -> Result<i64> {
    sql::one(conn, "SELECT clock_offset FROM sources WHERE id = ?1", [id], |r| r.get(0))
}

/// Stores [`clock_offset`].
pub fn set_clock_offset(tx: &Connection, id: SourceId, micros: i64) -> Result<()> {
    sql::run(tx, "UPDATE sources SET clock_offset = ?2 WHERE id = ?1", [id, micros]).map(drop)
}

/// The sources, each with its [`clock_offset`].
pub fn clock_offsets(conn: &Connection) -> Result<Vec<(SourceId, i64)>> {
    sql::all(conn, "SELECT id, clock_offset FROM sources", [], |r| Ok((r.get(0)?, r.get(1)?)))
}

/// The time by the clock of the source's server at which the reader does something now. It is never before what a pull
/// has shown, whatever this machine's clock says.
pub fn acted_at(tx: &Connection, id: SourceId, now: Stamp) -> Result<Stamp> {
    let sql = "SELECT clock_offset, iif(protocol = 'tidings', cursor, NULL) FROM sources WHERE id = ?1";
    let (offset, cursor): (i64, Option<String>) = sql::one(tx, sql, [id], |r| Ok((r.get(0)?, r.get(1)?)))?;
    let shown = cursor.and_then(|stamp| stamp.parse().ok()).unwrap_or_default();
    Ok(now.plus_micros(offset).max(shown))
}
