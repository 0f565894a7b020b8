//! The table `deferred_toasts`: items that arrived while toasts were silenced, until the silence ends; it survives
//! the end of the program. The app decides when the silence ends.

use rusqlite::Connection;
use tidings_model::MsgId;
use tidings_replica_tables::sql;

use crate::{ItemId, Replica, Result, SourceId, ThreadId};

/// An item whose toast is deferred.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeferredToast {
    /// The item's row id.
    pub item: ItemId,
    /// Its source.
    pub source: SourceId,
    /// Its thread.
    pub thread: ThreadId,
    /// The thread's key.
    pub key: String,
    /// Its msgid.
    pub msgid: MsgId,
    /// The priority in force: the server's, or a rule's.
    pub priority: u8,
    /// Whether a toast of its thread may make a sound, by the thread's settings or else its source's; `None` if
    /// neither sets it.
    pub sound: Option<bool>,
}

/// The most rows; the newest are kept.
const MAX_DEFERRED: i64 = 10_000;

fn all_unread(conn: &Connection) -> Result<Vec<DeferredToast>> {
    let sql =
        "SELECT i.id, i.source, i.thread, i.msgid, i.priority, ifnull(t.notify_sound, s.notify_sound), t.key
         FROM deferred_toasts d CROSS JOIN items i ON i.id = d.item
            JOIN threads t ON t.id = i.thread JOIN sources s ON s.id = i.source
         WHERE i.unread = 1 ORDER BY i.listed_at, i.id LIMIT 10000";
    sql::all(conn, sql, [], |r| {
        Ok(DeferredToast {
            item: r.get(0)?,
            source: r.get(1)?,
            thread: r.get(2)?,
            key: r.get(6)?,
            msgid: MsgId(r.get(3)?),
            priority: r.get(4)?,
            sound: r.get(5)?,
        })
    })
}

impl Replica {
    /// Records items whose toasts are deferred, the newest 10,000 of all; items that do not exist are skipped.
    pub fn defer_toasts(&self, items: Vec<ItemId>) -> Result<()> {
        self.write(move |tx, _| {
            let mut insert = tx.prepare_cached(
                "INSERT INTO deferred_toasts (item) SELECT id FROM items WHERE id = ?1 ON CONFLICT DO NOTHING",
            )?;
            for item in items {
                insert.execute([item])?;
            }
            sql::run(tx, "DELETE FROM deferred_toasts WHERE item IN (SELECT item FROM deferred_toasts ORDER BY item DESC LIMIT -1 OFFSET ?1)", [MAX_DEFERRED]).map(drop)
        })?;
        Ok(())
    }

    /// Deferred toasts of items that are still unread, oldest first.
    pub fn deferred_toasts(&self) -> Result<Vec<DeferredToast>> {
        self.read(all_unread)
    }

    /// Deletes deferred toasts, after the silence has ended and they were shown.
    pub fn forget_deferred_toasts(&self, items: &[ItemId]) -> Result<()> {
        let items = serde_json::to_string(items)?;
        self.write(move |tx, _| {
            sql::run(
                tx,
                "DELETE FROM deferred_toasts WHERE item IN (SELECT value FROM json_each(?1))",
                [items],
            )
            .map(drop)
        })?;
        Ok(())
    }

    /// Deletes all deferred toasts, after every silence has ended.
    pub fn clear_deferred_toasts(&self) -> Result<()> {
        self.write(|tx, _| Ok(tx.execute("DELETE FROM deferred_toasts", []).map(drop)?))?;
        Ok(())
    }
}
