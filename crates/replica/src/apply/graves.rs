//! What was deleted: taken away with everything that hangs on it, and remembered. Refuses to bring it back by an older
//! version.

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::{Notification, Stamp};

use super::Pull;
use crate::ledger::Ledger;
use crate::outbox::{self, Named};
use crate::row::{self, Brief};
use crate::{Result, search};

impl Pull<'_> {
    /// Whether the item was deleted here or there later than this version of it.
    pub(super) fn buried(&mut self, n: &Notification) -> Result<bool> {
        let found: Option<(i64, Stamp)> = self
            .tx
            .prepare_cached("SELECT generation, stamp FROM tombstones WHERE source = ?1 AND msgid = ?2")?
            .query_row(params![self.source, n.msgid.as_str()], |r| Ok((r.get(0)?, row::stamp(r, 1)?)))
            .optional()?;
        let Some((generation, stamp)) = found else { return Ok(false) };
        if n.stamp <= stamp {
            if generation < self.generation {
                // The server forgot that it was deleted.
                self.bury(n, stamp)?;
                let named = Named { item: None, msgid: n.msgid.clone(), thread: 0 };
                self.lost.push(named);
            }
            return Ok(true);
        }
        self.tx
            .prepare_cached("DELETE FROM tombstones WHERE source = ?1 AND msgid = ?2")?
            .execute(params![self.source, n.msgid.as_str()])?;
        Ok(false)
    }

    fn bury(&mut self, n: &Notification, stamp: Stamp) -> Result<()> {
        self.tombstones = true;
        self.tx
            .prepare_cached(
                "INSERT INTO tombstones (source, msgid, generation, stamp) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO UPDATE SET stamp = CASE WHEN generation < ?3 THEN ?4 ELSE max(stamp, ?4) END,
                    generation = ?3",
            )?
            .execute(params![self.source, n.msgid.as_str(), self.generation, stamp.as_micros()])?;
        self.tx
            .prepare_cached("DELETE FROM receipts WHERE source = ?1 AND msgid = ?2")?
            .execute(params![self.source, n.msgid.as_str()])?;
        Ok(())
    }

    pub(super) fn tombstone(&mut self, n: &Notification) -> Result<()> {
        let Some(was) = self.known(&n.msgid)? else { return self.bury(n, n.stamp) };
        if was.generation == self.generation && n.stamp <= was.stamp {
            return Ok(());
        }
        self.bury(n, n.stamp)?;
        remove(self.tx, &mut self.ledger, &was)?;
        self.found.retain(|(id, ..)| *id != was.id);
        self.turned.insert(was.id, false);
        Ok(())
    }
}

/// Takes an item away with everything that hangs on it.
pub(crate) fn remove(tx: &Connection, ledger: &mut Ledger<'_>, was: &Brief) -> Result<()> {
    if was.deleted {
        ledger.touch(was.thread)?;
    } else {
        let actor = outbox::other(tx, was)?;
        ledger.leave(was.thread, &was.facts(), actor.as_ref().map(|a| &*a.id))?;
    }
    tx.prepare_cached("DELETE FROM held WHERE item = ?1")?.execute([was.id])?;
    tx.prepare_cached("DELETE FROM outbox_items WHERE item = ?1")?.execute([was.id])?;
    search::forget(tx, was.id)?;
    tx.prepare_cached("DELETE FROM items WHERE id = ?1")?.execute([was.id])?;
    Ok(())
}
