//! Keeping what came from a source that is not pulled any more: what waits to be sent to it is given up, in portions between
//! which others write. What a crash left is done when the replica is opened again.

use rusqlite::{Connection, params};

use crate::ledger::Ledger;
use crate::{ItemId, Replica, Result, SourceId, sources, talk};

/// Rows of one transaction.
const ROWS: usize = 500;

/// What waits to be sent, in an order in which nothing refers to what is gone.
pub(crate) const UNSENT: [&str; 4] = [
    "DELETE FROM outbox_items WHERE (op, item) IN (SELECT x.op, x.item FROM outbox o CROSS JOIN outbox_items x
        ON x.op = o.seq WHERE o.source = ?1 LIMIT ?2)",
    "DELETE FROM outbox_views WHERE (op, view) IN (SELECT x.op, x.view FROM outbox o CROSS JOIN outbox_views x
        ON x.op = o.seq WHERE o.source = ?1 LIMIT ?2)",
    "DELETE FROM outbox WHERE seq IN (SELECT seq FROM outbox WHERE source = ?1 LIMIT ?2)",
    "DELETE FROM drafts WHERE (source, key) IN (SELECT source, key FROM drafts WHERE source = ?1 LIMIT ?2)",
];

/// Makes it a paused source that cannot be pulled.
pub(crate) fn begin(tx: &Connection, id: SourceId) -> Result<()> {
    sources::one(tx, id)?;
    tx.execute(
        "UPDATE sources SET protocol = 'kept', paused = 1, paused_at = NULL, own = 0, cursor = NULL, epoch = NULL,
            complete = 1, counts = NULL, clearing = 1 WHERE id = ?1",
        [id],
    )?;
    Ok(())
}

fn clearing(conn: &Connection) -> Result<Vec<SourceId>> {
    let mut rows = conn.prepare_cached("SELECT id FROM sources WHERE clearing = 1 AND going = 0")?;
    Ok(rows.query_map([], |r| r.get(0))?.collect::<Result<_, _>>()?)
}

/// Whether it is still to be given up: a backup that was restored between two portions may have brought the source back.
fn is_clearing(conn: &Connection, id: SourceId) -> Result<bool> {
    let mut query = conn.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM sources WHERE id = ?1 AND clearing = 1 AND going = 0)",
    )?;
    Ok(query.query_row([id], |r| r.get(0))?)
}

/// Forgets what the server said of the source's items among the next of those with a mark that waits. Gives the last that
/// was looked at; none at the end.
fn forget_held(tx: &Connection, id: SourceId, after: ItemId) -> Result<Option<ItemId>> {
    if !is_clearing(tx, id)? {
        return Ok(None);
    }
    let held: Vec<(ItemId, SourceId)> = tx
        .prepare_cached(
            "SELECT h.item, i.source FROM held h CROSS JOIN items i ON i.id = h.item
             WHERE h.item > ?1 ORDER BY h.item LIMIT ?2",
        )?
        .query_map(params![after, i64::try_from(ROWS).unwrap_or(i64::MAX)], |r| Ok((r.get(0)?, r.get(1)?)))?
        .collect::<Result<_, _>>()?;
    let mut forget = tx.prepare_cached("DELETE FROM held WHERE item = ?1")?;
    for (item, _) in held.iter().filter(|(_, source)| *source == id) {
        forget.execute([item])?;
    }
    Ok(held.last().filter(|_| held.len() == ROWS).map(|(item, _)| *item))
}

/// Gives up a portion of what waits to be sent; `false` when there was nothing left.
fn portion(tx: &Connection, ledger: &mut Ledger<'_>, id: SourceId) -> Result<bool> {
    if !is_clearing(tx, id)? {
        return Ok(false);
    }
    let rows = i64::try_from(ROWS).unwrap_or(i64::MAX);
    for sql in UNSENT {
        if tx.prepare_cached(sql)?.execute(params![id, rows])? > 0 {
            return Ok(true);
        }
    }
    if talk::give_up(tx, ledger, id, rows)? {
        return Ok(true);
    }
    tx.prepare_cached("UPDATE sources SET clearing = 0 WHERE id = ?1")?.execute([id])?;
    ledger.refetch = true;
    Ok(false)
}

impl Replica {
    /// Whether something that waits to be sent is still to be given up.
    pub(crate) fn is_keeping_unfinished(&self) -> Result<bool> {
        Ok(!self.read(clearing)?.is_empty())
    }

    /// Gives up what waits to be sent to sources that are kept without being pulled.
    pub(crate) fn finish_keeping(&self) -> Result<()> {
        for id in self.read(clearing)? {
            let mut after = Some(0);
            while let Some(last) = after {
                (after, _) = self.write(move |tx, _| forget_held(tx, id, last))?;
            }
            while self.write(move |tx, ledger| portion(tx, ledger, id))?.0 {}
        }
        Ok(())
    }
}
