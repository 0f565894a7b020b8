//! The table `sequences`: the names under which publishers revise their publications. Each publisher has names of its own.

use rusqlite::{Connection, Row, params};
use tidings_model::{MsgId, Stamp};
use tidings_store::Error;
use tidings_store::domain::draft::Draft;
use tidings_store::named::{NEWEST_NAMED, Named};

use crate::sql;
use crate::write_tx::WriteTx;

fn from_row(row: &Row<'_>) -> Result<Named, Error> {
    let item = Some((Stamp::from_micros(row.get(1)?), MsgId(row.get(2)?)));
    Ok(Named { publisher: row.get(0)?, item })
}

/// The publication of a publisher with a sequence on a topic; `None` if it was deleted.
pub(crate) fn get(
    conn: &Connection,
    topic: &str,
    name: &str,
    publisher: i64,
) -> Result<Option<Named>, Error> {
    let sql = "SELECT s.publisher, n.created_at, n.msgid FROM sequences s
             JOIN notifications n ON n.created_at = s.created_at
             WHERE s.topic = ?1 AND s.name = ?2 AND s.publisher = ?3 AND n.revision <> 3";
    sql::first(conn, sql, params![topic, name, publisher], from_row)
}

/// The newest publication of anybody with a sequence on a topic, among [`NEWEST_NAMED`].
pub(crate) fn newest(conn: &Connection, topic: &str, name: &str) -> Result<Option<Named>, Error> {
    let sql = "SELECT s.publisher, n.created_at, n.msgid FROM (
                 SELECT publisher, created_at FROM sequences INDEXED BY sequences_by_age
                 WHERE topic = ?1 AND name = ?2 ORDER BY created_at DESC LIMIT ?3) s
             CROSS JOIN notifications n ON n.created_at = s.created_at
             WHERE n.revision <> 3 ORDER BY s.created_at DESC LIMIT 1";
    sql::first(conn, sql, params![topic, name, NEWEST_NAMED], from_row)
}

/// Records the sequence of a publication, if it has one.
pub(crate) fn set(ctx: &WriteTx<'_>, draft: &Draft, created_at: Stamp) -> Result<(), Error> {
    let (Some(name), Some(target)) = (&draft.sequence, &draft.target) else { return Ok(()) };
    let sql = "INSERT OR REPLACE INTO sequences (topic, name, publisher, created_at) VALUES (?1, ?2, ?3, ?4)";
    sql::run(ctx.tx, sql, params![target.id, name, draft.posted_by.key(), created_at.as_micros()]).map(drop)
}

/// Deletes the names of a publication.
pub(crate) fn delete_of(ctx: &WriteTx<'_>, created_at: Stamp) -> Result<(), Error> {
    sql::run(ctx.tx, "DELETE FROM sequences WHERE created_at = ?1", [created_at.as_micros()]).map(drop)
}
