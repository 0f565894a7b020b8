//! The table `server_state`: the server's marks of items on which a local operation waits.

use rusqlite::{Connection, params};

use super::item_state::Marks;
use super::sql;
use crate::{ItemId, Result, SourceId};

/// Stores the server's marks of an item, received at this tick of its source.
pub(crate) fn put(tx: &Connection, item: ItemId, marks: &Marks, server_tick: i64) -> Result<()> {
    let [seen, read, archived, snoozed] = marks.micros();
    let sql = "INSERT INTO server_state (item, seen_at, read_at, archived_at, snoozed_until, server_tick)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT DO UPDATE SET seen_at = ?2, read_at = ?3, archived_at = ?4, snoozed_until = ?5, server_tick = ?6";
    sql::run(tx, sql, params![item, seen, read, archived, snoozed, server_tick]).map(drop)
}

/// Stores an item's marks before the first local operation on it; marks that are stored already stay.
pub(crate) fn put_if_absent(tx: &Connection, item: ItemId, marks: &Marks) -> Result<()> {
    if get(tx, item)?.is_none() { put(tx, item, marks, 0) } else { Ok(()) }
}

/// Like [`put_if_absent`], for many items at once, with the marks of their rows; `ids` is a JSON array.
pub(crate) fn put_all_if_absent(tx: &Connection, ids: &str) -> Result<()> {
    let sql =
        "INSERT OR IGNORE INTO server_state (item, seen_at, read_at, archived_at, snoozed_until, server_tick)
         SELECT id, seen_at, read_at, archived_at, snoozed_until, 0 FROM items
         WHERE id IN (SELECT value FROM json_each(?1))";
    sql::run(tx, sql, [ids]).map(drop)
}

/// The server's marks of an item, and the tick at which they were received; `None` if no operation waits.
pub(crate) fn get(tx: &Connection, item: ItemId) -> Result<Option<(Marks, i64)>> {
    let sql =
        "SELECT seen_at, read_at, archived_at, snoozed_until, server_tick FROM server_state WHERE item = ?1";
    sql::first(tx, sql, [item], |r| Ok((Marks::of(r, 0)?, r.get(4)?)))
}

/// Clears the read mark of an item that a view's mark makes read from now on.
pub(crate) fn clear_read(tx: &Connection, item: ItemId) -> Result<()> {
    sql::run(tx, "UPDATE server_state SET read_at = NULL WHERE item = ?1", [item]).map(drop)
}

pub(crate) fn forget(tx: &Connection, item: ItemId) -> Result<()> {
    sql::run(tx, "DELETE FROM server_state WHERE item = ?1", [item]).map(drop)
}

/// The next `rows` items after a row id, each with its source.
pub(crate) fn items_after(tx: &Connection, after: ItemId, rows: usize) -> Result<Vec<(ItemId, SourceId)>> {
    let sql = "SELECT h.item, i.source FROM server_state h CROSS JOIN items i ON i.id = h.item
             WHERE h.item > ?1 ORDER BY h.item LIMIT ?2";
    sql::all(tx, sql, [after, super::columns::limit(rows)], |r| Ok((r.get(0)?, r.get(1)?)))
}
