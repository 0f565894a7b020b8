//! Whether a filter finds anything, answered with bounded work: for conditions that are offered while a person types.

use rusqlite::{Connection, params};
use tidings_model::Stamp;
use tidings_replica_tables::columns::limit;
use tidings_replica_tables::key_ranges::KeyRanges;
use tidings_replica_tables::search_text::{Expression, expression};
use tidings_replica_tables::sql;
use tidings_replica_tables::thread_filter::ThreadFilter;

use super::completions::completed;
use super::{conditions, is_faceted};
use crate::{Order, Place, Result, SearchFilter, StateFilter};

/// The number of the newest row ids among which words and marks are looked for.
const SEARCHED: i64 = 200_000;
/// The most items that are examined row by row, newest first.
const EXAMINED: usize = 1_000;

/// Whether an item of any place meets the filter, as far as the newest items show that.
pub(crate) fn exists(conn: &Connection, filter: &SearchFilter) -> Result<bool> {
    let places = ThreadFilter::of(Place::Inbox, false, filter);
    if !filter.needs_items() {
        return Ok(KeyRanges::of(conn, &places, Order::Newest)?.threads() > 0);
    }
    let faceted = is_faceted(conn, filter)?;
    let badge = conditions::badge(conn, filter)?;
    let condition = format!("{} AND {}{badge}", conditions::of_items(filter, &places, faceted), places.sql());
    match expression(filter, faceted.0) {
        Expression::Unanswerable => Ok(false),
        Expression::Query(fts_query) => by_text(conn, &completed(conn, filter, fts_query)?, &condition),
        Expression::Nothing => by_time(conn, filter, &condition),
    }
}

fn by_text(conn: &Connection, fts_query: &str, condition: &str) -> Result<bool> {
    let last: i64 = sql::one(conn, "SELECT ifnull(max(id), 0) FROM items", [], |r| r.get(0))?;
    let exists = format!(
        "SELECT EXISTS (SELECT 1
             FROM (SELECT rowid FROM search WHERE search MATCH ?1 AND rowid > ?2 ORDER BY rowid DESC LIMIT ?3) s
             CROSS JOIN items i ON i.id = s.rowid CROSS JOIN threads t ON t.id = i.thread
             WHERE {condition})"
    );
    sql::one(conn, &exists, params![fts_query, last - SEARCHED, limit(EXAMINED)], |r| r.get(0))
}

fn by_time(conn: &Connection, filter: &SearchFilter, condition: &str) -> Result<bool> {
    let (index, is_held) = if filter.has_any_state(&[StateFilter::Unread, StateFilter::Quiet]) {
        ("items_unread", "unread = 1")
    } else {
        ("items_time", "1")
    };
    let exists = format!(
        "SELECT EXISTS (SELECT 1
             FROM (SELECT id FROM items INDEXED BY {index} WHERE {is_held} AND listed_at >= ?1 AND listed_at < ?2
                 ORDER BY listed_at DESC LIMIT ?3) x
             CROSS JOIN items i ON i.id = x.id CROSS JOIN threads t ON t.id = i.thread
             WHERE {condition})"
    );
    let since = filter.since.map_or(i64::MIN, Stamp::as_micros);
    let before = filter.before.map_or(i64::MAX, Stamp::as_micros);
    sql::one(conn, &exists, params![since, before, limit(EXAMINED)], |r| r.get(0))
}
