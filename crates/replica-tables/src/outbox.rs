//! The tables `outbox`, `outbox_items` and `outbox_views`: operations until they are answered, and the items and
//! views that they change.

use rusqlite::{Connection, params};
use tidings_model::{Kind, Mark, MsgId, Stamp, wire};

use super::columns::{json, limit, stamp, time};
use super::sql;
use crate::{ItemId, Result, SourceId, ThreadId};

/// An item that an operation names.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    /// The row id; `None` if the replica does not have the item any more.
    pub(crate) item: Option<ItemId>,
    pub(crate) msgid: MsgId,
    pub(crate) thread: ThreadId,
}

/// A new operation id: 128 random bits as hexadecimal text.
pub(crate) fn new_id() -> String {
    format!("{:032x}", rand::random::<u128>())
}

/// An operation to insert into the outbox.
pub(crate) struct NewOperation<'a> {
    pub(crate) source: SourceId,
    /// The kind of operation: `read`, `archive`, `visit`, `read_all` and so on.
    pub(crate) name: &'a str,
    /// The end of the snooze (`snooze`), or the time up to which it reads (`visit`, `read_all`).
    pub(crate) at: Option<Stamp>,
    /// Restricts `read_all` to one kind.
    pub(crate) kind: Option<Kind>,
    pub(crate) change: &'a wire::Change,
}

/// Inserts an operation with an id, which is its idempotency key, and returns its row key.
pub(crate) fn insert(tx: &Connection, id: &str, op: &NewOperation<'_>, now: Stamp) -> Result<i64> {
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
pub(crate) fn find(tx: &Connection, id: &str) -> Result<Option<i64>> {
    sql::first(tx, "SELECT seq FROM outbox WHERE id = ?1 AND answered IS NULL", [id], |r| r.get(0))
}

pub(crate) fn exists(tx: &Connection, seq: i64) -> Result<bool> {
    sql::one(tx, "SELECT EXISTS (SELECT 1 FROM outbox WHERE seq = ?1)", [seq], |r| r.get(0))
}

/// Whether operations, subscriptions, or messages without a file wait to be sent. False for a source that is being removed.
pub(crate) fn has_unsent(conn: &Connection, source: SourceId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM sources WHERE id = ?1 AND removing = 0)
                AND (EXISTS (SELECT 1 FROM outbox WHERE source = ?1 AND answered IS NULL)
                    OR EXISTS (SELECT 1 FROM subscriptions WHERE source = ?1 AND wanted IS NOT NULL)
                    OR EXISTS (SELECT 1 FROM outgoing WHERE source = ?1 AND refusal IS NULL AND posted_as IS NULL
                        AND file IS NULL))";
    sql::one(conn, sql, [source], |r| r.get(0))
}

/// Whether operations wait to be sent. False for a source that is being removed.
pub(crate) fn has_operations(conn: &Connection, source: SourceId) -> Result<bool> {
    Ok(conn.query_row(
        "SELECT EXISTS (SELECT 1 FROM outbox WHERE source = ?1 AND answered IS NULL)
            AND EXISTS (SELECT 1 FROM sources WHERE id = ?1 AND removing = 0)",
        [source],
        |r| r.get(0),
    )?)
}

/// Whether a `read_all` waits to be sent or answered.
pub(crate) fn has_waiting_read_all(tx: &Connection, source: SourceId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM outbox WHERE source = ?1 AND operation = 'read_all' AND answered IS NULL)";
    sql::one(tx, sql, [source], |r| r.get(0))
}

/// The oldest waiting operations with their row keys: at most `most`, and about `bytes` in all (at least one).
pub(crate) fn oldest(
    tx: &Connection,
    source: SourceId,
    most: usize,
    bytes: usize,
) -> Result<Vec<(i64, wire::Op)>> {
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
pub(crate) fn set_sent(tx: &Connection, source: SourceId, last: i64) -> Result<()> {
    let sql = "UPDATE outbox SET sent_tick = (SELECT tick FROM sources WHERE id = ?1)
         WHERE source = ?1 AND seq <= ?2 AND sent_tick = 0";
    sql::run(tx, sql, [source, last]).map(drop)
}

/// Replaces the change of an operation, and with `Some` its time `at`.
pub(crate) fn rewrite(tx: &Connection, seq: i64, change: &wire::Change, at: Option<Stamp>) -> Result<()> {
    let sql = "UPDATE outbox SET change = ?2, at = ifnull(?3, at) WHERE seq = ?1";
    sql::run(tx, sql, params![seq, serde_json::to_string(change)?, at.map(Stamp::as_micros)]).map(drop)
}

/// An operation that the server has not answered.
pub(crate) struct Unanswered {
    pub(crate) seq: i64,
    pub(crate) name: String,
    pub(crate) at: Option<Stamp>,
    pub(crate) written_at: Stamp,
    pub(crate) sent_tick: i64,
}

pub(crate) fn unanswered(tx: &Connection, source: SourceId, id: &str) -> Result<Option<Unanswered>> {
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
pub(crate) fn mark(operation: &str, at: Option<Stamp>) -> Option<Mark> {
    let mark = Mark::of_items(at.unwrap_or_default()).into_iter().find(|mark| mark.name() == operation)?;
    (mark.until().is_none() || at.is_some()).then_some(mark)
}

/// Deletes an operation with its items and views.
pub(crate) fn delete(tx: &Connection, seq: i64) -> Result<()> {
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
pub(crate) fn add_item(tx: &Connection, seq: i64, named: &Named) -> Result<()> {
    let Some(item) = named.item else { return Ok(()) };
    let sql = "INSERT OR IGNORE INTO outbox_items (op, item, thread) VALUES (?1, ?2, ?3)";
    sql::run(tx, sql, params![seq, item, named.thread]).map(drop)
}

/// Like [`add_item`], for many items at once; `ids` is a JSON array.
pub(crate) fn add_items(tx: &Connection, seq: i64, ids: &str) -> Result<()> {
    let sql = "INSERT OR IGNORE INTO outbox_items (op, item, thread)
         SELECT ?2, id, thread FROM items WHERE id IN (SELECT value FROM json_each(?1))";
    sql::run(tx, sql, params![ids, seq]).map(drop)
}

pub(crate) fn items_of(tx: &Connection, seq: i64) -> Result<Vec<ItemId>> {
    sql::all(tx, "SELECT item FROM outbox_items WHERE op = ?1", [seq], |r| r.get(0))
}

/// Removes an item from an operation.
pub(crate) fn remove_item(tx: &Connection, seq: i64, item: ItemId) -> Result<()> {
    sql::run(tx, "DELETE FROM outbox_items WHERE op = ?1 AND item = ?2", [seq, item]).map(drop)
}

/// Removes a deleted item from all operations.
pub(crate) fn forget_item(tx: &Connection, item: ItemId) -> Result<()> {
    sql::run(tx, "DELETE FROM outbox_items WHERE item = ?1", [item]).map(drop)
}

/// A move of a view's mark by an operation: forward to at least a time, or back to at most that time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ViewMove {
    pub(crate) view: i64,
    pub(crate) forward: bool,
    pub(crate) at: Stamp,
}

/// Records that an operation moves a view's mark.
pub(crate) fn add_view(tx: &Connection, seq: i64, view: i64, forward: bool, at: Stamp) -> Result<()> {
    let sql = "INSERT INTO outbox_views (op, view, forward, at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET at = CASE WHEN ?3 THEN max(at, ?4) ELSE min(at, ?4) END";
    sql::run(tx, sql, params![seq, view, forward, at.as_micros()]).map(drop)
}

/// Changes the time to which an operation moves a view's mark.
pub(crate) fn set_view(tx: &Connection, seq: i64, view: i64, at: Stamp) -> Result<()> {
    let sql = "UPDATE outbox_views SET at = ?3 WHERE op = ?1 AND view = ?2";
    sql::run(tx, sql, params![seq, view, at.as_micros()]).map(drop)
}

/// The moves of an operation in the order of view ids, at most `most`.
pub(crate) fn views_of(tx: &Connection, seq: i64, most: usize) -> Result<Vec<ViewMove>> {
    let sql = "SELECT view, forward, at FROM outbox_views WHERE op = ?1 ORDER BY view LIMIT ?2";
    sql::all(tx, sql, [seq, limit(most)], |r| {
        Ok(ViewMove { view: r.get(0)?, forward: r.get(1)?, at: stamp(r, 2)? })
    })
}

/// Removes the move of a view's mark from an operation.
pub(crate) fn remove_view(tx: &Connection, seq: i64, view: i64) -> Result<()> {
    sql::run(tx, "DELETE FROM outbox_views WHERE op = ?1 AND view = ?2", [seq, view]).map(drop)
}

/// An answered `read_all` that is still in the outbox.
pub(crate) struct Answered {
    pub(crate) seq: i64,
    pub(crate) source: SourceId,
    pub(crate) through: Stamp,
    pub(crate) kind: Option<Kind>,
    pub(crate) written_at: Stamp,
    pub(crate) sent_tick: i64,
    pub(crate) ok: bool,
    /// The last item that is settled.
    pub(crate) settled_to: ItemId,
}

pub(crate) fn oldest_answered(tx: &Connection, source: SourceId) -> Result<Option<Answered>> {
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

pub(crate) fn set_answered(tx: &Connection, seq: i64, ok: bool) -> Result<()> {
    sql::run(tx, "UPDATE outbox SET answered = ?2 WHERE seq = ?1", params![seq, ok]).map(drop)
}

pub(crate) fn set_settled(tx: &Connection, seq: i64, item: ItemId) -> Result<()> {
    sql::run(tx, "UPDATE outbox SET settled_to = ?2 WHERE seq = ?1", [seq, item]).map(drop)
}

/// Deletes operations of a source, at most `?2` rows for each statement, in an order that leaves no dangling
/// reference.
pub(crate) const DISCARD: [&str; 3] = [
    "DELETE FROM outbox_items WHERE (op, item) IN (SELECT x.op, x.item FROM outbox o CROSS JOIN outbox_items x
        ON x.op = o.seq WHERE o.source = ?1 LIMIT ?2)",
    "DELETE FROM outbox_views WHERE (op, view) IN (SELECT x.op, x.view FROM outbox o CROSS JOIN outbox_views x
        ON x.op = o.seq WHERE o.source = ?1 LIMIT ?2)",
    "DELETE FROM outbox WHERE seq IN (SELECT seq FROM outbox WHERE source = ?1 LIMIT ?2)",
];
