//! What was not told when it arrived, for toasts were silent: remembered until the silence is over, also by a program that
//! ends meanwhile. Refuses to know when that is.

use rusqlite::Connection;
use tidings_model::MsgId;

use crate::{ItemId, Replica, Result, SourceId, ThreadId};

/// An item that is still to be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeferredToast {
    /// Row id.
    pub item: ItemId,
    /// Its source.
    pub source: SourceId,
    /// Its thread.
    pub thread: ThreadId,
    /// Its name.
    pub msgid: MsgId,
    /// The priority in force.
    pub priority: u8,
    /// Whether its thread, or else its source, may sound; none as the settings have it.
    pub sound: Option<bool>,
}

/// Items that are remembered at most.
const KEPT: i64 = 10_000;

fn unread(conn: &Connection) -> Result<Vec<DeferredToast>> {
    let mut rows = conn.prepare_cached(
        "SELECT i.id, i.source, i.thread, i.msgid, i.priority, ifnull(t.sound, s.sound)
         FROM untold u CROSS JOIN items i ON i.id = u.item
            JOIN threads t ON t.id = i.thread JOIN sources s ON s.id = i.source
         WHERE i.unread = 1 ORDER BY i.created_at, i.id LIMIT 10000",
    )?;
    let deferred_toasts = rows.query_map([], |r| {
        Ok(DeferredToast {
            item: r.get(0)?,
            source: r.get(1)?,
            thread: r.get(2)?,
            msgid: MsgId(r.get(3)?),
            priority: r.get(4)?,
            sound: r.get(5)?,
        })
    })?;
    Ok(deferred_toasts.collect::<Result<_, _>>()?)
}

impl Replica {
    /// Remembers items that a silence held back, the newest 10,000 of them; those that are gone are passed over.
    pub fn defer_toasts(&self, items: Vec<ItemId>) -> Result<()> {
        self.write(move |tx, _| {
            let mut keep = tx.prepare_cached(
                "INSERT INTO untold (item) SELECT id FROM items WHERE id = ?1 ON CONFLICT DO NOTHING",
            )?;
            for item in items {
                keep.execute([item])?;
            }
            // Those that came last are told.
            tx.prepare_cached(
                "DELETE FROM untold WHERE item IN (SELECT item FROM untold ORDER BY item DESC LIMIT -1 OFFSET ?1)",
            )?
            .execute([KEPT])?;
            Ok(())
        })?;
        Ok(())
    }

    /// What a silence held back and nobody has read since, oldest first.
    pub fn deferred_toasts(&self) -> Result<Vec<DeferredToast>> {
        self.read(unread)
    }

    /// The silence is over, and all that came in it was told.
    pub fn clear_deferred_toasts(&self) -> Result<()> {
        self.write(|tx, _| Ok(tx.execute("DELETE FROM untold", []).map(drop)?))?;
        Ok(())
    }
}
