//! What is done with and old goes off this computer. Refuses what is pinned, what waits to be sent, and to tell any
//! server: the item stays there.

use rusqlite::{Connection, params};
use tidings_model::Stamp;

use crate::Result;
use crate::apply::remove;
use crate::ledger::Ledger;
use crate::row::{BRIEF, Brief};

/// Takes items off that were archived before a time, the oldest first, at most so many.
pub(crate) fn apply_retention(
    tx: &Connection,
    ledger: &mut Ledger<'_>,
    before: Stamp,
    most: usize,
) -> Result<usize> {
    let sql = format!(
        "SELECT {BRIEF} FROM items i
         WHERE i.archived_at < ?1 AND i.deleted = 0
            AND NOT EXISTS (SELECT 1 FROM threads t WHERE t.id = i.thread AND t.pinned = 1)
            AND NOT EXISTS (SELECT 1 FROM outbox_items o WHERE o.item = i.id)
            AND NOT EXISTS (SELECT 1 FROM held h WHERE h.item = i.id)
         ORDER BY i.archived_at LIMIT ?2"
    );
    let old: Vec<Brief> = tx
        .prepare_cached(&sql)?
        .query_map(params![before.as_micros(), i64::try_from(most).unwrap_or(i64::MAX)], Brief::of)?
        .collect::<Result<_, _>>()?;
    let mut receipts = tx.prepare_cached(
        "DELETE FROM receipts WHERE (source, msgid) = (SELECT source, msgid FROM items WHERE id = ?1)",
    )?;
    for item in &old {
        receipts.execute([item.id])?;
        remove(tx, ledger, item)?;
    }
    Ok(old.len())
}
