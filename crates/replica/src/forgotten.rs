//! What a server's retention removed goes here as well: every item created before a time, in portions between which
//! others write. Drafts, messages on their way and the marks of views stay.

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::Stamp;

use crate::apply::remove;
use crate::ledger::Ledger;
use crate::row::{self, BRIEF, Brief};
use crate::{Replica, Result, SourceId};

/// Items that are looked at in one transaction.
const PORTION: i64 = 200;

impl Replica {
    /// Takes away what the source's server removed, as far as that is still here.
    pub(crate) fn forget(&self, source: SourceId) -> Result<()> {
        while self.read(|conn| due(conn, source))?.is_some() {
            self.write(move |tx, ledger| portion(tx, ledger, source))?;
        }
        Ok(())
    }
}

/// Remembers what the server said; it only ever moves forward.
pub(crate) fn said(tx: &Connection, source: SourceId, before: Stamp) -> Result<()> {
    tx.prepare_cached(
        "UPDATE sources SET forgotten_before = ?2 WHERE id = ?1 AND ifnull(forgotten_before < ?2, 1)",
    )?
    .execute(params![source, before.as_micros()])?;
    Ok(())
}

/// From when to when items are still to be looked at; none where that is done.
fn due(conn: &Connection, source: SourceId) -> Result<Option<(Stamp, Stamp)>> {
    let found = conn
        .prepare_cached(
            "SELECT ifnull(swept_to, 0), forgotten_before FROM sources
             WHERE id = ?1 AND forgotten_before > ifnull(swept_to, 0)",
        )?
        .query_row([source], |r| Ok((row::stamp(r, 0)?, row::stamp(r, 1)?)))
        .optional()?;
    Ok(found)
}

/// Looks at the next items by time, of whatever source, and takes this one's away.
fn portion(tx: &Connection, ledger: &mut Ledger<'_>, source: SourceId) -> Result<()> {
    let Some((from, before)) = due(tx, source)? else { return Ok(()) };
    let sql = format!(
        "SELECT {BRIEF} FROM items i WHERE i.created_at >= ?1 AND i.created_at < ?2
         ORDER BY i.created_at, i.id LIMIT ?3"
    );
    let items: Vec<Brief> = tx
        .prepare_cached(&sql)?
        .query_map(params![from.as_micros(), before.as_micros(), PORTION], Brief::of)?
        .collect::<Result<_, _>>()?;
    let mut swept = before;
    if i64::try_from(items.len()).is_ok_and(|n| n == PORTION)
        && let Some(last) = items.last()
    {
        // Others of the same moment may follow; where all are of one moment, they were all looked at but for sources
        // that share it by chance.
        swept = if last.created_at > from { last.created_at } else { last.created_at.plus_micros(1) };
    }
    let mut receipts = tx.prepare_cached("DELETE FROM receipts WHERE source = ?1 AND msgid = ?2")?;
    for item in items.iter().filter(|item| item.source == source) {
        receipts.execute(params![source, item.msgid])?;
        remove(tx, ledger, item)?;
    }
    tx.prepare_cached("UPDATE sources SET swept_to = ?2 WHERE id = ?1")?
        .execute(params![source, swept.as_micros()])?;
    Ok(())
}
