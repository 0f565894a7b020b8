//! The tables `outbox`, `outbox_items` and `outbox_views`: operations until they are answered, and the items and
//! views that they change.

use rusqlite::{Connection, params};
use tidings_model::{Kind, Mark, MsgId, Stamp, wire};

use super::columns::{json, limit, stamp, time};
use super::sql;
use crate::{ItemId, Result, SourceId, ThreadId};

/// An item that an operation names.
#[derive(Debug, Clone)]
pub struct Named {
    /// The row id; `None` if the replica does not have the item any more.
    pub item: Option<ItemId>,
    /// Its msgid.
    pub msgid: MsgId,
    /// Its thread.
    pub thread: ThreadId,
}

/// A new operation id: 128 random bits as hexadecimal text.
pub fn new_id() -> String {
    format!("{:032x}", rand::random::<u128>())
}

/// An operation to insert into the outbox.
pub struct NewOperation<'a> {
    /// The source that it is sent to.
    pub source: SourceId,
    /// The kind of operation: `read`, `archive`, `visit`, `read_all` and so on.
    pub name: &'a str,
    /// The end of the snooze (`snooze`), or the time up to which it reads (`visit`, `read_all`).
    pub at: Option<Stamp>,
    /// Restricts `read_all` to one kind.
    pub kind: Option<Kind>,
    /// The change that is sent.
    pub change: &'a wire::Change,
}

/// Inserts an operation with an id, which is its idempotency key, and returns its row key.
pub fn insert(tx: &Connection, id: &str, op: &NewOperation<'_>, now: Stamp) -> Result<i64> {
    let sql = "INSERT INTO outbox (id, source, change, operation, at, kind, written_at, sent_tick)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0)";
    sql::run(
        tx,
        sql,
        params![
            id,
            op.source,
            serde_json::to_string(op.change)?,
            op.name,
            op.at.map(Stamp::as_micros),
            op.kind.map(Kind::as_row),
            now.as_micros()
        ],
    )?;
    Ok(tx.last_insert_rowid())
}

/// The row key of a waiting operation; `None` if it was answered.
pub fn find(tx: &Connection, id: &str) -> Result<Option<i64>> {
    sql::first(tx, "SELECT seq FROM outbox WHERE id = ?1 AND answered IS NULL", [id], |r| r.get(0))
}

/// Whether an operation is in the outbox, answered or not.
pub fn exists(tx: &Connection, seq: i64) -> Result<bool> {
    sql::one(tx, "SELECT EXISTS (SELECT 1 FROM outbox WHERE seq = ?1)", [seq], |r| r.get(0))
}

/// Whether operations, subscriptions, or messages without a file wait to be sent. False for a source that is being removed.
pub fn has_unsent(conn: &Connection, source: SourceId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM sources WHERE id = ?1 AND removing = 0)
                AND (EXISTS (SELECT 1 FROM outbox WHERE source = ?1 AND answered IS NULL)
                    OR EXISTS (SELECT 1 FROM subscriptions WHERE source = ?1 AND wanted IS NOT NULL)
                    OR EXISTS (SELECT 1 FROM outgoing WHERE source = ?1 AND refusal IS NULL AND posted_as IS NULL
                        AND file IS NULL))";
    sql::one(conn, sql, [source], |r| r.get(0))
}

/// Whether operations wait to be sent. False for a source that is being removed.
pub fn has_operations(conn: &Connection, source: SourceId) -> Result<bool> {
    Ok(conn.query_row(
        "SELECT EXISTS (SELECT 1 FROM outbox WHERE source = ?1 AND answered IS NULL)
            AND EXISTS (SELECT 1 FROM sources WHERE id = ?1 AND removing = 0)",
        [source],
        |r| r.get(0),
    )?)
}

/// Whether a `read_all` waits to be sent or answered.
pub fn has_waiting_read_all(tx: &Connection, source: SourceId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM outbox WHERE source = ?1 AND operation = 'read_all' AND answered IS NULL)";
    sql::one(tx, sql, [source], |r| r.get(0))
}

/// The oldest waiting operations with their row keys: at most `most`, and about `bytes` in all (at least one).
pub fn oldest(tx: &Connection, source: SourceId, most: usize, bytes: usize) -> Result<Vec<(i64, wire::Op)>> {
    let mut rows = tx.prepare_cached(
        "SELECT seq, id, change FROM outbox WHERE source = ?1 AND answered IS NULL ORDER BY seq LIMIT ?2",
    )?;
    let mut waiting = rows.query([source, limit(most)])?;
    let (mut found, mut sum) = (Vec::new(), 0);
    while let Some(r) = waiting.next()? {
        sum += r.get_ref(2)?.as_bytes().map_or(0, <[u8]>::len);
        if sum > bytes && !found.is_empty() {
            break;
        }
        found.push((r.get(0)?, wire::Op { id: r.get(1)?, change: json(r, 2)? }));
    }
    Ok(found)
}

/// Records that operations up to a row key are being sent. Only the first sending is recorded: from then on the
/// server may have applied them.
pub fn set_sent(tx: &Connection, source: SourceId, last: i64) -> Result<()> {
    let sql = "UPDATE outbox SET sent_tick = (SELECT tick FROM sources WHERE id = ?1)
         WHERE source = ?1 AND seq <= ?2 AND sent_tick = 0";
    sql::run(tx, sql, [source, last]).map(drop)
}

/// Replaces the change of an operation, and with `Some` its time `at`.
pub fn rewrite(tx: &Connection, seq: i64, change: &wire::Change, at: Option<Stamp>) -> Result<()> {
    let sql = "UPDATE outbox SET change = ?2, at = ifnull(?3, at) WHERE seq = ?1";
    sql::run(tx, sql, params![seq, serde_json::to_string(change)?, at.map(Stamp::as_micros)]).map(drop)
}

/// An operation that the server has not answered.
pub struct Unanswered {
    /// Its row key.
    pub seq: i64,
    /// The kind of operation.
    pub name: String,
    /// The time that it has, if it has one.
    pub at: Option<Stamp>,
    /// When the reader did it, by the clock of the server.
    pub written_at: Stamp,
    /// The tick of the source when it was first sent; 0 if it was not.
    pub sent_tick: i64,
}

/// The operation of a source with this id; `None` if it was answered.
pub fn unanswered(tx: &Connection, source: SourceId, id: &str) -> Result<Option<Unanswered>> {
    let sql = "SELECT seq, operation, at, written_at, sent_tick FROM outbox
             WHERE source = ?1 AND id = ?2 AND answered IS NULL";
    sql::first(tx, sql, params![source, id], |r| {
        Ok(Unanswered {
            seq: r.get(0)?,
            name: r.get(1)?,
            at: time(r, 2)?,
            written_at: stamp(r, 3)?,
            sent_tick: r.get(4)?,
        })
    })
}

/// The mark of an operation, from the columns `operation` and `at`; `None` for operations on views or on everything.
pub fn mark(operation: &str, at: Option<Stamp>) -> Option<Mark> {
    let mark = Mark::of_items(at.unwrap_or_default()).into_iter().find(|mark| mark.name() == operation)?;
    (mark.until().is_none() || at.is_some()).then_some(mark)
}

/// Deletes an operation with its items and views.
pub fn delete(tx: &Connection, seq: i64) -> Result<()> {
    for sql in [
        "DELETE FROM outbox_items WHERE op = ?1",
        "DELETE FROM outbox_views WHERE op = ?1",
        "DELETE FROM outbox WHERE seq = ?1",
    ] {
        sql::run(tx, sql, [seq])?;
    }
    Ok(())
}

/// Records that an operation changes an item.
pub fn add_item(tx: &Connection, seq: i64, named: &Named) -> Result<()> {
    let Some(item) = named.item else { return Ok(()) };
    let sql = "INSERT OR IGNORE INTO outbox_items (op, item, thread) VALUES (?1, ?2, ?3)";
    sql::run(tx, sql, params![seq, item, named.thread]).map(drop)
}

/// Like [`add_item`], for many items at once; `ids` is a JSON array.
pub fn add_items(tx: &Connection, seq: i64, ids: &str) -> Result<()> {
    let sql = "INSERT OR IGNORE INTO outbox_items (op, item, thread)
         SELECT ?2, id, thread FROM items WHERE id IN (SELECT value FROM json_each(?1))";
    sql::run(tx, sql, params![ids, seq]).map(drop)
}

/// The items that an operation changes.
pub fn items_of(tx: &Connection, seq: i64) -> Result<Vec<ItemId>> {
    sql::all(tx, "SELECT item FROM outbox_items WHERE op = ?1", [seq], |r| r.get(0))
}

/// Removes an item from an operation.
pub fn remove_item(tx: &Connection, seq: i64, item: ItemId) -> Result<()> {
    sql::run(tx, "DELETE FROM outbox_items WHERE op = ?1 AND item = ?2", [seq, item]).map(drop)
}

/// Removes a deleted item from all operations.
pub(crate) fn forget_item(tx: &Connection, item: ItemId) -> Result<()> {
    sql::run(tx, "DELETE FROM outbox_items WHERE item = ?1", [item]).map(drop)
}

/// A move of a view's mark by an operation: forward to at least a time, or back to at most that time.
#[derive(Debug, Clone, Copy)]
pub struct ViewMove {
    /// The row id of the view.
    pub view: i64,
    /// Whether it moves forward.
    pub forward: bool,
    /// The time that it has, if it has one.
    pub at: Stamp,
}

/// Records that an operation moves a view's mark.
pub fn add_view(tx: &Connection, seq: i64, view: i64, forward: bool, at: Stamp) -> Result<()> {
    let sql = "INSERT INTO outbox_views (op, view, forward, at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET at = CASE WHEN ?3 THEN max(at, ?4) ELSE min(at, ?4) END";
    sql::run(tx, sql, params![seq, view, forward, at.as_micros()]).map(drop)
}

/// Changes the time to which an operation moves a view's mark.
pub fn set_view(tx: &Connection, seq: i64, view: i64, at: Stamp) -> Result<()> {
    let sql = "UPDATE outbox_views SET at = ?3 WHERE op = ?1 AND view = ?2";
    sql::run(tx, sql, params![seq, view, at.as_micros()]).map(drop)
}

/// The moves of an operation in the order of view ids, at most `most`.
pub fn views_of(tx: &Connection, seq: i64, most: usize) -> Result<Vec<ViewMove>> {
    let sql = "SELECT view, forward, at FROM outbox_views WHERE op = ?1 ORDER BY view LIMIT ?2";
    sql::all(tx, sql, [seq, limit(most)], |r| {
        Ok(ViewMove { view: r.get(0)?, forward: r.get(1)?, at: stamp(r, 2)? })
    })
}

/// Removes the move of a view's mark from an operation.
pub fn remove_view(tx: &Connection, seq: i64, view: i64) -> Result<()> {
    sql::run(tx, "DELETE FROM outbox_views WHERE op = ?1 AND view = ?2", [seq, view]).map(drop)
}

/// An answered `read_all` that is still in the outbox.
pub struct Answered {
    /// Its row key.
    pub seq: i64,
    /// The source that it is sent to.
    pub source: SourceId,
    /// The time up to which it reads.
    pub through: Stamp,
    /// The kind to which it is restricted.
    pub kind: Option<Kind>,
    /// When the reader did it, by the clock of the server.
    pub written_at: Stamp,
    /// The tick of the source when it was first sent; 0 if it was not.
    pub sent_tick: i64,
    /// Whether the server applied it.
    pub ok: bool,
    /// The last item that is settled.
    pub settled_to: ItemId,
}

/// The oldest answered `read_all` of a source.
pub fn oldest_answered(tx: &Connection, source: SourceId) -> Result<Option<Answered>> {
    let sql = "SELECT seq, at, kind, written_at, sent_tick, answered, settled_to FROM outbox
             WHERE source = ?1 AND answered IS NOT NULL ORDER BY seq LIMIT 1";
    sql::first(tx, sql, [source], |r| {
        Ok(Answered {
            seq: r.get(0)?,
            source,
            through: stamp(r, 1)?,
            kind: r.get::<_, Option<i64>>(2)?.and_then(Kind::from_row),
            written_at: stamp(r, 3)?,
            sent_tick: r.get(4)?,
            ok: r.get(5)?,
            settled_to: r.get(6)?,
        })
    })
}

/// Records the answer to a `read_all`: whether the server applied it.
pub fn set_answered(tx: &Connection, seq: i64, ok: bool) -> Result<()> {
    sql::run(tx, "UPDATE outbox SET answered = ?2 WHERE seq = ?1", params![seq, ok]).map(drop)
}

/// Records the last item that is settled.
pub fn set_settled(tx: &Connection, seq: i64, item: ItemId) -> Result<()> {
    sql::run(tx, "UPDATE outbox SET settled_to = ?2 WHERE seq = ?1", [seq, item]).map(drop)
}

/// Deletes operations of a source, at most `?2` rows for each statement, in an order that leaves no dangling
/// reference.
pub const DISCARD: [&str; 3] = [
    "DELETE FROM outbox_items WHERE (op, item) IN (SELECT x.op, x.item FROM outbox o CROSS JOIN outbox_items x
        ON x.op = o.seq WHERE o.source = ?1 LIMIT ?2)",
    "DELETE FROM outbox_views WHERE (op, view) IN (SELECT x.op, x.view FROM outbox o CROSS JOIN outbox_views x
        ON x.op = o.seq WHERE o.source = ?1 LIMIT ?2)",
    "DELETE FROM outbox WHERE seq IN (SELECT seq FROM outbox WHERE source = ?1 LIMIT ?2)",
];
