//! The table `tombstones`: items that the server deleted, so that an older page cannot bring them back.

use rusqlite::{Connection, params};
use tidings_model::Stamp;

use super::columns::stamp;
use super::sql;
use crate::{Result, SourceId};

/// Whether a source has tombstones.
pub fn any(tx: &Connection, source: SourceId) -> Result<bool> {
    sql::one(tx, "SELECT EXISTS (SELECT 1 FROM tombstones WHERE source = ?1)", [source], |r| r.get(0))
}

/// The generation and stamp of an item's tombstone.
pub fn get(tx: &Connection, source: SourceId, msgid: &str) -> Result<Option<(i64, Stamp)>> {
    let sql = "SELECT generation, stamp FROM tombstones WHERE source = ?1 AND msgid = ?2";
    sql::first(tx, sql, params![source, msgid], |r| Ok((r.get(0)?, stamp(r, 1)?)))
}

/// Stores a tombstone; of two in one generation the later stamp stays.
pub fn put(tx: &Connection, source: SourceId, msgid: &str, generation: i64, at: Stamp) -> Result<()> {
    let sql = "INSERT INTO tombstones (source, msgid, generation, stamp) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET stamp = CASE WHEN generation < ?3 THEN ?4 ELSE max(stamp, ?4) END,
            generation = ?3";
    sql::run(tx, sql, params![source, msgid, generation, at.as_micros()]).map(drop)
}

/// Deletes the tombstone of an item, if there is one.
pub fn forget(tx: &Connection, source: SourceId, msgid: &str) -> Result<()> {
    sql::run(tx, "DELETE FROM tombstones WHERE source = ?1 AND msgid = ?2", params![source, msgid]).map(drop)
}
