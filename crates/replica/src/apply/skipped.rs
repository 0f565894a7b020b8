//! The table `skipped`: items that were passed by because they were too large or could not be read, recorded so that the
//! reader is informed.

use rusqlite::{Connection, params};
use tidings_model::{MsgId, Stamp};
use tidings_replica_tables::columns::limit;
use tidings_replica_tables::sources;
use tidings_replica_tables::sql;

use crate::{Replica, Result, Skipped, SourceId};

impl Replica {
    /// Records items that were skipped, the latest [`Skipped::MAX_RECORDED`] of them; the pull continues after them. If one
    /// arrives later, its record is deleted.
    ///
    /// # Errors
    /// [`Error::NoSource`](crate::Error::NoSource) if the source does not exist.
    pub fn skip(&self, source: SourceId, skipped: &[Skipped]) -> Result<()> {
        let latest = skipped.len().saturating_sub(Skipped::MAX_RECORDED);
        let skipped: Vec<Skipped> = skipped.iter().skip(latest).cloned().collect();
        let now = self.clock.now();
        self.write(move |tx, aggregates| {
            sources::one(tx, source)?;
            for one in &skipped {
                // The source's row shows the number of skipped items.
                aggregates.refetch |= record(tx, source, one, now)?;
            }
            prune(tx, source)
        })?;
        Ok(())
    }

    /// The recorded items of a source that were skipped at or after a time, the latest first.
    pub fn skipped_since(&self, source: SourceId, since: Stamp) -> Result<Vec<Skipped>> {
        let sql = "SELECT position, msgid, malformed FROM skipped WHERE source = ?1 AND at >= ?2 ORDER BY at DESC, position";
        self.read(|conn| {
            sql::all(conn, sql, params![source, since.as_micros()], |r| {
                Ok(Skipped { position: r.get(0)?, msgid: MsgId(r.get(1)?), malformed: r.get(2)? })
            })
        })
    }
}

/// Records an item; `false` if it was recorded already, which a service that lists it again causes with every pull.
fn record(tx: &Connection, source: SourceId, skipped: &Skipped, now: Stamp) -> Result<bool> {
    let Skipped { position, msgid, malformed } = skipped;
    let sql =
        "UPDATE skipped SET at = ?4 WHERE source = ?1 AND position = ?2 AND msgid = ?3 AND malformed = ?5";
    let values = params![source, position, msgid.as_str(), now.as_micros(), malformed];
    if sql::run(tx, sql, values)? > 0 {
        return Ok(false);
    }
    let sql = "INSERT INTO skipped (source, position, msgid, at, malformed) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE SET msgid = ?3, at = ?4, malformed = ?5";
    sql::run(tx, sql, values)?;
    Ok(true)
}

fn prune(tx: &Connection, source: SourceId) -> Result<()> {
    let sql = "DELETE FROM skipped WHERE source = ?1 AND position NOT IN
            (SELECT position FROM skipped WHERE source = ?1 ORDER BY at DESC, position DESC LIMIT ?2)";
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
