//! The table `mutes`: the sources and origins that are muted. A thread has its mute in its own row,
//! which is only read here.

use rusqlite::{Connection, Row, params};
use tidings_model::Stamp;

use super::columns::{count, limit, time};
use super::sql;
use crate::{Error, Mute, Result, SourceId, ThreadId};

/// Muted threads are counted up to this number.
const MAX_COUNTED_MUTED: i64 = 10_000;

/// Deletes a portion of the mutes of a source.
pub const DISCARD: &str = "DELETE FROM mutes WHERE (source, origin) IN
        (SELECT source, origin FROM mutes WHERE source = ?1 LIMIT ?2)";

fn mute(r: &Row<'_>) -> rusqlite::Result<Mute> {
    Ok(Mute { source: r.get(0)?, origin: r.get(1)?, until: time(r, 2)? })
}

/// All mutes of sources that are not being removed.
pub fn all(conn: &Connection) -> Result<Vec<Mute>> {
    let sql = "SELECT source, origin, until FROM mutes
         WHERE source IN (SELECT id FROM sources WHERE removing = 0) ORDER BY source, origin";
    sql::all(conn, sql, [], mute)
}

/// The muted origins of a source.
pub fn origins(conn: &Connection, source: SourceId) -> Result<Vec<Mute>> {
    let sql = "SELECT source, origin, until FROM mutes WHERE source = ?1 AND origin <> ''";
    sql::all(conn, sql, [source], mute)
}

/// The mute of a source or origin.
pub fn find(conn: &Connection, source: SourceId, origin: &str) -> Result<Option<Mute>> {
    let sql = "SELECT source, origin, until FROM mutes WHERE source = ?1 AND origin = ?2";
    sql::first(conn, sql, params![source, origin], mute)
}

/// The mutes of a source whose time is over at a time by its server's clock.
pub fn due(conn: &Connection, source: SourceId, server_time: Stamp) -> Result<Vec<Mute>> {
    let sql = "SELECT source, origin, until FROM mutes WHERE source = ?1 AND until <= ?2";
    sql::all(conn, sql, [source, server_time.as_micros()], mute)
}

/// The time at which the first mute of a source ends, by its server's clock.
pub fn next_end(conn: &Connection, source: SourceId) -> Result<Option<Stamp>> {
    sql::one(conn, "SELECT min(until) FROM mutes WHERE source = ?1", [source], |r| time(r, 0))
}

/// Stores a mute in place of one of the same source or origin.
///
/// # Errors
/// [`Error::Invalid`] if there are [`Mute::MAX`] already.
pub fn put(tx: &Connection, mute: &Mute) -> Result<()> {
    let is_full: bool = sql::one(tx, "SELECT count(*) >= ?1 FROM mutes", [limit(Mute::MAX)], |r| r.get(0))?;
    if is_full && find(tx, mute.source, &mute.origin)?.is_none() {
        return Err(Error::Invalid(format!("at most {} sources and topics can be muted", Mute::MAX)));
    }
    let sql = "INSERT INTO mutes (source, origin, until) VALUES (?1, ?2, ?3)
         ON CONFLICT DO UPDATE SET until = ?3";
    sql::run(tx, sql, params![mute.source, mute.origin, mute.until.map(Stamp::as_micros)]).map(drop)
}

/// Deletes a mute.
pub fn remove(tx: &Connection, source: SourceId, origin: &str) -> Result<()> {
    sql::run(tx, "DELETE FROM mutes WHERE source = ?1 AND origin = ?2", params![source, origin]).map(drop)
}

/// The time at which the first mute of a source's threads ends, by its server's clock.
pub fn next_unmute(conn: &Connection, source: SourceId) -> Result<Option<Stamp>> {
    let sql = "SELECT min(muted_until) FROM threads INDEXED BY threads_muted_until
             WHERE source = ?1 AND muted_until IS NOT NULL";
    sql::one(conn, sql, [source], |r| time(r, 0))
}

/// Threads of a source whose mute is over at a time by its server's clock, at most this many.
pub fn to_unmute(
    tx: &Connection,
    source: SourceId,
    server_time: Stamp,
    most: usize,
) -> Result<Vec<ThreadId>> {
    let sql = "SELECT id FROM threads INDEXED BY threads_muted_until
             WHERE source = ?1 AND muted_until <= ?2 ORDER BY muted_until LIMIT ?3";
    sql::all(tx, sql, params![source, server_time.as_micros(), limit(most)], |r| r.get(0))
}

/// The listed threads that are muted by themselves: those whose mute ends first, then the newest of the others; with the
/// number of all, up to a bound.
pub fn muted_threads(conn: &Connection, most: usize) -> Result<(Vec<ThreadId>, u64)> {
    let own = "muted = 1 AND place < 3 AND origin_mute <> 1
             AND source IN (SELECT id FROM sources WHERE removing = 0)";
    let ids = |sql: &str, most: usize| sql::all(conn, sql, [limit(most)], |r| r.get::<_, ThreadId>(0));
    let mut found = ids(
        &format!(
            "SELECT id FROM threads WHERE muted_until IS NOT NULL AND {own} ORDER BY muted_until LIMIT ?1"
        ),
        most,
    )?;
    found.extend(ids(
        &format!(
            "SELECT id FROM threads INDEXED BY threads_muted WHERE muted_until IS NULL AND {own}
             ORDER BY last_at DESC, id DESC LIMIT ?1"
        ),
        most.saturating_sub(found.len()),
    )?);
    let sql =
        format!("SELECT count(*) FROM (SELECT 1 FROM threads INDEXED BY threads_muted WHERE {own} LIMIT ?1)");
    let all = sql::one(conn, &sql, [MAX_COUNTED_MUTED], |r| count(r, 0))?;
    Ok((found, all))
}
