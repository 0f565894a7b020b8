//! Lists of threads: places, pages, rows. Refuses to read items: a thread's row holds all that a list shows.

use rusqlite::{Connection, OptionalExtension, Row, params};
use tidings_model::Stamp;

use crate::held::Held;
use crate::seek::{self, Reach};
use crate::stretch::{self, Stretches};
use crate::{
    NotifySettings, Order, Place, Result, SearchFilter, SourceId, Start, Thread, ThreadCursor, ThreadId,
    ThreadPage, ThreadQuery, counts, row,
};

/// Rows of one page at most.
const PAGE: usize = 500;

/// Somebody who has not written yet in a conversation is called as a group of the same source has it.
const COLUMNS: &str = "t.id, t.source, t.key, t.kind,
    CASE WHEN t.actor_count > 0 OR t.key < 'user:' OR t.key >= 'user;' THEN t.actors ELSE ifnull(
        (SELECT json_array(json(m.value)) FROM groups g, json_each(g.members) m
         WHERE g.source = t.source AND m.type = 'object' AND m.value ->> 'id' = substr(t.key, 6) LIMIT 1),
        t.actors) END,
    t.actor_count, t.last, t.last_at, t.total, t.unread,
    t.unseen, t.unread1, t.unread2, t.unread3, t.unread4, t.unread5, t.last_priority, t.pinned, t.muted, t.place,
    t.wake_at,
    EXISTS (SELECT 1 FROM outbox_items o JOIN outbox b ON b.seq = o.op WHERE o.thread = t.id AND b.act <> 'seen')
        OR EXISTS (SELECT 1 FROM outbox_views o WHERE o.view = (SELECT view FROM items WHERE id = t.last_item))
        OR EXISTS (SELECT 1 FROM outgoing o WHERE o.source = t.source AND o.conversation = t.key AND o.posted IS NULL),
    ifnull((SELECT substr(d.text, 1, 400) FROM drafts d WHERE d.source = t.source AND d.key = t.key), ''),
    t.tell, t.from_priority, t.sound";

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
        preview: row::json(r, 6)?,
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
        notify: NotifySettings::of(r, 23)?,
    })
}

/// One page of a place, or of what was found.
pub(crate) fn page(conn: &Connection, query: &ThreadQuery) -> Result<ThreadPage> {
    let limit = query.limit.clamp(1, PAGE);
    let held = Held::of(query.place, query.place_only, &query.filter);
    if query.filter.looks_at_items() {
        let found = sorted(conn, seek::threads(conn, &held, &query.filter, Reach::LIST)?, query.order)?;
        let total = found.len().try_into().unwrap_or(u64::MAX).min(ThreadPage::FOUND);
        let (rows, more) = cut(&found, query.start, query.order, limit, &stretch::sources(conn)?);
        return finish(conn, query.start, &rows, more, total);
    }
    let stretches = Stretches::of(conn, &held, query.order)?;
    let (rows, more) = stretches.page(conn, query.start, limit)?;
    let total =
        if query.filter.is_empty() { counts::threads_in(conn, query.place)? } else { stretches.threads() };
    finish(conn, query.start, &rows, more, total)
}

fn finish(
    conn: &Connection,
    start: Start,
    rows: &[ThreadCursor],
    more: bool,
    total: u64,
) -> Result<ThreadPage> {
    let (first, last) = (rows.first().copied(), rows.last().copied());
    let (prev, next) = match start {
        Start::Top => (None, last.filter(|_| more)),
        Start::After(_) => (first, last.filter(|_| more)),
        Start::Before(_) => (first.filter(|_| more), last),
        Start::Bottom => (first.filter(|_| more), None),
    };
    let ids: Vec<ThreadId> = rows.iter().map(|row| row.id).collect();
    Ok(ThreadPage { rows: by_id(conn, &ids)?, next, prev, total })
}

/// By what rows are sorted: first comes the smallest.
fn key(
    row: &ThreadCursor,
    order: Order,
    sources: &[SourceId],
) -> (usize, std::cmp::Reverse<(Stamp, ThreadId)>) {
    let group = match order {
        Order::Newest => 0,
        Order::Source => sources.iter().position(|id| *id == row.source).unwrap_or(usize::MAX),
    };
    (group, std::cmp::Reverse((row.at, row.id)))
}

fn sorted(conn: &Connection, mut found: Vec<ThreadCursor>, order: Order) -> Result<Vec<ThreadCursor>> {
    let sources = stretch::sources(conn)?;
    found.sort_by_cached_key(|row| key(row, order, &sources));
    Ok(found)
}

/// The page of a list that is there whole, and whether there is more in its direction.
fn cut(
    found: &[ThreadCursor],
    start: Start,
    order: Order,
    limit: usize,
    sources: &[SourceId],
) -> (Vec<ThreadCursor>, bool) {
    let at = |row: &ThreadCursor| key(row, order, sources);
    let (from, to) = match start {
        Start::Top => (0, limit),
        Start::After(cursor) => {
            let from = found.partition_point(|row| at(row) <= at(&cursor));
            (from, from + limit)
        }
        Start::Before(cursor) => {
            let to = found.partition_point(|row| at(row) < at(&cursor));
            (to.saturating_sub(limit), to)
        }
        Start::Bottom => (found.len().saturating_sub(limit), found.len()),
    };
    let rows: Vec<ThreadCursor> = found.get(from..to.min(found.len())).unwrap_or_default().to_vec();
    let more = match start {
        Start::Top | Start::After(_) => to < found.len(),
        Start::Before(_) | Start::Bottom => from > 0,
    };
    (rows, more)
}

/// Every thread of a place, or of what is found in it, in no order.
pub(crate) fn all(conn: &Connection, held: &Held, filter: &SearchFilter) -> Result<Vec<ThreadId>> {
    if filter.looks_at_items() {
        let found = seek::threads(conn, held, filter, Reach::ALL)?;
        return Ok(found.into_iter().map(|row| row.id).collect());
    }
    Stretches::of(conn, held, Order::Newest)?.ids(conn)
}

/// How many threads meet what is asked, counted up to `most`.
pub(crate) fn count(conn: &Connection, filter: &SearchFilter, most: u64) -> Result<u64> {
    let held = Held::of(Place::Inbox, false, filter);
    let n = if filter.looks_at_items() {
        seek::threads(conn, &held, filter, Reach::LIST)?.len().try_into().unwrap_or(u64::MAX)
    } else {
        Stretches::of(conn, &held, Order::Newest)?.threads()
    };
    Ok(n.min(most))
}

/// Rows by id.
pub(crate) fn by_id(conn: &Connection, ids: &[ThreadId]) -> Result<Vec<Thread>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM threads t WHERE t.id = ?1 AND t.place < 3
         AND t.source IN (SELECT id FROM sources WHERE going = 0)"
    );
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
