//! The table `skipped`: items that were too large to be taken, remembered so that their reader can be told.

use rusqlite::{Connection, params};
use tidings_model::Stamp;

use super::columns::limit;
use super::sources;
use super::sql;
use crate::{Replica, Result, Skipped, SourceId};

impl Replica {
    /// Remembers an item that was not taken; the pull goes on after it. One that comes after all is forgotten.
    pub fn skip(&self, source: SourceId, skipped: &Skipped) -> Result<()> {
        let (skipped, now) = (skipped.clone(), self.clock.now());
        self.write(move |tx, aggregates| {
            // The source's row shows how many there are.
            aggregates.refetch = true;
            remember(tx, source, &skipped, now)
        })?;
        Ok(())
    }
}

fn remember(tx: &Connection, source: SourceId, skipped: &Skipped, now: Stamp) -> Result<()> {
    sources::one(tx, source)?;
    let sql = "INSERT INTO skipped (source, position, msgid, at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET msgid = ?3, at = ?4";
    sql::run(tx, sql, params![source, skipped.position, skipped.msgid.as_str(), now.as_micros()])?;
    let sql = "DELETE FROM skipped WHERE source = ?1 AND position NOT IN
            (SELECT position FROM skipped WHERE source = ?1 ORDER BY position DESC LIMIT ?2)";
    sql::run(tx, sql, params![source, limit(Skipped::REMEMBERED)]).map(drop)
}

/// An item that was too large has come after all.
pub(crate) fn forget(tx: &Connection, source: SourceId, msgid: &str) -> Result<()> {
    sql::run(tx, "DELETE FROM skipped WHERE source = ?1 AND msgid = ?2", params![source, msgid]).map(drop)
}

/// Whether any item of a source was too large.
pub(crate) fn any(tx: &Connection, source: SourceId) -> Result<bool> {
    sql::one(tx, "SELECT EXISTS (SELECT 1 FROM skipped WHERE source = ?1)", [source], |r| r.get(0))
}
