//! Copies the write-ahead log into the database file. SQLite's own way is that the commit which makes the log longer
//! than 4 MiB does it, so that the next write waits. If many large writes follow each other, that is much of the work.
//! So the log then grows to [`LONG_LOG_BYTES`], and is copied on connections of its own while others write.

use std::time::Duration;

use rusqlite::Connection;

use crate::open::{BUSY_TIMEOUT, WRITER_CACHE_KIB};

/// A log longer than this is copied. With four times as much a quarter less is written, but the copy of it makes short
/// writes wait 80 ms.
const LONG_LOG_BYTES: u64 = 64 * 1024 * 1024;
/// More than this is copied while large writes go on; less while the next of them waits, so that the copy ends.
const LARGE_REST_BYTES: u64 = 32 * 1024 * 1024;
/// At most this is copied on the writer's own connection. If nothing is left the log begins anew with the next write.
const SHORT_REST_BYTES: u64 = 2 * 1024 * 1024;
/// A commit that makes the log longer than this copies it even so, in pages of 4 KiB.
const MAX_LOG_PAGES: u32 = 64 * 1024;
/// SQLite's own bound, in pages.
const USUAL_LOG_PAGES: u32 = 1_000;
/// A log longer than this, in bytes, is copied and truncated once the writer is idle: after a crash the whole log is read
/// on opening.
const MAX_IDLE_LOG_BYTES: u64 = 4 * 1024 * 1024;

/// The page cache of large writes, in KiB.
const LARGE_CACHE_KIB: i64 = 48 * 1024;

/// The copying that is due between two large writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Due {
    Nothing,
    /// The log is to be copied while large writes go on.
    Copy,
    /// The rest of it is to be copied before the next large write.
    CopyRest,
}

/// Says what is due; from now on commits copy nothing, and fewer pages are written twice.
pub(crate) fn due(conn: &Connection) -> rusqlite::Result<Due> {
    conn.pragma_update(None, "wal_autocheckpoint", MAX_LOG_PAGES)?;
    conn.pragma_update(None, "cache_size", -LARGE_CACHE_KIB)?;
    let (log, rest) = lengths(conn)?;
    Ok(match log {
        ..LONG_LOG_BYTES => Due::Nothing,
        _ if rest > LARGE_REST_BYTES => Due::Copy,
        _ => Due::CopyRest,
    })
}

/// Copies what others wrote while the rest was copied, if that is little.
pub(crate) fn finish(conn: &Connection) -> rusqlite::Result<()> {
    if lengths(conn)?.1 <= SHORT_REST_BYTES { copy(conn) } else { Ok(()) }
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
pub(crate) fn when_idle(conn: &Connection) -> rusqlite::Result<()> {
    conn.pragma_update(None, "wal_autocheckpoint", USUAL_LOG_PAGES)?;
    conn.pragma_update(None, "cache_size", -WRITER_CACHE_KIB)?;
    let long = conn.path().is_some_and(|path| {
        std::fs::metadata(format!("{path}-wal")).is_ok_and(|log| log.len() > MAX_IDLE_LOG_BYTES)
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
