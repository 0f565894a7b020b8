//! Search: threads and items by content, people, time and priority. The condition that leaves the fewest items is
//! evaluated first.
//!
//! The app parses a query into conditions (`SearchFilter`). A contentless FTS5 index, filled per batch, holds
//! words, people, and marks for kind, source, priority, files and links. So a common word and a rare condition meet
//! inside the index. Words are looked up by their first character too, because the first letter that is typed is
//! the commonest beginning. A longer beginning is replaced by the words that begin with it, unless they are many.
//!
//! What changes (unread, pinned, done) is not in the index. If it leaves few items, these are gathered first;
//! otherwise the newest finds are listed within [`Limits`], and the list says whether there may be more.

mod beginnings;
mod candidates;
mod completions;
mod conditions;
pub(crate) mod existence;
pub(crate) mod id_set;
pub(crate) mod items;
mod near;

use std::collections::HashSet;

use rusqlite::{Connection, params};
use tidings_model::Stamp;
use tidings_replica_tables::columns::{limit, stamp};
use tidings_replica_tables::key_ranges::cursor;
use tidings_replica_tables::search_text::{Expression, expression};
use tidings_replica_tables::thread_filter::ThreadFilter;
use tidings_replica_tables::{search_index, sql};

use self::candidates::candidates;
use self::completions::completed;
use self::conditions::Faceted;
use self::id_set::IdSet;
use crate::{ItemId, Result, SearchFilter, StateFilter, ThreadCursor};

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

/// A thread with an item that meets the filter: of several the one that came last.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    pub(crate) thread: ThreadCursor,
    pub(crate) item: ItemId,
    pub(crate) created_at: Stamp,
}

/// The columns that [`found`] reads, of `items i` and `threads t`.
const fn found_columns(places: &ThreadFilter) -> &'static str {
    if places.done {
        "t.source, t.done_at, t.id, i.id, i.listed_at"
    } else {
        "t.source, t.last_at, t.id, i.id, i.listed_at"
    }
}

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
    let Some(mut search) = Search::of(conn, places, filter)? else { return Ok(Findings::NONE) };
    if let Some(rows) = enough
        && let Some(found) = search.short_beginning()?.map(Findings::by_thread)
        && found.is_enough(rows)
    {
        return Ok(found);
    }
    search.complete()?;
    if let Some(rows) = enough {
        let first = search.find(Limits::FIRST)?;
        if first.is_enough(rows) {
            return Ok(first);
        }
    }
    search.find(Limits::LIST)
}

/// All threads with an item that meets the filter.
pub(crate) fn all(conn: &Connection, places: &ThreadFilter, filter: &SearchFilter) -> Result<Vec<Found>> {
    let Some(mut search) = Search::of(conn, places, filter)? else { return Ok(Vec::new()) };
    search.complete()?;
    Ok(search.find(Limits::ALL)?.found)
}

struct Search<'c> {
    conn: &'c Connection,
    filter: &'c SearchFilter,
    /// What the index answers of the filter.
    fts_query: Option<String>,
    /// The ids that one condition leaves, if they are few.
    candidates: Option<IdSet>,
    /// The other conditions on an item, and with those on its thread.
    item_condition: String,
    condition: String,
    /// The columns that [`found`] reads.
    columns: &'static str,
    faceted: Faceted,
}

impl<'c> Search<'c> {
    /// A search; `None` if no item can meet the filter.
    fn of(conn: &'c Connection, places: &ThreadFilter, filter: &'c SearchFilter) -> Result<Option<Self>> {
        let faceted = is_faceted(conn, filter)?;
        let fts_query = match expression(filter, faceted.0) {
            Expression::Nothing => None,
            Expression::Query(fts_query) => Some(fts_query),
            Expression::Unanswerable => return Ok(None),
        };
        let candidates = candidates(conn, filter, places)?;
        let item_condition = conditions::of_items(filter, places, faceted);
        let badge = conditions::badge(conn, filter)?;
        let condition = format!("{item_condition} AND {}{badge}", places.sql());
        let columns = found_columns(places);
        Ok(Some(Self { conn, filter, fts_query, candidates, item_condition, condition, columns, faceted }))
    }

    /// Replaces the beginning of a word in the query by its words.
    fn complete(&mut self) -> Result<()> {
        if let Some(fts_query) = self.fts_query.take() {
            self.fts_query = Some(completed(self.conn, self.filter, fts_query)?);
        }
        Ok(())
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

    /// What a short beginning of a word finds, as far as that can be said without gathering all items that have it.
    fn short_beginning(&self) -> Result<Option<Findings>> {
        let Some((widened, beginning)) = beginnings::widened(self.filter) else { return Ok(None) };
        let Expression::Query(fts_query) = expression(&widened, self.faceted.0) else { return Ok(None) };
        if self.candidates.is_some() {
            return Ok(None);
        }
        self.by_beginning(&fts_query, beginning)
    }

    /// Whether more items than that have the words.
    fn has_more_than(&self, fts_query: &str, items: usize) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM search WHERE search MATCH ?1 ORDER BY rowid DESC LIMIT 1 OFFSET ?2)";
        sql::one(self.conn, sql, params![fts_query, limit(items)], |r| r.get(0))
    }

    /// Items with the words, newest first; the other conditions are checked for each row.
    fn by_text(&self, fts_query: &str, limits: Limits) -> Result<Findings> {
        let sql = format!(
            "SELECT {}
             FROM (SELECT rowid FROM search WHERE search MATCH ?1 ORDER BY rowid DESC LIMIT ?2) s
             CROSS JOIN items i ON i.id = s.rowid CROSS JOIN threads t ON t.id = i.thread
             WHERE {} LIMIT ?3",
            self.columns, self.condition
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
            "SELECT {} FROM items i CROSS JOIN threads t ON t.id = i.thread
             WHERE i.id = ?1 AND {}",
            self.columns, self.condition
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
        let unread = self.filter.has_any_state(&[StateFilter::Unread, StateFilter::Quiet]);
        let index = if unread { "items_unread" } else { "items_time" };
        let sql = format!(
            "SELECT {} FROM (
                SELECT i.id FROM items i INDEXED BY {index} WHERE {} ORDER BY i.listed_at DESC LIMIT ?1) x
             CROSS JOIN items i ON i.id = x.id CROSS JOIN threads t ON t.id = i.thread
             WHERE {} LIMIT ?2",
            self.columns, self.item_condition, self.condition
        );
        let mut rows = self.conn.prepare_cached(&sql)?;
        let found = rows.query_map([limit(limits.examined), limit(limits.matches)], found)?;
        Ok(Findings { found: found.collect::<Result<_, _>>()?, complete: limits.examined == usize::MAX })
    }
}

/// Whether the index answers all that the filter asks of tags and origins.
fn is_faceted(conn: &Connection, filter: &SearchFilter) -> Result<Faceted> {
    let asks = !filter.tags.is_empty() || filter.origins.is_some();
    Ok(Faceted(!asks || search_index::unfaceted(conn)?.is_none()))
}
