//! The items that the rarest condition of a search leaves.

use rusqlite::{Connection, params};
use tidings_model::Stamp;
use tidings_replica_tables::columns::limit;
use tidings_replica_tables::counters;
use tidings_replica_tables::key_ranges::KeyRanges;
use tidings_replica_tables::thread_filter::ThreadFilter;

use super::id_set::IdSet;
use crate::{ItemId, Order, Result, SearchFilter, StateFilter};

/// The most items whose ids are collected before the search.
const MAX_CANDIDATES: usize = 200_000;
/// The most threads whose items are collected before the search.
const MAX_CANDIDATE_THREADS: u64 = 3_000;

/// The ids of the items that one condition leaves, if they are few.
pub(super) fn candidates(
    conn: &Connection,
    filter: &SearchFilter,
    places: &ThreadFilter,
) -> Result<Option<IdSet>> {
    if places.narrows() {
        let ranges = KeyRanges::of(conn, places, Order::Newest)?;
        if ranges.threads() <= MAX_CANDIDATE_THREADS
            && let Some(ids) = of_threads(conn, &ranges)?
        {
            return Ok(Some(ids));
        }
    }
    let timed = filter.since.is_some() || filter.before.is_some();
    let (index, condition) = if filter.has_any_state(&[StateFilter::Unread, StateFilter::Quiet]) {
        if !timed && counters::unread(conn)? > MAX_CANDIDATES as u64 {
            return Ok(None);
        }
        ("items_unread", "unread = 1")
    } else if timed {
        ("items_time", "1")
    } else {
        return Ok(None);
    };
    let sql = format!(
        "SELECT id FROM items INDEXED BY {index} WHERE {condition} AND listed_at >= ?1 AND listed_at < ?2 LIMIT ?3"
    );
    let since = filter.since.map_or(i64::MIN, Stamp::as_micros);
    let before = filter.before.map_or(i64::MAX, Stamp::as_micros);
    let mut rows = conn.prepare_cached(&sql)?;
    let ids = rows.query_map(params![since, before, limit(MAX_CANDIDATES + 1)], |r| r.get(0))?;
    unless_too_many(ids)
}

fn of_threads(conn: &Connection, ranges: &KeyRanges) -> Result<Option<IdSet>> {
    let mut rows =
        conn.prepare_cached("SELECT id FROM items INDEXED BY items_thread WHERE thread = ?1 LIMIT ?2")?;
    let mut ids: Vec<ItemId> = Vec::new();
    for thread in ranges.ids(conn)? {
        let room = MAX_CANDIDATES + 1 - ids.len().min(MAX_CANDIDATES);
        for id in rows.query_map([thread, limit(room)], |r| r.get(0))? {
            ids.push(id?);
        }
        if ids.len() > MAX_CANDIDATES {
            return Ok(None);
        }
    }
    unless_too_many(ids.into_iter().map(Ok))
}

/// The ids as a set; `None` if there are too many.
fn unless_too_many(ids: impl Iterator<Item = rusqlite::Result<ItemId>>) -> Result<Option<IdSet>> {
    let ids: Vec<ItemId> = ids.collect::<Result<_, _>>()?;
    Ok(if ids.len() > MAX_CANDIDATES { None } else { Some(ids.into_iter().collect()) })
}
