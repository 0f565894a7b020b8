//! Lists of threads: places, pages, rows. Refuses to read items: a thread's row holds all that a list shows.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params};
use tidings_model::Stamp;

use crate::{
    Place, Result, SourceId, Thread, ThreadCursor, ThreadId, ThreadPage, ThreadQuery, numbers, row, search,
};

/// Rows of one page at most.
const PAGE: usize = 500;

const COLUMNS: &str = "t.id, t.source, t.key, t.kind, t.actors, t.actor_count, t.last, t.last_at, t.total, t.unread,
    t.unseen, t.unread1, t.unread2, t.unread3, t.unread4, t.unread5, t.last_priority, t.pinned, t.muted, t.place,
    t.wake_at,
    EXISTS (SELECT 1 FROM outbox_items o WHERE o.thread = t.id)
        OR EXISTS (SELECT 1 FROM outbox_views o WHERE o.view = (SELECT view FROM items WHERE id = t.last_item))
        OR EXISTS (SELECT 1 FROM outgoing o WHERE o.source = t.source AND o.conversation = t.key AND o.posted IS NULL),
    ifnull((SELECT substr(d.text, 1, 400) FROM drafts d WHERE d.source = t.source AND d.key = t.key), '')";

/// Which rows a place holds; `?1` is the value, where there is one.
pub(crate) fn condition(place: Place) -> (&'static str, Option<Value>) {
    match place {
        Place::Inbox => ("t.place = 0", None),
        Place::Unread => ("t.place = 0 AND t.unread > 0", None),
        Place::Pinned => ("t.pinned = 1 AND t.place < 3", None),
        Place::Snoozed => ("t.place = 1", None),
        Place::Done => ("t.place = 2", None),
        Place::Kind(kind) => ("t.place = 0 AND t.kind = ?1", Some(kind.as_row().into())),
        Place::Source(source) => ("t.place = 0 AND t.source = ?1", Some(source.into())),
    }
}

const fn index(place: Place) -> &'static str {
    match place {
        Place::Inbox | Place::Snoozed | Place::Done => "threads_place",
        Place::Unread => "threads_unread",
        Place::Pinned => "threads_pinned",
        Place::Kind(_) => "threads_kind",
        Place::Source(_) => "threads_source",
    }
}

fn thread(r: &Row<'_>) -> rusqlite::Result<Thread> {
    let place: i64 = r.get(19)?;
    let mut priority: u8 = r.get(16)?;
    for (column, level) in [(15, 5), (14, 4), (13, 3), (12, 2), (11, 1)] {
        if r.get::<_, i64>(column)? > 0 {
            priority = level;
            break;
        }
    }
    Ok(Thread {
        id: r.get(0)?,
        source: r.get(1)?,
        key: r.get(2)?,
        kind: row::kind(r, 3)?,
        actors: row::json(r, 4)?,
        actor_count: row::count(r, 5)?,
        last: row::json(r, 6)?,
        last_at: row::stamp(r, 7)?,
        total: row::count(r, 8)?,
        unread: row::count(r, 9)?,
        unseen: row::count(r, 10)?,
        priority,
        pinned: r.get(17)?,
        muted: r.get(18)?,
        archived: place == 2,
        snoozed_until: if place == 1 { row::time(r, 20)? } else { None },
        pending: r.get(21)?,
        draft: r.get(22)?,
    })
}

/// One page of a place, or of what was found.
pub(crate) fn page(conn: &Connection, query: &ThreadQuery) -> Result<ThreadPage> {
    let query = ThreadQuery { limit: query.limit.clamp(1, PAGE), ..query.clone() };
    if let Some(words) = query.words.as_deref().filter(|words| !words.trim().is_empty()) {
        return search::threads(conn, words, &query);
    }
    let (condition, value) = condition(query.place);
    let sql = format!(
        "SELECT {COLUMNS} FROM threads t INDEXED BY {} WHERE {condition} AND (t.last_at, t.id) < (?2, ?3)
         ORDER BY t.last_at DESC, t.id DESC LIMIT ?4",
        index(query.place)
    );
    let after = query.after.unwrap_or(ThreadCursor { at: Stamp::MAX, id: i64::MAX });
    let limit = i64::try_from(query.limit).unwrap_or(i64::MAX);
    let mut rows: Vec<Thread> = conn
        .prepare_cached(&sql)?
        .query_map(params![value, after.at.as_micros(), after.id, limit + 1], thread)?
        .collect::<Result<_, _>>()?;
    let more = rows.len() > query.limit;
    rows.truncate(query.limit);
    let next = rows.last().filter(|_| more).map(|t| ThreadCursor { at: t.last_at, id: t.id });
    Ok(ThreadPage { rows, next, total: numbers::threads_in(conn, query.place)? })
}

/// Rows by id.
pub(crate) fn by_id(conn: &Connection, ids: &[ThreadId]) -> Result<Vec<Thread>> {
    let sql = format!("SELECT {COLUMNS} FROM threads t WHERE t.id = ?1 AND t.place < 3");
    let mut one = conn.prepare_cached(&sql)?;
    let mut rows = Vec::with_capacity(ids.len());
    for id in ids {
        rows.extend(one.query_row([id], thread).optional()?);
    }
    Ok(rows)
}

/// A row by what its items have in `thread`.
pub(crate) fn by_key(conn: &Connection, source: SourceId, key: &str) -> Result<Option<Thread>> {
    let sql = format!("SELECT {COLUMNS} FROM threads t WHERE t.source = ?1 AND t.key = ?2 AND t.place < 3");
    Ok(conn.prepare_cached(&sql)?.query_row(params![source, key], thread).optional()?)
}
