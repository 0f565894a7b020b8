//! The table `skipped`: items that were too large to fetch, recorded so that the reader is informed.

use rusqlite::{Connection, params};
use tidings_model::Stamp;

use super::columns::limit;
use super::sources;
use super::sql;
use crate::{Replica, Result, Skipped, SourceId};

impl Replica {
    /// Records an item that was skipped; the pull continues after it. If the item arrives later, the record is
    /// deleted.
    ///
    /// # Errors
    /// [`Error::NoSource`](crate::Error::NoSource) if the source does not exist.
    pub fn skip(&self, source: SourceId, skipped: &Skipped) -> Result<()> {
        let (skipped, now) = (skipped.clone(), self.clock.now());
        self.write(move |tx, aggregates| {
            // The source's row shows the number of skipped items.
            aggregates.refetch = true;
            record(tx, source, &skipped, now)
        })?;
        Ok(())
    }
}

fn record(tx: &Connection, source: SourceId, skipped: &Skipped, now: Stamp) -> Result<()> {
    sources::one(tx, source)?;
    let sql = "INSERT INTO skipped (source, position, msgid, at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET msgid = ?3, at = ?4";
    sql::run(tx, sql, params![source, skipped.position, skipped.msgid.as_str(), now.as_micros()])?;
    let sql = "DELETE FROM skipped WHERE source = ?1 AND position NOT IN
            (SELECT position FROM skipped WHERE source = ?1 ORDER BY position DESC LIMIT ?2)";
    sql::run(tx, sql, params![source, limit(Skipped::MAX_RECORDED)]).map(drop)
}

/// Deletes the record of an item that has arrived.
pub(crate) fn forget(tx: &Connection, source: SourceId, msgid: &str) -> Result<()> {
    sql::run(tx, "DELETE FROM skipped WHERE source = ?1 AND msgid = ?2", params![source, msgid]).map(drop)
}

/// Whether a source has skipped items.
pub(crate) fn any(tx: &Connection, source: SourceId) -> Result<bool> {
    sql::one(tx, "SELECT EXISTS (SELECT 1 FROM skipped WHERE source = ?1)", [source], |r| r.get(0))
}
