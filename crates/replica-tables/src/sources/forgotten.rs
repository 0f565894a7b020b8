//! What a source's server does not have any more, and how far it is deleted here.

use rusqlite::{Connection, params};
use tidings_model::Stamp;

use super::super::columns::{stamp, time};
use super::super::sql;
use crate::{Result, SourceId};

/// Records that the server removed every item created before a time; an earlier time is ignored.
pub fn set_forgotten_before(tx: &Connection, id: SourceId, before: Stamp) -> Result<()> {
    let sql = "UPDATE sources SET forgotten_before = ?2 WHERE id = ?1 AND ifnull(forgotten_before < ?2, 1)";
    sql::run(tx, sql, params![id, before.as_micros()]).map(drop)
}

/// The time before which the server removed every item.
pub fn forgotten_before(tx: &Connection, id: SourceId) -> Result<Option<Stamp>> {
    sql::one(tx, "SELECT forgotten_before FROM sources WHERE id = ?1", [id], |r| time(r, 0))
}

/// The range of creation times in which removed items must still be deleted here; `None` when that is done.
pub fn left_to_delete(conn: &Connection, id: SourceId) -> Result<Option<(Stamp, Stamp)>> {
    let sql = "SELECT ifnull(swept_to, 0), forgotten_before FROM sources
             WHERE id = ?1 AND forgotten_before > ifnull(swept_to, 0)";
    sql::first(conn, sql, [id], |r| Ok((stamp(r, 0)?, stamp(r, 1)?)))
}

/// Records up to which time of creation removed items are deleted here.
pub fn set_deleted_up_to(tx: &Connection, id: SourceId, to: Stamp) -> Result<()> {
    sql::run(tx, "UPDATE sources SET swept_to = ?2 WHERE id = ?1", params![id, to.as_micros()]).map(drop)
}
