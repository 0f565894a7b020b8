//! Waking of snoozed items. No operation is sent, because every device wakes them by itself.

use rusqlite::{Connection, params};
use tidings_model::Stamp;

use crate::Result;
use crate::aggregates::Aggregates;
use crate::tables::columns::{limit, time};
use crate::tables::item_state::ItemState;
use crate::tables::sql;

/// The most items that wake in one transaction.
const PORTION_ROWS: usize = 250;

/// The time at which the next item wakes.
pub(crate) fn next(conn: &Connection) -> Result<Option<Stamp>> {
    sql::one(conn, "SELECT min(snoozed_until) FROM items INDEXED BY items_asleep WHERE asleep = 1", [], |r| {
        time(r, 0)
    })
}

/// Wakes a portion of the due items; `true` if there may be more.
pub(crate) fn wake(tx: &Connection, aggregates: &mut Aggregates<'_>, now: Stamp) -> Result<bool> {
    let due = "INDEXED BY items_asleep WHERE i.asleep = 1 AND i.snoozed_until <= ?1
         ORDER BY i.snoozed_until LIMIT ?2";
    let due = ItemState::select(tx, due, params![now.as_micros(), limit(PORTION_ROWS)])?;
    let more = due.len() == PORTION_ROWS;
    for before in due {
        let mut after = before.clone();
        after.derive(now);
        if !before.deleted {
            aggregates.change_item(after.thread, &before.flags(), &after.flags())?;
        }
        after.write(tx)?;
    }
    Ok(more)
}
