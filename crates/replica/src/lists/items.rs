//! Lists of items: of one thread, of all threads, by msgid. A page starts at an item; there are no offsets.

use rusqlite::types::Value;
use rusqlite::{Connection, params, params_from_iter};
use tidings_model::{Actor, MsgId, Stamp, text};
use tidings_replica_tables::items::{self, ITEM, ITEM_FROM};
use tidings_replica_tables::sql;
use tidings_replica_tables::{columns, previews};

use crate::{
    Error, Hit, Item, ItemFilter, ItemId, ItemPage, ItemPosition, Result, SourceId, Thread, ThreadId,
};

/// A filter as a condition on `items i`, with its values from `?1` on.
fn condition(filter: &ItemFilter) -> (String, Vec<Value>) {
    let mut sql = String::from(" AND i.source IN (SELECT id FROM sources WHERE removing = 0)");
    let mut values: Vec<Value> = Vec::new();
    let mut and = |text: &str, value: Value| {
        values.push(value);
        sql.push_str(&text.replace("?n", &format!("?{}", values.len())));
    };
    if let Some(kind) = filter.kind {
        and(" AND i.kind = ?n", kind.as_row().into());
    }
    if let Some(source) = filter.source {
        and(" AND i.source = ?n", source.into());
    }
    if let Some(before) = filter.before {
        and(" AND i.listed_at < ?n", before.as_micros().into());
    }
    if let Some(key) = &filter.thread {
        and(
            " AND i.thread IN (SELECT id FROM threads WHERE source IN (SELECT id FROM sources WHERE removing = 0) AND key = ?n)",
            key.clone().into(),
        );
    }
    if filter.unread {
        sql.push_str(" AND i.unread = 1");
    }
    if filter.inbox {
        sql.push_str(" AND i.archived_at IS NULL AND i.asleep = 0");
    }
    (sql, values)
}

/// Items of all threads that a filter selects, newest first.
pub(crate) fn list(conn: &Connection, filter: &ItemFilter, limit: usize) -> Result<Vec<Item>> {
    let index = match filter {
        ItemFilter { thread: Some(_), .. } => "items_thread",
        ItemFilter { unread: true, .. } => "items_unread",
        ItemFilter { kind: Some(_), .. } => "items_kind",
        _ => "items_time",
    };
    let (condition, mut values) = condition(filter);
    values.push(columns::limit(limit).into());
    let from = ITEM_FROM.replacen("items i", &format!("items i INDEXED BY {index}"), 1);
    let sql = format!(
        "SELECT {ITEM} FROM {from} WHERE i.deleted = 0 {condition}
         ORDER BY i.listed_at DESC, i.id DESC LIMIT ?{}",
        values.len()
    );
    sql::all(conn, &sql, params_from_iter(values), items::item)
}

/// The items with a row id above this one, in that order.
pub(crate) fn after(conn: &Connection, id: ItemId, limit: usize) -> Result<Vec<Item>> {
    // Without the plus SQLite would take the index of sources, and sort.
    let after_it =
        "WHERE i.id > ?1 AND i.deleted = 0 AND +i.source IN (SELECT id FROM sources WHERE removing = 0)
         ORDER BY i.id LIMIT ?2";
    items::select(conn, after_it, params![id, columns::limit(limit)])
}

/// The highest row id; 0 without items.
pub(crate) fn last(conn: &Connection) -> Result<ItemId> {
    sql::one(conn, "SELECT ifnull(max(id), 0) FROM items", [], |r| r.get(0))
}

/// The time of the oldest content.
pub(crate) fn oldest(conn: &Connection) -> Result<Option<Stamp>> {
    let sql = "SELECT listed_at FROM items INDEXED BY items_time WHERE listed_at > ?1 AND deleted = 0
         ORDER BY listed_at, id LIMIT 1";
    sql::first(conn, sql, [i64::MIN], |r| columns::stamp(r, 0))
}

/// Items by msgid, in one source or in all.
pub(crate) fn by_msgid(conn: &Connection, source: Option<SourceId>, ids: &[MsgId]) -> Result<Vec<Item>> {
    let sql = format!(
        "SELECT {ITEM} FROM {ITEM_FROM} WHERE i.source IN (SELECT id FROM sources WHERE removing = 0 AND (?1 IS NULL OR id = ?1))
         AND i.msgid = ?2 AND i.deleted = 0"
    );
    let mut rows = conn.prepare_cached(&sql)?;
    let mut items = Vec::with_capacity(ids.len());
    for id in ids {
        for item in rows.query_map(params![source, id.as_str()], items::item)? {
            items.push(item?);
        }
    }
    Ok(items)
}

/// The unread items of a thread up to an item, which counts too; `None` if that is not in the thread.
pub(crate) fn unread_through(
    conn: &Connection,
    thread: ThreadId,
    through: &MsgId,
    limit: usize,
) -> Result<Option<Vec<ItemId>>> {
    let position = "SELECT listed_at, id FROM items
         WHERE source = (SELECT source FROM threads WHERE id = ?1) AND msgid = ?2 AND thread = ?1";
    let found: Option<(i64, ItemId)> =
        sql::first(conn, position, params![thread, through.as_str()], |r| Ok((r.get(0)?, r.get(1)?)))?;
    let Some((at, id)) = found else { return Ok(None) };
    let unread = "SELECT id FROM items INDEXED BY items_thread
         WHERE thread = ?1 AND unread = 1 AND (listed_at, id) <= (?2, ?3) LIMIT ?4";
    sql::all(conn, unread, params![thread, at, id, columns::limit(limit)], |r| r.get(0)).map(Some)
}

/// An item as a search shows it.
pub(crate) fn hit(conn: &Connection, id: ItemId) -> Result<Option<Hit>> {
    let item = items::select(conn, "WHERE i.id = ?1", [id])?.pop();
    Ok(item.map(|item| {
        let n = &item.notification;
        let body = text::cut(&n.content.body, Hit::MAX_BODY_BYTES).to_owned();
        Hit {
            preview: previews::of(n, item.own),
            created_at: n.content_at(),
            priority: n.content.priority.get(),
            body,
        }
    }))
}

/// A page of a thread.
pub(crate) fn of_thread(
    conn: &Connection,
    thread: ThreadId,
    position: &ItemPosition,
    limit: usize,
) -> Result<ItemPage> {
    let total: Option<u64> =
        sql::first(conn, "SELECT total FROM threads WHERE id = ?1", [thread], |r| columns::count(r, 0))?;
    let total = total.ok_or(Error::NoThread(thread))?;
    let key = |msgid: &MsgId| key_of(conn, thread, msgid);
    let items = match position {
        ItemPosition::Newest => before(conn, thread, NEWEST, limit)?,
        ItemPosition::Before(msgid) => before(conn, thread, key(msgid)?, limit)?,
        ItemPosition::After(msgid) => {
            let (at, id) = key(msgid)?;
            from(conn, thread, (at, id + 1), limit)?
        }
        ItemPosition::Around(msgid) => around(conn, thread, key(msgid)?, limit)?,
        ItemPosition::FirstUnread => match first_unread(conn, thread)? {
            Some(key) => around(conn, thread, key, limit)?,
            None => before(conn, thread, NEWEST, limit)?,
        },
        ItemPosition::First => from(conn, thread, OLDEST, limit)?,
    };
    let shown = items.len() as u64;
    let first = match (items.first(), position) {
        (Some(first), _) => key(&first.notification.msgid)?,
        (None, ItemPosition::Before(msgid)) => key(msgid)?,
        (None, _) => NEWEST,
    };
    let earlier: u64 = if *position == ItemPosition::Newest {
        total.saturating_sub(shown)
    } else {
        let sql =
            "SELECT count(*) FROM items WHERE thread = ?1 AND deleted = 0 AND (listed_at, id) < (?2, ?3)";
        sql::one(conn, sql, params![thread, first.0.as_micros(), first.1], |r| columns::count(r, 0))?
    };
    let later = total.saturating_sub(shown + earlier);
    let earlier_actors =
        if earlier == 0 { Vec::new() } else { actors_before(conn, thread, first.0, first.1)? };
    Ok(ItemPage { items, earlier, later, earlier_actors })
}

/// The position of an item in its thread: by its time, then by its row id.
type Key = (Stamp, ItemId);

const OLDEST: Key = (Stamp::from_micros(i64::MIN), ItemId::MIN);
const NEWEST: Key = (Stamp::MAX, ItemId::MAX);

fn key_of(conn: &Connection, thread: ThreadId, msgid: &MsgId) -> Result<Key> {
    let sql = "SELECT listed_at, id FROM items
         WHERE source = (SELECT source FROM threads WHERE id = ?1) AND msgid = ?2 AND thread = ?1";
    let found =
        sql::first(conn, sql, params![thread, msgid.as_str()], |r| Ok((columns::stamp(r, 0)?, r.get(1)?)))?;
    found.ok_or_else(|| Error::NoItem(msgid.clone()))
}

fn first_unread(conn: &Connection, thread: ThreadId) -> Result<Option<Key>> {
    let sql = "SELECT listed_at, id FROM items INDEXED BY items_thread WHERE thread = ?1 AND unread = 1
         ORDER BY listed_at, id LIMIT 1";
    sql::first(conn, sql, [thread], |r| Ok((columns::stamp(r, 0)?, r.get(1)?)))
}

/// The last items before a position, oldest first.
fn before(conn: &Connection, thread: ThreadId, (at, id): Key, limit: usize) -> Result<Vec<Item>> {
    let before_it = "WHERE i.thread = ?1 AND i.deleted = 0 AND (i.listed_at, i.id) < (?2, ?3)
         ORDER BY i.listed_at DESC, i.id DESC LIMIT ?4";
    let mut items =
        items::select(conn, before_it, params![thread, at.as_micros(), id, columns::limit(limit)])?;
    items.reverse();
    Ok(items)
}

/// The first items from a position on, oldest first.
fn from(conn: &Connection, thread: ThreadId, (at, id): Key, limit: usize) -> Result<Vec<Item>> {
    let from_it = "WHERE i.thread = ?1 AND i.deleted = 0 AND (i.listed_at, i.id) >= (?2, ?3)
         ORDER BY i.listed_at, i.id LIMIT ?4";
    items::select(conn, from_it, params![thread, at.as_micros(), id, columns::limit(limit)])
}

/// A few items before a position, and those from it on.
fn around(conn: &Connection, thread: ThreadId, key: Key, limit: usize) -> Result<Vec<Item>> {
    let mut items = before(conn, thread, key, limit / CONTEXT_SHARE)?;
    items.extend(from(conn, thread, key, limit - items.len())?);
    Ok(items)
}

/// This share of a page around an item is before it.
const CONTEXT_SHARE: usize = 5;

/// The newest items of a thread whose question is open, oldest first.
pub(crate) fn asking(conn: &Connection, thread: ThreadId, limit: usize) -> Result<Vec<Item>> {
    let open =
        "WHERE i.thread = ?1 AND i.question_due IS NOT NULL AND i.deleted = 0 AND (i.question_due > 0) = 1
         ORDER BY i.listed_at DESC LIMIT ?2";
    let mut items = items::select(conn, open, params![thread, columns::limit(limit)])?;
    items.reverse();
    Ok(items)
}

/// The latest distinct actors among the hundred items before an item.
fn actors_before(conn: &Connection, thread: ThreadId, at: Stamp, id: ItemId) -> Result<Vec<Actor>> {
    let mut rows = conn.prepare_cached(
        "SELECT actor, actor_name FROM items WHERE thread = ?1 AND deleted = 0 AND (listed_at, id) < (?2, ?3)
         ORDER BY listed_at DESC, id DESC LIMIT 100",
    )?;
    let mut actors: Vec<Actor> = Vec::new();
    for actor in
        rows.query_map(params![thread, at.as_micros(), id], |r| Ok(Actor { id: r.get(0)?, name: r.get(1)? }))?
    {
        let actor = actor?;
        if actors.len() < Thread::MAX_ACTORS && actors.iter().all(|a| a.id != actor.id) {
            actors.push(actor);
        }
    }
    Ok(actors)
}

/// Passes all items to `each`, oldest first, in batches, until it returns `false`.
pub(crate) fn export(conn: &Connection, each: &mut dyn FnMut(Vec<Item>) -> bool) -> Result<()> {
    const BATCH: usize = 1_000;
    let sql = format!(
        "SELECT {ITEM} FROM items i INDEXED BY items_time CROSS JOIN threads t ON t.id = i.thread
            LEFT JOIN views v ON v.id = i.view
         WHERE i.deleted = 0 AND i.source IN (SELECT id FROM sources WHERE removing = 0)
         ORDER BY i.listed_at, i.id"
    );
    let mut rows = conn.prepare(&sql)?;
    let mut batch = Vec::with_capacity(BATCH);
    for item in rows.query_map([], items::item)? {
        batch.push(item?);
        if batch.len() == BATCH && !each(std::mem::replace(&mut batch, Vec::with_capacity(BATCH))) {
            return Ok(());
        }
    }
    if !batch.is_empty() {
        each(batch);
    }
    Ok(())
}
