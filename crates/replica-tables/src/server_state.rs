//! The table `server_state`: the server's marks of items on which a local operation waits.

use rusqlite::{Connection, params};

use super::columns::json;
use super::item_state::Marks;
use super::sql;
use crate::{ItemId, Result, SourceId};

/// The server's marks of an item.
#[derive(Debug, Clone, Copy)]
pub struct ServerState {
    /// The marks.
    pub marks: Marks,
    /// The tick of the source at which they were received; zero if that was before the operation that waits.
    pub tick: i64,
    /// The marks with the operations that the server answered and may have left aside.
    pub assumed: Option<Marks>,
}

impl ServerState {
    /// The marks on top of which those go that wait.
    #[inline]
    pub fn expected(&self) -> Marks {
        self.assumed.unwrap_or(self.marks)
    }
}

/// Stores the server's marks of an item.
pub fn put(tx: &Connection, item: ItemId, state: &ServerState) -> Result<()> {
    let [seen, read, archived, snoozed] = state.marks.micros();
    let assumed = state.assumed.as_ref().map(serde_json::to_string).transpose()?;
    let sql =
        "INSERT INTO server_state (item, seen_at, read_at, archived_at, snoozed_until, server_tick, assumed)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT DO UPDATE SET seen_at = ?2, read_at = ?3, archived_at = ?4, snoozed_until = ?5, server_tick = ?6,
            assumed = ?7";
    sql::run(tx, sql, params![item, seen, read, archived, snoozed, state.tick, assumed]).map(drop)
}

/// Stores an item's marks before the first local operation on it; marks that are stored already stay.
pub fn put_if_absent(tx: &Connection, item: ItemId, marks: &Marks) -> Result<()> {
    if get(tx, item)?.is_some() {
        return Ok(());
    }
    put(tx, item, &ServerState { marks: *marks, tick: 0, assumed: None })
}

/// Like [`put_if_absent`], for many items at once, with the marks of their rows; `ids` is a JSON array.
pub fn put_all_if_absent(tx: &Connection, ids: &str) -> Result<()> {
    let sql =
        "INSERT OR IGNORE INTO server_state (item, seen_at, read_at, archived_at, snoozed_until, server_tick)
         SELECT id, seen_at, read_at, archived_at, snoozed_until, 0 FROM items
         WHERE id IN (SELECT value FROM json_each(?1))";
    sql::run(tx, sql, [ids]).map(drop)
}

/// The server's marks of an item; `None` if no operation waits and nothing is assumed.
pub fn get(tx: &Connection, item: ItemId) -> Result<Option<ServerState>> {
    let sql = "SELECT seen_at, read_at, archived_at, snoozed_until, server_tick, assumed IS NOT NULL, ifnull(assumed, 'null')
             FROM server_state WHERE item = ?1";
    sql::first(tx, sql, [item], |r| {
        let assumed = if r.get(5)? { Some(json(r, 6)?) } else { None };
        Ok(ServerState { marks: Marks::of(r, 0)?, tick: r.get(4)?, assumed })
    })
}

/// Clears the read mark of an item that a view's mark makes read from now on.
pub fn clear_read(tx: &Connection, item: ItemId) -> Result<()> {
    sql::run(
        tx,
        "UPDATE server_state SET read_at = NULL, assumed = json_set(assumed, '$.read', NULL) WHERE item = ?1",
        [item],
    )
    .map(drop)
}

/// The items of a source on which the effect of an operation is assumed, at most `rows`.
pub fn assumed(tx: &Connection, source: SourceId, rows: usize) -> Result<Vec<ItemId>> {
    let sql = "SELECT h.item FROM server_state h CROSS JOIN items i ON i.id = h.item
             WHERE h.assumed IS NOT NULL AND i.source = ?1 LIMIT ?2";
    sql::all(tx, sql, params![source, super::columns::limit(rows)], |r| r.get(0))
}

/// Deletes the server's marks of an item.
pub fn forget(tx: &Connection, item: ItemId) -> Result<()> {
    sql::run(tx, "DELETE FROM server_state WHERE item = ?1", [item]).map(drop)
}

/// The next `rows` items after a row id, each with its source.
pub fn items_after(tx: &Connection, after: ItemId, rows: usize) -> Result<Vec<(ItemId, SourceId)>> {
    let sql = "SELECT h.item, i.source FROM server_state h CROSS JOIN items i ON i.id = h.item
             WHERE h.item > ?1 ORDER BY h.item LIMIT ?2";
    sql::all(tx, sql, [after, super::columns::limit(rows)], |r| Ok((r.get(0)?, r.get(1)?)))
}
