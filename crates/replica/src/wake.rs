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

/// Wakes what is due.
pub(crate) fn wake(tx: &Connection, ledger: &mut Ledger<'_>, now: Stamp) -> Result<()> {
    let sql = format!("SELECT {BRIEF} FROM items i WHERE i.asleep = 1 AND i.snoozed_until <= ?1");
    let due: Vec<Brief> =
        tx.prepare_cached(&sql)?.query_map([now.as_micros()], Brief::of)?.collect::<Result<_, _>>()?;
    for was in due {
        let mut is = was.clone();
        is.derive(now);
        if !was.deleted {
            ledger.turn(is.thread, &was.facts(), &is.facts())?;
        }
        is.write(tx)?;
    }
    Ok(())
}
