//! Which items are the user's own: decided anew when a source's user changes, in portions between which others write. What
//! a crash left is done when the replica is opened again; what is pulled meanwhile is decided by the new user at once.

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::{Kind, Stamp};

use crate::ledger::Ledger;
use crate::row::{BRIEF, Brief};
use crate::{Replica, Result, SourceId, outbox};

/// Items that are looked at in one transaction.
const PORTION: usize = 500;

/// Sources of which some items are still to be looked at.
fn unfinished(conn: &Connection) -> Result<Vec<SourceId>> {
    let mut rows = conn.prepare_cached("SELECT id FROM sources WHERE own_from IS NOT NULL AND going = 0")?;
    Ok(rows.query_map([], |r| r.get(0))?.collect::<Result<_, _>>()?)
}

/// All items of the source are to be looked at.
pub(crate) fn begin(tx: &Connection, id: SourceId) -> Result<()> {
    tx.prepare_cached("UPDATE sources SET own_from = '' WHERE id = ?1")?.execute([id])?;
    Ok(())
}

/// Looks at the next items of a source, in the order of their names; `false` when there is nothing left to do.
fn portion(tx: &Connection, ledger: &mut Ledger<'_>, id: SourceId, now: Stamp) -> Result<bool> {
    let found: Option<(Option<String>, String)> = tx
        .prepare_cached(
            "SELECT user, own_from FROM sources WHERE id = ?1 AND own_from IS NOT NULL AND going = 0",
        )?
        .query_row([id], |r| Ok((r.get(0)?, r.get(1)?)))
        .optional()?;
    let Some((user, from)) = found else { return Ok(false) };
    let sql = format!(
        "SELECT {BRIEF} FROM items i WHERE i.source = ?1 AND i.msgid > ?2 ORDER BY i.msgid LIMIT {PORTION}"
    );
    let items: Vec<Brief> =
        tx.prepare_cached(&sql)?.query_map(params![id, from], Brief::of)?.collect::<Result<_, _>>()?;
    for was in &items {
        decide(tx, ledger, was, user.as_deref(), now)?;
    }
    let next = items.last().filter(|_| items.len() == PORTION).map(|item| &item.msgid);
    tx.prepare_cached("UPDATE sources SET own_from = ?2 WHERE id = ?1")?.execute(params![id, next])?;
    Ok(next.is_some())
}

fn decide(
    tx: &Connection,
    ledger: &mut Ledger<'_>,
    was: &Brief,
    user: Option<&str>,
    now: Stamp,
) -> Result<()> {
    if was.kind == Kind::Reminder {
        return Ok(());
    }
    let Some(actor) = outbox::actor(tx, was.id)? else { return Ok(()) };
    let mut is = Brief { own: user == Some(actor.id.as_str()), ..was.clone() };
    if is.own == was.own {
        return Ok(());
    }
    is.derive(now);
    tx.prepare_cached("UPDATE items SET own = ?2 WHERE id = ?1")?.execute(params![is.id, is.own])?;
    is.write(tx)?;
    if was.deleted {
        return Ok(());
    }
    ledger.leave(was.thread, &was.facts(), Some(&*actor.id).filter(|_| !was.own))?;
    ledger.enter(is.thread, &is.facts(), Some(&actor).filter(|_| !is.own), None)
}

impl Replica {
    /// Whether some items of a source are still to be looked at.
    pub(crate) fn is_own_unfinished(&self) -> Result<bool> {
        Ok(!self.read(unfinished)?.is_empty())
    }

    /// Looks at all items that are still to be looked at.
    pub(crate) fn finish_own(&self) -> Result<()> {
        let now = self.clock.now();
        for id in self.read(unfinished)? {
            while self.write(move |tx, ledger| portion(tx, ledger, id, now))?.0 {}
        }
        Ok(())
    }
}
