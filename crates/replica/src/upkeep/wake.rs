//! Waking of snoozed items. No operation is sent, because every device wakes them by itself.

use rusqlite::{Connection, params};
use tidings_model::Stamp;

use crate::Result;
use crate::aggregates::Aggregates;
use crate::tables::columns::{limit, time};
use crate::tables::item_state::ItemState;
use crate::tables::sql;

/// The most items that wake in one transaction.
const PORTION: usize = 250;

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
    let due = ItemState::select(tx, due, params![now.as_micros(), limit(PORTION)])?;
    let more = due.len() == PORTION;
    for was in due {
        let mut is = was.clone();
        is.derive(now);
        if !was.deleted {
            aggregates.change_item(is.thread, &was.flags(), &is.flags())?;
        }
        is.write(tx)?;
    }
    Ok(more)
}
