//! Items that were too large to be taken: remembered, so that their reader can be told.

use rusqlite::{Connection, params};
use tidings_model::Stamp;

use crate::{Replica, Result, Skipped, SourceId, sources};

impl Replica {
    /// Remembers an item that was not taken; the pull goes on after it. One that comes after all is forgotten here.
    pub fn skip(&self, source: SourceId, skipped: &Skipped) -> Result<()> {
        let (skipped, now) = (skipped.clone(), self.clock.now());
        self.write(move |tx, ledger| {
            // How its source is doing is shown differently now.
            ledger.refetch = true;
            remember(tx, source, &skipped, now)
        })?;
        Ok(())
    }
}

fn remember(tx: &Connection, source: SourceId, skipped: &Skipped, now: Stamp) -> Result<()> {
    sources::one(tx, source)?;
    tx.prepare_cached(
        "INSERT INTO skipped (source, position, msgid, at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET msgid = ?3, at = ?4",
    )?
    .execute(params![source, skipped.position, skipped.msgid.as_str(), now.as_micros()])?;
    tx.prepare_cached(
        "DELETE FROM skipped WHERE source = ?1 AND position NOT IN
            (SELECT position FROM skipped WHERE source = ?1 ORDER BY position DESC LIMIT ?2)",
    )?
    .execute(params![source, i64::try_from(Skipped::REMEMBERED).unwrap_or(i64::MAX)])?;
    Ok(())
}

/// An item that was too large once came after all.
pub(crate) fn came(tx: &Connection, source: SourceId, msgid: &str) -> Result<()> {
    tx.prepare_cached("DELETE FROM skipped WHERE source = ?1 AND msgid = ?2")?
        .execute(params![source, msgid])?;
    Ok(())
}

/// Whether any item of a source was too large.
pub(crate) fn any(tx: &Connection, source: SourceId) -> Result<bool> {
    Ok(tx
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM skipped WHERE source = ?1)")?
        .query_row([source], |r| r.get(0))?)
}
