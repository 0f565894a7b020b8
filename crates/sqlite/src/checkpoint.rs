//! Copies the write-ahead log into the database file. SQLite's own way is that the commit which makes the log longer
//! than 4 MiB does it, so that the next write waits. If many large writes follow each other, that is much of the work.
//! So the log then grows to its bound, and is copied on connections of its own while others write.

use std::time::Duration;

use rusqlite::Connection;

use crate::open::{BUSY_TIMEOUT, copy_after};
use crate::{Bounds, Error, log};

/// A log this many times as long as a long one is copied while the next large write waits. If it were copied beside large writes, it
/// could grow by more than what is copied.
const MAX_LOGS: u64 = 3;

/// The copying that is due between two large writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Due {
    Nothing,
    /// The log is to be copied while large writes go on.
    Copy,
    /// The rest of it is to be copied before the next large write.
    CopyRest,
}

/// Says what is due; from now on commits copy nothing.
pub(crate) fn due(conn: &Connection, bounds: &Bounds) -> rusqlite::Result<Due> {
    copy_after(conn, bounds.max_log_pages)?;
    let (log, rest) = lengths(conn)?;
    Ok(if log < bounds.long_log_bytes as u64 {
        Due::Nothing
    } else if rest > bounds.large_rest_bytes as u64 && log < MAX_LOGS * bounds.long_log_bytes as u64 {
        Due::Copy
    } else {
        Due::CopyRest
    })
}

/// Copies what others wrote while the rest was copied, if that is little. If nothing is left the log begins anew at once, and not
/// with the next large write. The first commit of a log waits until what was written to it is on the disk. That includes
/// what a large write wrote that gave way to that commit.
pub(crate) fn finish(conn: &Connection, bounds: &Bounds) -> Result<(), Error> {
    if lengths(conn)?.1 > bounds.short_rest_bytes as u64 {
        return Ok(());
    }
    copy(conn)?;
    match lengths(conn)? {
        (1.., 0) => log::begin(conn),
        _ => Ok(()),
    }
}

/// The bytes of the log, and of its part that is not copied.
fn lengths(conn: &Connection) -> rusqlite::Result<(u64, u64)> {
    let bytes = |pages: i64| u64::try_from(pages).unwrap_or_default() * 4_096;
    conn.query_row("PRAGMA wal_checkpoint(NOOP)", [], |row| {
        let (log, copied): (i64, i64) = (row.get(1)?, row.get(2)?);
        Ok((bytes(log), bytes(log - copied)))
    })
}

/// Copies what no reader needs at this moment. Nobody waits for it, and it waits for nobody.
pub(crate) fn copy(conn: &Connection) -> rusqlite::Result<()> {
    conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
}

/// Copies and truncates a long log, unless a connection reads or writes at this moment; commits copy it again as usual.
pub(crate) fn when_idle(conn: &Connection, bounds: &Bounds) -> rusqlite::Result<()> {
    copy_after(conn, bounds.log_pages)?;
    let long = conn.path().is_some_and(|path| {
        std::fs::metadata(format!("{path}-wal")).is_ok_and(|log| log.len() > bounds.idle_log_bytes as u64)
    });
    if long {
        // Readers are not waited for.
        conn.busy_timeout(Duration::ZERO)?;
        let done = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        conn.busy_timeout(BUSY_TIMEOUT)?;
        done?;
    }
    Ok(())
}
