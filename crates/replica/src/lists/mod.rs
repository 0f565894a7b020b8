//! Lists of threads: pages of a place, or of the threads that a search finds in it. A thread's row has all values
//! that a list shows.

pub(crate) mod contacts;
pub(crate) mod items;
mod noise;
mod people;
mod rule_values;

use std::collections::HashMap;

use rusqlite::Connection;
use tidings_model::Stamp;
use tidings_replica_tables::key_ranges::KeyRanges;
use tidings_replica_tables::thread_filter::ThreadFilter;
use tidings_replica_tables::{counters, done, sources, threads};

use crate::search::{self, Findings, Found};
use crate::{
    ItemId, Order, Place, Result, SearchFilter, SourceId, Start, ThreadCursor, ThreadId, ThreadPage,
    ThreadQuery,
};

/// The most rows of one page.
const MAX_PAGE_ROWS: usize = 500;

/// One page of a place, or of a search in it.
pub(crate) fn page(conn: &Connection, query: &ThreadQuery) -> Result<ThreadPage> {
    let limit = query.limit.clamp(1, MAX_PAGE_ROWS);
    let filter = ThreadFilter::of(query.place, query.place_only, &query.filter);
    if query.filter.needs_items() {
        return found_page(conn, query, limit, &filter);
    }
    let ranges = KeyRanges::of(conn, &filter, query.order)?;
    let (rows, more) = ranges.page(conn, query.start, limit)?;
    let (total, at_least) = if query.filter.is_empty() {
        (counters::threads_in(conn, query.place)?, false)
    } else {
        (ranges.threads(), ranges.at_least())
    };
    Ok(ThreadPage { total, at_least, ..finish(conn, query.start, &rows, more, filter.done)? })
}

/// One page of the threads that a search finds. Everywhere its rows have the order of the items that were found in the
/// threads; a place that is only narrowed keeps its own.
fn found_page(
    conn: &Connection,
    query: &ThreadQuery,
    limit: usize,
    filter: &ThreadFilter,
) -> Result<ThreadPage> {
    // A reader who goes on from the first page gets a longer list. A narrowed place is in the order of its threads, of
    // which the first may have been found last.
    let enough = (query.start == Start::Top && !query.place_only).then_some(limit);
    let Findings { found, complete } = search::list(conn, filter, &query.filter, enough)?;
    let items: HashMap<ThreadId, ItemId> = found.iter().map(|one| (one.thread.id, one.item)).collect();
    let at = |one: &Found| if query.place_only { one.thread.at } else { one.created_at };
    let row = |one: Found| ThreadCursor { at: at(&one), ..one.thread };
    let found = sorted(conn, found.into_iter().map(row).collect(), query.order)?;
    let total = found.len().try_into().unwrap_or(u64::MAX);
    let (rows, more) = slice_page(&found, query.start, query.order, limit, &sources::ids(conn)?);
    // What was not found yet comes with the next page.
    let more = more || (query.start == Start::Top && !complete && rows.len() == limit);
    let mut page =
        ThreadPage { total, at_least: !complete, ..finish(conn, query.start, &rows, more, filter.done)? };
    for thread in &page.rows {
        let Some(item) = items.get(&thread.id) else { continue };
        page.hits.extend(items::hit(conn, *item)?.map(|hit| (thread.id, hit)));
    }
    Ok(page)
}

/// The page without its total; its rows show what is archived if it is of `done` threads.
fn finish(
    conn: &Connection,
    start: Start,
    rows: &[ThreadCursor],
    more: bool,
    done: bool,
) -> Result<ThreadPage> {
    let (first, last) = (rows.first().copied(), rows.last().copied());
    let (prev, next) = match start {
        Start::Top => (None, last.filter(|_| more)),
        Start::After(_) => (first, last.filter(|_| more)),
        Start::Before(_) => (first.filter(|_| more), last),
        Start::Bottom => (first.filter(|_| more), None),
    };
    let ids: Vec<ThreadId> = rows.iter().map(|row| row.id).collect();
    let mut rows = threads::by_id(conn, &ids)?;
    if done {
        done::show_archived(conn, &mut rows)?;
    }
    Ok(ThreadPage { rows, next, prev, ..ThreadPage::default() })
}

/// The sort key of a row; rows are sorted by it in ascending order.
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
    let sources = sources::ids(conn)?;
    found.sort_by_cached_key(|row| key(row, order, &sources));
    Ok(found)
}

/// A page of a list in memory, and whether more rows follow in its direction.
fn slice_page(
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

/// The ids of all threads of a place, or of a search in it, in no order.
pub(crate) fn all(conn: &Connection, place: &ThreadFilter, filter: &SearchFilter) -> Result<Vec<ThreadId>> {
    if filter.needs_items() {
        let found = search::all(conn, place, filter)?;
        return Ok(found.into_iter().map(|found| found.thread.id).collect());
    }
    KeyRanges::of(conn, place, Order::Newest)?.ids(conn)
}

/// The number of threads that a filter selects, counted up to `most`.
pub(crate) fn count(conn: &Connection, filter: &SearchFilter, most: u64) -> Result<u64> {
    let everywhere = ThreadFilter::of(Place::Inbox, false, filter);
    let n = if filter.needs_items() {
        let enough = usize::try_from(most).unwrap_or(usize::MAX);
        search::list(conn, &everywhere, filter, Some(enough))?.found.len().try_into().unwrap_or(u64::MAX)
    } else {
        KeyRanges::of(conn, &everywhere, Order::Newest)?.threads()
    };
    Ok(n.min(most))
}
