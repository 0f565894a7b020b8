//! Search: threads and items by content, people, time and priority. The condition that leaves the fewest items is
//! evaluated first.
//!
//! The app parses a query into conditions (`SearchFilter`). A contentless FTS5 index, filled per batch, holds
//! words, people, and marks for kind, source, priority, files and links. So a common word and a rare condition meet
//! inside the index. Words are looked up by their first character too, because the first letter that is typed is
//! the commonest beginning.
//!
//! What changes (unread, pinned, done) is not in the index. If it leaves few items, these are gathered first;
//! otherwise the newest finds are listed within [`Limits`], and the list says whether there may be more.

mod beginnings;
pub(crate) mod id_set;
mod near;
pub(crate) mod text;

use std::collections::HashSet;
use std::fmt::Write as _;

use rusqlite::{Connection, params, params_from_iter};
use tidings_model::Stamp;

use self::id_set::IdSet;
use crate::lists::key_ranges::{KeyRanges, cursor};
use crate::lists::thread_filter::ThreadFilter;
use crate::tables::columns::{limit, stamp};
use crate::tables::{counters, items, sql};
use crate::{ItemId, Order, Place, Result, SearchFilter, StateFilter, ThreadCursor};

/// The limits of a search.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// The most matching items, newest first.
    matches: usize,
    /// The most items that are examined, if no condition narrows them down first.
    examined: usize,
}

impl Limits {
    /// The limits for the first page of a list, while a person types.
    const FIRST: Self = Self { matches: 2_000, examined: 8_000 };
    /// The limits for a list.
    const LIST: Self = Self { matches: 10_000, examined: 40_000 };
    /// No limits, for callers that must not miss an item.
    const ALL: Self = Self { matches: usize::MAX, examined: usize::MAX };
}

/// The most items whose ids are collected before the search.
const MAX_CANDIDATES: usize = 200_000;
/// The most threads whose items are collected before the search.
const MAX_CANDIDATE_THREADS: u64 = 3_000;

/// A thread with an item that meets the filter: of several the one that came last.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    pub(crate) thread: ThreadCursor,
    pub(crate) item: ItemId,
    pub(crate) created_at: Stamp,
}

/// The columns that [`found`] reads, of `items i` and `threads t`.
const FOUND: &str = "t.source, t.last_at, t.id, i.id, i.listed_at";

fn found(r: &rusqlite::Row<'_>) -> rusqlite::Result<Found> {
    Ok(Found { thread: cursor(r)?, item: r.get(3)?, created_at: stamp(r, 4)? })
}

/// The threads that a search found.
pub(crate) struct Findings {
    /// One for each thread, in no order.
    pub(crate) found: Vec<Found>,
    /// Whether these are all, because no limit was reached.
    pub(crate) complete: bool,
}

impl Findings {
    const NONE: Self = Self { found: Vec::new(), complete: true };

    /// One for each thread, of several the one that came last.
    fn by_thread(mut self) -> Self {
        let mut seen = HashSet::with_capacity(self.found.len());
        self.found.retain(|found| seen.insert(found.thread.id));
        self
    }

    fn is_enough(&self, rows: usize) -> bool {
        self.complete || self.found.len() >= rows
    }
}

/// Threads with an item that meets the filter, for a first page of `enough` rows: with fewer, more items are examined.
/// Without that number the longer list is made at once.
pub(crate) fn list(
    conn: &Connection,
    places: &ThreadFilter,
    filter: &SearchFilter,
    enough: Option<usize>,
) -> Result<Findings> {
    let Some(search) = Search::of(conn, places, filter)? else { return Ok(Findings::NONE) };
    if let Some(rows) = enough {
        if let Some(found) = search.short_beginning()?.filter(|first| first.is_enough(rows)) {
            return Ok(found);
        }
        let first = search.find(Limits::FIRST)?;
        if first.is_enough(rows) {
            return Ok(first);
        }
    }
    search.find(Limits::LIST)
}

/// All threads with an item that meets the filter.
pub(crate) fn all(conn: &Connection, places: &ThreadFilter, filter: &SearchFilter) -> Result<Vec<Found>> {
    let search = Search::of(conn, places, filter)?;
    Ok(search.map_or(Ok(Findings::NONE), |search| search.find(Limits::ALL))?.found)
}

/// The filter as a condition on `items i`, without the part that the full-text index answers.
fn item_condition(filter: &SearchFilter) -> String {
    let mut sql = String::from("i.deleted = 0");
    if filter.has_any_state(&[StateFilter::Unread]) {
        sql.push_str(" AND i.unread = 1");
    }
    if let Some(since) = filter.since {
        let _ = write!(sql, " AND i.listed_at >= {}", since.as_micros());
    }
    if let Some(before) = filter.before {
        let _ = write!(sql, " AND i.listed_at < {}", before.as_micros());
    }
    if let Some(least) = filter.priority.filter(|least| *least > 1) {
        let _ = write!(sql, " AND i.priority >= {least}");
    }
    sql
}

struct Search<'c> {
    conn: &'c Connection,
    filter: &'c SearchFilter,
    /// What the index answers of the filter.
    fts_query: Option<String>,
    /// The ids that one condition leaves, if they are few.
    candidates: Option<IdSet>,
    condition: String,
}

impl<'c> Search<'c> {
    /// A search; `None` if no item can meet the filter.
    fn of(conn: &'c Connection, places: &ThreadFilter, filter: &'c SearchFilter) -> Result<Option<Self>> {
        let fts_query = match text::expression(filter) {
            text::Expression::Nothing => None,
            text::Expression::Query(fts_query) => Some(fts_query),
            text::Expression::Unanswerable => return Ok(None),
        };
        let candidates = candidates(conn, filter, places)?;
        let condition = format!("{} AND {}", item_condition(filter), places.sql());
        Ok(Some(Self { conn, filter, fts_query, candidates, condition }))
    }

    fn find(&self, limits: Limits) -> Result<Findings> {
        let findings = match (&self.fts_query, &self.candidates) {
            (Some(fts_query), Some(ids)) => self.among(fts_query, ids, limits),
            (Some(fts_query), None) => self.by_text(fts_query, limits),
            (None, Some(ids)) => self.rows(ids.newest_first(), limits),
            (None, None) => self.by_time(limits),
        }?;
        Ok(findings.by_thread())
    }

    /// What a short beginning of a word finds, as far as that can be told without gathering all items that have it.
    fn short_beginning(&self) -> Result<Option<Findings>> {
        let Some((widened, beginning)) = beginnings::widened(self.filter) else { return Ok(None) };
        let text::Expression::Query(fts_query) = text::expression(&widened) else { return Ok(None) };
        if self.candidates.is_some() {
            return Ok(None);
        }
        Ok(self.by_beginning(&fts_query, beginning)?.map(Findings::by_thread))
    }

    /// Whether more items than that have the words.
    fn has_more_than(&self, fts_query: &str, items: usize) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM search WHERE search MATCH ?1 ORDER BY rowid DESC LIMIT 1 OFFSET ?2)";
        sql::one(self.conn, sql, params![fts_query, limit(items)], |r| r.get(0))
    }

    /// Items with the words, newest first; the other conditions are checked for each row.
    fn by_text(&self, fts_query: &str, limits: Limits) -> Result<Findings> {
        let sql = format!(
            "SELECT {FOUND}
             FROM (SELECT rowid FROM search WHERE search MATCH ?1 ORDER BY rowid DESC LIMIT ?2) s
             CROSS JOIN items i ON i.id = s.rowid CROSS JOIN threads t ON t.id = i.thread
             WHERE {} LIMIT ?3",
            self.condition
        );
        let mut rows = self.conn.prepare_cached(&sql)?;
        let (examined, matches) = (limit(limits.examined), limit(limits.matches));
        let found: Vec<Found> =
            rows.query_map(params![fts_query, examined, matches], found)?.collect::<Result<_, _>>()?;
        let complete = found.len() < limits.matches && !self.has_more_than(fts_query, limits.examined)?;
        Ok(Findings { found, complete })
    }

    /// Items with the words, among ids that were collected.
    fn among(&self, fts_query: &str, ids: &IdSet, limits: Limits) -> Result<Findings> {
        let mut rows = self.conn.prepare_cached(
            "SELECT rowid FROM search WHERE search MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rowid DESC",
        )?;
        let (low, high) = ids.bounds();
        let mut hits = rows.query(params![fts_query, low, high])?;
        let mut failed = None;
        let found = self.rows(
            std::iter::from_fn(|| {
                loop {
                    match hits.next().and_then(|row| row.map(|row| row.get::<_, ItemId>(0)).transpose()) {
                        Ok(Some(id)) if ids.has(id) => return Some(id),
                        Ok(Some(_)) => {}
                        Ok(None) => return None,
                        Err(error) => {
                            failed = Some(error);
                            return None;
                        }
                    }
                }
            }),
            limits,
        )?;
        failed.map_or(Ok(found), |error| Err(error.into()))
    }

    fn rows(&self, mut ids: impl Iterator<Item = ItemId>, limits: Limits) -> Result<Findings> {
        let sql = format!(
            "SELECT {FOUND} FROM items i CROSS JOIN threads t ON t.id = i.thread
             WHERE i.id = ?1 AND {}",
            self.condition
        );
        let mut one = self.conn.prepare_cached(&sql)?;
        let mut all = Vec::new();
        for id in ids.by_ref().take(limits.examined) {
            for item in one.query_map([id], found)? {
                all.push(item?);
            }
            if all.len() >= limits.matches {
                break;
            }
        }
        Ok(Findings { found: all, complete: ids.next().is_none() })
    }

    /// Items in the order of time, newest first, if there are too many to collect their ids: more than any limit.
    fn by_time(&self, limits: Limits) -> Result<Findings> {
        let index =
            if self.filter.has_any_state(&[StateFilter::Unread]) { "items_unread" } else { "items_time" };
        let sql = format!(
            "SELECT {FOUND} FROM (
                SELECT i.id FROM items i INDEXED BY {index} WHERE {} ORDER BY i.listed_at DESC LIMIT ?1) x
             CROSS JOIN items i ON i.id = x.id CROSS JOIN threads t ON t.id = i.thread
             WHERE {} LIMIT ?2",
            item_condition(self.filter),
            self.condition
        );
        let mut rows = self.conn.prepare_cached(&sql)?;
        let found = rows.query_map([limit(limits.examined), limit(limits.matches)], found)?;
        Ok(Findings { found: found.collect::<Result<_, _>>()?, complete: limits.examined == usize::MAX })
    }
}

/// The ids of the items that one condition leaves, if they are few.
fn candidates(conn: &Connection, filter: &SearchFilter, places: &ThreadFilter) -> Result<Option<IdSet>> {
    if places.narrows() {
        let ranges = KeyRanges::of(conn, places, Order::Newest)?;
        if ranges.threads() <= MAX_CANDIDATE_THREADS
            && let Some(ids) = of_threads(conn, &ranges)?
        {
            return Ok(Some(ids));
        }
    }
    let timed = filter.since.is_some() || filter.before.is_some();
    let (index, condition) = if filter.has_any_state(&[StateFilter::Unread]) {
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

/// Items that meet the filter, newest first.
pub(crate) fn items(conn: &Connection, filter: &SearchFilter, most: usize) -> Result<Vec<crate::Item>> {
    let condition =
        format!("{} AND {}", item_condition(filter), ThreadFilter::of(Place::Inbox, false, filter).sql());
    let found: Vec<(i64, ItemId)> = match text::expression(filter) {
        text::Expression::Unanswerable => return Ok(Vec::new()),
        text::Expression::Query(fts_query) => {
            // Ids first: the text is read only for the items of the page.
            let sql = format!(
                "SELECT i.listed_at, i.id FROM search s CROSS JOIN items i ON i.id = s.rowid
                 CROSS JOIN threads t ON t.id = i.thread
                 WHERE search MATCH ?1 AND {condition} ORDER BY s.rowid DESC LIMIT ?2"
            );
            let mut rows = conn.prepare_cached(&sql)?;
            rows.query_map(params![fts_query, limit(most.max(MAX_SORTED))], |r| Ok((r.get(0)?, r.get(1)?)))?
                .collect::<Result<_, _>>()?
        }
        text::Expression::Nothing => {
            let index =
                if filter.has_any_state(&[StateFilter::Unread]) { "items_unread" } else { "items_time" };
            let sql = format!(
                "SELECT i.listed_at, i.id FROM items i INDEXED BY {index} CROSS JOIN threads t ON t.id = i.thread
                 WHERE {condition} ORDER BY i.listed_at DESC, i.id DESC LIMIT ?1"
            );
            let mut rows = conn.prepare_cached(&sql)?;
            rows.query_map(params_from_iter([limit(most)]), |r| Ok((r.get(0)?, r.get(1)?)))?
                .collect::<Result<_, _>>()?
        }
    };
    newest(conn, found, most)
}

/// Larger results are not sorted by time and come in the order of arrival.
const MAX_SORTED: usize = 1_000;

fn newest(conn: &Connection, mut found: Vec<(i64, ItemId)>, most: usize) -> Result<Vec<crate::Item>> {
    found.sort_unstable_by(|a, b| b.cmp(a));
    let sql = format!("SELECT {} FROM {} WHERE i.id = ?1", items::ITEM, items::ITEM_FROM);
    let mut one = conn.prepare_cached(&sql)?;
    let rows = found.iter().take(most).map(|(_, id)| one.query_row([id], items::item));
    Ok(rows.collect::<Result<_, _>>()?)
}
