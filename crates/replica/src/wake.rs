//! Snoozed items whose time has come. Refuses to send anything: every device wakes them by itself.

use rusqlite::Connection;
use tidings_model::Stamp;

use crate::Result;
use crate::ledger::Ledger;
use crate::row::{self, BRIEF, Brief};

/// The setting that keeps sleepers asleep when something new arrives in their thread; on unless it is `false`.
pub const EARLY_WAKE: &str = "early_wake";

/// When the next one wakes.
pub(crate) fn next(conn: &Connection) -> Result<Option<Stamp>> {
    Ok(conn
        .prepare_cached("SELECT min(snoozed_until) FROM items INDEXED BY items_asleep WHERE asleep = 1")?
        .query_row([], |r| row::time(r, 0))?)
}

/// Items that wake in one transaction.
const PORTION: usize = 250;

/// Wakes a portion of what is due; `true` where there is more.
pub(crate) fn wake(tx: &Connection, ledger: &mut Ledger<'_>, now: Stamp) -> Result<bool> {
    let sql = format!(
        "SELECT {BRIEF} FROM items i INDEXED BY items_asleep WHERE i.asleep = 1 AND i.snoozed_until <= ?1
         ORDER BY i.snoozed_until LIMIT {PORTION}"
    );
    let due: Vec<Brief> =
        tx.prepare_cached(&sql)?.query_map([now.as_micros()], Brief::of)?.collect::<Result<_, _>>()?;
    let more = due.len() == PORTION;
    for was in due {
        let mut is = was.clone();
        is.derive(now);
        if !was.deleted {
            ledger.turn(is.thread, &was.facts(), &is.facts())?;
        }
        is.write(tx)?;
    }
    Ok(more)
}
