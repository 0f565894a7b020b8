//! Deletions by the server: an item is deleted with its dependent rows, and a tombstone is stored, so that an older
//! version cannot bring it back.

use rusqlite::Connection;
use tidings_model::{MsgId, Notification, Stamp};
use tidings_replica_tables::aggregates::Aggregates;
use tidings_replica_tables::item_state::ItemState;
use tidings_replica_tables::outbox::Named;
use tidings_replica_tables::{items, tombstones};

use super::Pull;
use crate::Result;
use crate::conversations::receipts;

impl Pull<'_> {
    /// Whether the stored tombstone of the item is newer than this version of it.
    pub(super) fn is_deleted(&mut self, n: &Notification) -> Result<bool> {
        let msgid = n.msgid.as_str();
        let Some((generation, stamp)) = tombstones::get(self.tx, self.source, msgid)? else {
            return Ok(false);
        };
        if n.stamp <= stamp {
            if generation < self.generation {
                // The deletion is of a history that the server has lost, so it is requested again.
                self.put_tombstone(&n.msgid, stamp)?;
                self.lost_deletions.push(Named { item: None, msgid: n.msgid.clone(), thread: 0 });
            }
            return Ok(true);
        }
        tombstones::forget(self.tx, self.source, msgid)?;
        Ok(false)
    }

    fn put_tombstone(&mut self, msgid: &MsgId, stamp: Stamp) -> Result<()> {
        self.has_tombstones = true;
        tombstones::put(self.tx, self.source, msgid.as_str(), self.generation, stamp)?;
        receipts::forget(self.tx, self.source, msgid.as_str())
    }

    pub(super) fn tombstone(&mut self, n: &Notification) -> Result<()> {
        let Some(before) = self.stored_item(&n.msgid)? else { return self.put_tombstone(&n.msgid, n.stamp) };
        if before.generation == self.generation && n.stamp <= before.stamp {
            return Ok(());
        }
        self.bury(&n.msgid, n.stamp, &before)
    }

    /// Deletes a stored item and stores its tombstone.
    pub(super) fn bury(&mut self, msgid: &MsgId, stamp: Stamp, before: &ItemState) -> Result<()> {
        self.put_tombstone(msgid, stamp)?;
        remove(self.tx, &mut self.aggregates, before)?;
        self.search_rows.retain(|row| row.item != before.id);
        self.unread_overrides.insert(before.id, false);
        Ok(())
    }
}

/// Deletes an item with its dependent rows.
pub(crate) fn remove(tx: &Connection, aggregates: &mut Aggregates<'_>, before: &ItemState) -> Result<()> {
    if before.deleted {
        aggregates.touch(before.thread)?;
    } else {
        let actor = items::other_actor(tx, before)?;
        aggregates.remove_item(before.thread, &before.flags(), actor.as_ref().map(|a| &*a.id))?;
    }
    items::delete(tx, before.id)
}
