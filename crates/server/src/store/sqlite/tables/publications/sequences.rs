//! The table `sequences`: the names under which publishers revise their publications.

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::{MsgId, Stamp};

use crate::domain::draft::Draft;
use crate::error::Error;
use crate::store::sqlite::write_tx::WriteTx;

/// The publication with a sequence on a topic; `None` where it was deleted.
pub(crate) fn get(conn: &Connection, topic: &str, name: &str) -> Result<Option<(Stamp, MsgId)>, Error> {
    Ok(conn
        .prepare_cached(
            "SELECT n.created_at, n.msgid FROM sequences s JOIN notifications n ON n.created_at = s.created_at
             WHERE s.topic = ?1 AND s.name = ?2 AND n.revision <> 3",
        )?
        .query_row([topic, name], |r| Ok((Stamp::from_micros(r.get(0)?), MsgId(r.get(1)?))))
        .optional()?)
}

/// Records the sequence of a publication, where it has one.
pub(crate) fn set(ctx: &WriteTx<'_>, draft: &Draft, created_at: Stamp) -> Result<(), Error> {
    let (Some(name), Some(target)) = (&draft.sequence, &draft.target) else { return Ok(()) };
    ctx.tx
        .prepare_cached("INSERT OR REPLACE INTO sequences (topic, name, created_at) VALUES (?1, ?2, ?3)")?
        .execute(params![target.id, name, created_at.as_micros()])?;
    Ok(())
}
