//! The table `revision_ids`: which notification a revision was of, by its stamp. Those who listen to a topic know a
//! revision by an id of its own, which has the stamp, also after a wrong clock's stamps were mended.

use rusqlite::{Connection, params};
use tidings_model::Stamp;
use tidings_store::Error;

use crate::sql;
use crate::write_tx::WriteTx;

/// Records the revision of a notification.
pub(crate) fn insert(ctx: &WriteTx<'_>, stamp: Stamp, created_at: Stamp) -> Result<(), Error> {
    let sql = "INSERT INTO revision_ids (stamp, created_at) VALUES (?1, ?2)";
    sql::run(ctx.tx, sql, [stamp.as_micros(), created_at.as_micros()]).map(drop)
}

/// The creation time of the notification that was revised at a stamp.
pub(crate) fn revised_at(conn: &Connection, stamp: Stamp) -> Result<Option<Stamp>, Error> {
    let sql = "SELECT created_at FROM revision_ids WHERE stamp = ?1";
    sql::first(conn, sql, [stamp.as_micros()], |r| Ok(Stamp::from_micros(r.get(0)?)))
}

/// Deletes at most `rows` ids of a notification's revisions; gives their number.
pub(crate) fn delete_of(ctx: &WriteTx<'_>, created_at: Stamp, rows: usize) -> Result<usize, Error> {
    let sql = "DELETE FROM revision_ids WHERE stamp IN (
                 SELECT stamp FROM revision_ids INDEXED BY revision_ids_by_notification WHERE created_at = ?1 LIMIT ?2)";
    sql::run(ctx.tx, sql, params![created_at.as_micros(), rows])
}
