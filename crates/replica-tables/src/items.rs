//! The table `items`: notifications as pulled, with the marks in force.

mod stored;
mod writing;

use rusqlite::{Connection, Row, params};
use serde::Serialize;
use tidings_model::{Actor, Content, Kind, MsgId, Notification, Priority, Stamp};

pub use self::stored::{Stored, stored};
pub use self::writing::{insert, overwrite};
use super::columns::{ThreadPlace, json, kind, optional_json, stamp, time};
use super::item_state::ItemState;
use super::sql;
use crate::{Item, ItemId, Result, SourceId, ThreadId};

/// The value of the column `content`; the priority has a column of its own.
pub fn content(n: &Notification) -> Result<String> {
    Ok(serde_json::to_string(&n.content.stored(&["priority"]))?)
}

fn to_json<T: Serialize>(value: Option<&T>) -> Result<Option<String>> {
    Ok(value.map(serde_json::to_string).transpose()?)
}

/// The columns that [`item`] reads, of `items i`, `threads t` and `views v`.
pub const ITEM: &str = "i.id, i.thread, i.source, i.msgid, i.stamp, i.version, i.kind, i.created_at, t.key,
    i.actor, i.actor_name, i.action, i.own, i.priority, i.view IS NOT NULL, v.through, i.seen_at, i.read_at,
    i.archived_at, i.snoozed_until, i.deleted, i.unread, i.content, i.target, i.conversation,
    (SELECT max(b.operation = 'answer') FROM outbox_items o JOIN outbox b ON b.seq = o.op
     WHERE o.item = i.id AND b.operation <> 'seen'),
    ifnull(i.revised_at, i.edited_at), i.content_at, i.receipt, i.late_answer";

/// The tables of these columns; `items` leads the join.
pub const ITEM_FROM: &str =
    "items i CROSS JOIN threads t ON t.id = i.thread LEFT JOIN views v ON v.id = i.view";

/// The condition on `items i` under which an item is in a digest, besides its time. The row id has no index to offer
/// here: the time has.
pub const IN_DIGEST: &str = "i.listed_at >= ?1 AND +i.id <= ?2 AND i.own = 0 AND i.deleted = 0
    AND i.archived_at IS NULL AND i.asleep = 0";

/// Reads an item from the columns [`ITEM`].
pub fn item(r: &Row<'_>) -> rusqlite::Result<Item> {
    let created_at = stamp(r, 7)?;
    let auto: bool = r.get(14)?;
    let (own_read, content_at) = (time(r, 17)?, stamp(r, 27)?);
    let mark = if auto { time(r, 15)?.filter(|mark| *mark >= content_at) } else { None };
    let priority: i64 = r.get(13)?;
    // Whether the operations that wait answer its question; absent if none waits.
    let waits: Option<bool> = r.get(25)?;
    let notification = Notification {
        msgid: MsgId(r.get(3)?),
        stamp: stamp(r, 4)?,
        version: r.get(5)?,
        kind: kind(r, 6)?,
        created_at,
        thread: r.get(8)?,
        actor: Actor { id: r.get(9)?, name: r.get(10)? },
        action: r.get(11)?,
        target: optional_json(r, 23)?,
        conversation: r.get(24)?,
        content: Content { priority: Priority::new(priority).unwrap_or_default(), ..json(r, 22)? },
        seen_at: time(r, 16)?,
        read_at: mark.or(own_read),
        archived_at: time(r, 18)?,
        snoozed_until: time(r, 19)?,
        auto,
        revised_at: time(r, 26)?,
        deleted: r.get(20)?,
        receipt: optional_json(r, 28)?,
    };
    Ok(Item {
        id: r.get(0)?,
        thread: r.get(1)?,
        source: r.get(2)?,
        notification,
        unread: r.get(21)?,
        own: r.get(12)?,
        pending: waits.is_some(),
        answer_waits: waits == Some(true),
        late_answer: r.get(29)?,
    })
}

/// Reads items; `rest` is the SQL after the tables of [`ITEM_FROM`].
pub fn select(conn: &Connection, rest: &str, params: impl rusqlite::Params) -> Result<Vec<Item>> {
    let sql = format!("SELECT {ITEM} FROM {ITEM_FROM} {rest}");
    sql::all(conn, &sql, params, item)
}

/// The most rows, counted from the newest one, among which an icon is looked for.
const MAX_ICON_ROWS: i64 = 100_000;

/// Whether one of the newest items of a source names an icon that `is_meant` accepts. It is read from the newest one on,
/// which mostly has it.
pub fn name_icon(conn: &Connection, source: SourceId, is_meant: &dyn Fn(&str) -> bool) -> Result<bool> {
    let sql = "SELECT content ->> '$.icon' FROM items
         WHERE id > (SELECT ifnull(max(id), 0) FROM items) - ?2 AND +source = ?1 AND content ->> '$.icon' IS NOT NULL
         ORDER BY id DESC";
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query(params![source, MAX_ICON_ROWS])?;
    while let Some(row) = rows.next()? {
        if row.get_ref(0)?.as_str().is_ok_and(is_meant) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The newest item of a thread: what its thread's row has of it.
pub(crate) struct Newest {
    pub(crate) id: ItemId,
    pub(crate) listed_at: Stamp,
    pub(crate) priority: u8,
    pub(crate) kind: Kind,
}

impl Newest {
    fn of(r: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self { id: r.get(0)?, listed_at: stamp(r, 1)?, priority: r.get(2)?, kind: kind(r, 3)? })
    }
}

/// The newest of the items of a thread that put it in its place; `None` if it has no items.
pub(crate) fn newest(tx: &Connection, thread: ThreadId, place: ThreadPlace) -> Result<Option<Newest>> {
    let in_place = match place {
        ThreadPlace::Inbox => "AND archived_at IS NULL AND asleep = 0",
        ThreadPlace::Snoozed => "AND archived_at IS NULL AND asleep = 1",
        ThreadPlace::Done | ThreadPlace::Unlisted => "",
    };
    let sql = format!(
        "SELECT id, listed_at, priority, kind FROM items INDEXED BY items_thread WHERE thread = ?1 AND deleted = 0 {in_place}
         ORDER BY listed_at DESC, id DESC LIMIT 1"
    );
    sql::first(tx, &sql, [thread], Newest::of)
}

/// The time of the newest archived item of a thread.
pub(crate) fn newest_archived(tx: &Connection, thread: ThreadId) -> Result<Option<Stamp>> {
    let sql = "SELECT listed_at FROM items INDEXED BY items_thread
         WHERE thread = ?1 AND deleted = 0 AND archived_at IS NOT NULL ORDER BY listed_at DESC LIMIT 1";
    sql::first(tx, sql, [thread], |r| stamp(r, 0))
}

/// When an item of a thread last came back from a snooze; `None` if none did, or all that did are archived.
pub(crate) fn last_woken(tx: &Connection, thread: ThreadId) -> Result<Option<Stamp>> {
    let sql = "SELECT max(snoozed_until) FROM items INDEXED BY items_woken_thread
         WHERE thread = ?1 AND asleep = 0 AND snoozed_until IS NOT NULL AND archived_at IS NULL AND deleted = 0";
    sql::one(tx, sql, [thread], |r| time(r, 0))
}

/// An item as the newest one of its thread.
pub(crate) fn as_newest(tx: &Connection, item: ItemId) -> Result<Option<Newest>> {
    sql::first(tx, "SELECT id, listed_at, priority, kind FROM items WHERE id = ?1", [item], Newest::of)
}

/// The actor of an item.
pub fn actor(tx: &Connection, item: ItemId) -> Result<Option<Actor>> {
    sql::first(tx, "SELECT actor, actor_name FROM items WHERE id = ?1", [item], |r| {
        Ok(Actor { id: r.get(0)?, name: r.get(1)? })
    })
}

/// The actor of an item; `None` if the item is the user's own.
pub fn other_actor(tx: &Connection, item: &ItemState) -> Result<Option<Actor>> {
    if item.own { Ok(None) } else { actor(tx, item.id) }
}

/// Whether any of these items is unread.
pub fn any_unread(conn: &Connection, source: SourceId, msgids: &[MsgId]) -> Result<bool> {
    let sql = "SELECT unread FROM items WHERE source = ?1 AND msgid = ?2 AND deleted = 0";
    for msgid in msgids {
        if sql::first(conn, sql, params![source, msgid.as_str()], |r| r.get(0))? == Some(true) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Those of these items that were deleted: by the server, or here.
pub fn deleted(conn: &Connection, source: SourceId, msgids: &[MsgId]) -> Result<Vec<MsgId>> {
    let sql = "SELECT x.value FROM json_each(?2) x WHERE NOT EXISTS
         (SELECT 1 FROM items i WHERE i.source = ?1 AND i.msgid = x.value AND i.deleted = 0)";
    sql::all(conn, sql, params![source, serde_json::to_string(msgids)?], |r| Ok(MsgId(r.get(0)?)))
}

/// The version of an item, and the time of it at a service that keeps no stamps.
pub fn service_version(tx: &Connection, item: ItemId) -> Result<(u32, Stamp)> {
    let sql = "SELECT version, ifnull(service_at, created_at) FROM items WHERE id = ?1";
    sql::one(tx, sql, [item], |r| Ok((r.get(0)?, stamp(r, 1)?)))
}

/// Stores the service's own time of an item; `None` if `created_at` is that time.
pub fn set_service_time(tx: &Connection, item: ItemId, at: Option<Stamp>) -> Result<()> {
    let sql = "UPDATE items SET service_at = ?2 WHERE id = ?1";
    sql::run(tx, sql, params![item, at.map(Stamp::as_micros)]).map(drop)
}

/// The first time from `from` on at which no item of the source was created. Items of a service that keeps no stamps are
/// listed by their creation.
pub fn free_time(tx: &Connection, source: SourceId, from: Stamp) -> Result<Stamp> {
    /// The length in µs of a range that is read at once. Items of other sources may be in it.
    const RANGE: i64 = 1_000;
    let mut rows = tx.prepare_cached(
        "SELECT listed_at FROM items WHERE listed_at BETWEEN ?1 AND ?2 AND +source = ?3 ORDER BY listed_at",
    )?;
    let mut free = from;
    loop {
        let end = free.plus_micros(RANGE - 1);
        let mut taken = rows.query(params![free.as_micros(), end.as_micros(), source])?;
        while let Some(r) = taken.next()? {
            if stamp(r, 0)? > free {
                return Ok(free);
            }
            free = free.plus_micros(1);
        }
        if free <= end {
            return Ok(free);
        }
    }
}

/// Assigns an item to the source's present history; false if the item is stored with another content.
pub fn set_generation(tx: &Connection, item: ItemId, generation: i64, content: &str) -> Result<bool> {
    let sql = "UPDATE items SET generation = ?2 WHERE id = ?1 AND content = ?3";
    Ok(sql::run(tx, sql, params![item, generation, content])? > 0)
}

/// Sets whether an item is the user's own.
pub fn set_own(tx: &Connection, item: ItemId, own: bool) -> Result<()> {
    sql::run(tx, "UPDATE items SET own = ?2 WHERE id = ?1", params![item, own]).map(drop)
}

/// Marks items as seen; `ids` is a JSON array.
pub fn set_seen(tx: &Connection, ids: &str, now: Stamp) -> Result<()> {
    let sql = "UPDATE items SET seen_at = ?2 WHERE id IN (SELECT value FROM json_each(?1))";
    sql::run(tx, sql, params![ids, now.as_micros()]).map(drop)
}

/// Deletes an item with its search row, its server state and its part of operations.
pub fn delete(tx: &Connection, item: ItemId) -> Result<()> {
    super::server_state::forget(tx, item)?;
    super::outbox::forget_item(tx, item)?;
    super::search_index::forget(tx, item)?;
    sql::run(tx, "DELETE FROM items WHERE id = ?1", [item]).map(drop)
}
