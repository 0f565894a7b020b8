//! Work on a source that takes several transactions: its removal, what is kept of it, and whose items are the reader's.

use rusqlite::{Connection, params};

use super::super::{outbox, sql};
use super::one;
use crate::{Result, SourceId};

/// Work on a source that takes several transactions. A column of its row marks it as unfinished.
#[derive(Debug, Clone, Copy)]
pub enum Unfinished {
    /// The source is being removed with its items, and is hidden.
    Removal,
    /// The source is kept without being pulled; its outbox is being discarded.
    Discarding,
    /// The user's own items are being determined again.
    OwnRecheck,
}

/// The sources with unfinished work of this type.
pub fn unfinished(conn: &Connection, work: Unfinished) -> Result<Vec<SourceId>> {
    sql::all(
        conn,
        match work {
            Unfinished::Removal => "SELECT id FROM sources WHERE removing = 1",
            Unfinished::Discarding => "SELECT id FROM sources WHERE discarding = 1 AND removing = 0",
            Unfinished::OwnRecheck => {
                "SELECT id FROM sources WHERE own_recheck_from IS NOT NULL AND removing = 0"
            }
        },
        [],
        |r| r.get(0),
    )
}

/// Whether a source still has such work. A restore between two portions may have brought back the source as it was
/// before.
pub fn is_unfinished(conn: &Connection, id: SourceId, work: Unfinished) -> Result<bool> {
    Ok(unfinished(conn, work)?.contains(&id))
}

/// Hides a source that is being removed: frees its name and clears its address and user.
pub fn begin_removal(tx: &Connection, id: SourceId) -> Result<()> {
    one(tx, id)?;
    let sql = "UPDATE sources SET removing = 1, name = ?2, url = '', user = NULL, own = 0, paused = 1, cursor = NULL,
            server_counts = NULL, catalog = NULL WHERE id = ?1";
    sql::run(tx, sql, params![id, outbox::new_id()]).map(drop)
}

/// Deletes a source that is being removed, after its last dependent row.
pub fn delete(tx: &Connection, id: SourceId) -> Result<()> {
    for sql in
        ["DELETE FROM counters WHERE source = ?1", "DELETE FROM sources WHERE id = ?1 AND removing = 1"]
    {
        sql::run(tx, sql, [id])?;
    }
    Ok(())
}

/// Turns a source into a paused one that cannot be pulled.
pub fn begin_keeping(tx: &Connection, id: SourceId) -> Result<()> {
    one(tx, id)?;
    tx.execute(
        "UPDATE sources SET protocol = 'kept', paused = 1, paused_at = NULL, own = 0, cursor = NULL, epoch = NULL,
            complete = 1, server_counts = NULL, discarding = 1 WHERE id = ?1",
        [id],
    )?;
    Ok(())
}

/// The sources that are kept without being pulled and have operations in the outbox.
pub fn kept_with_operations(conn: &Connection) -> Result<Vec<SourceId>> {
    let sql = "SELECT id FROM sources WHERE protocol = 'kept' AND removing = 0 AND discarding = 0
             AND EXISTS (SELECT 1 FROM outbox WHERE source = sources.id AND answered IS NULL)";
    sql::all(conn, sql, [], |r| r.get(0))
}

/// Records that the outbox of a kept source is empty.
pub fn end_keeping(tx: &Connection, id: SourceId) -> Result<()> {
    sql::run(tx, "UPDATE sources SET discarding = 0 WHERE id = ?1", [id]).map(drop)
}

/// Sets the msgid after which own items are still to be determined; `None` when that is done.
pub fn set_own_recheck(tx: &Connection, id: SourceId, from: Option<&str>) -> Result<()> {
    sql::run(tx, "UPDATE sources SET own_recheck_from = ?2 WHERE id = ?1", params![id, from]).map(drop)
}

/// The source's user, and the msgid after which items are still to be examined.
pub fn own_recheck(tx: &Connection, id: SourceId) -> Result<Option<(Option<String>, String)>> {
    let sql = "SELECT user, own_recheck_from FROM sources
             WHERE id = ?1 AND own_recheck_from IS NOT NULL AND removing = 0";
    sql::first(tx, sql, [id], |r| Ok((r.get(0)?, r.get(1)?)))
}
