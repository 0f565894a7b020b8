//! Threads by what their items are: words, people, times, priority. Refuses to look at more than it must: whichever
//! condition leaves the fewest items leads.

use std::fmt::Write as _;

use std::collections::HashSet;

use rusqlite::{Connection, params, params_from_iter};
use tidings_model::Stamp;

use crate::held::Held;
use crate::ids::Ids;
use crate::stretch::{self, Stretches};
use crate::{ItemId, Order, Place, Result, SearchFilter, StateFilter, ThreadCursor, row, text};

/// How far a search goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reach {
    /// Items found at most, the newest ones.
    finds: usize,
    /// Items looked at, where nothing better leads.
    looked: usize,
}

impl Reach {
    /// For a list.
    pub(crate) const LIST: Self = Self { finds: 10_000, looked: 40_000 };
    /// For what must not miss any.
    pub(crate) const ALL: Self = Self { finds: usize::MAX, looked: usize::MAX };
}

/// Items that are few enough to be gathered beforehand.
const FEW: usize = 200_000;
/// Threads whose items are gathered beforehand.
const FEW_THREADS: u64 = 3_000;

/// Threads of which an item meets what is asked, in no order.
pub(crate) fn threads(
    conn: &Connection,
    held: &Held,
    filter: &SearchFilter,
    reach: Reach,
) -> Result<Vec<ThreadCursor>> {
    let seeking = Seeking {
        conn,
        words: match text::expression(filter) {
            text::Asked::Nothing => None,
            text::Asked::Words(words) => Some(words),
            text::Asked::Unanswerable => return Ok(Vec::new()),
        },
        condition: format!("{} AND {}", on_item(filter), held.sql()),
        reach,
    };
    let few = gathered(conn, filter, held)?;
    let found = match (&seeking.words, &few) {
        (Some(words), Some(ids)) => seeking.among(words, ids),
        (Some(words), None) => seeking.with_words(words),
        (None, Some(ids)) => seeking.rows(ids.newest_first()),
        (None, None) => seeking.by_time(filter),
    }?;
    let mut seen = HashSet::with_capacity(found.len());
    Ok(found.into_iter().filter(|thread| seen.insert(thread.id)).collect())
}

/// What is asked of `items i` beside words.
pub(crate) fn on_item(filter: &SearchFilter) -> String {
    let mut sql = String::from("i.deleted = 0");
    if filter.asks_for(&[StateFilter::Unread]) {
        sql.push_str(" AND i.unread = 1");
    }
    if let Some(since) = filter.since {
        let _ = write!(sql, " AND i.created_at >= {}", since.as_micros());
    }
    if let Some(before) = filter.before {
        let _ = write!(sql, " AND i.created_at < {}", before.as_micros());
    }
    if let Some(least) = filter.priority.filter(|least| *least > 1) {
        let _ = write!(sql, " AND i.priority >= {least}");
    }
    sql
}

struct Seeking<'c> {
    conn: &'c Connection,
    words: Option<String>,
    condition: String,
    reach: Reach,
}

impl Seeking<'_> {
    /// What holds the words, newest first, each row looked up.
    fn with_words(&self, words: &str) -> Result<Vec<ThreadCursor>> {
        let sql = format!(
            "SELECT t.source, t.last_at, t.id
             FROM (SELECT rowid FROM search WHERE search MATCH ?1 ORDER BY rowid DESC LIMIT ?2) s
             CROSS JOIN items i ON i.id = s.rowid CROSS JOIN threads t ON t.id = i.thread
             WHERE {} LIMIT ?3",
            self.condition
        );
        let mut rows = self.conn.prepare_cached(&sql)?;
        let found =
            rows.query_map(params![words, most(self.reach.looked), most(self.reach.finds)], stretch::cursor)?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// What holds the words, of items that were gathered.
    fn among(&self, words: &str, ids: &Ids) -> Result<Vec<ThreadCursor>> {
        let mut rows = self.conn.prepare_cached(
            "SELECT rowid FROM search WHERE search MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rowid DESC",
        )?;
        let (low, high) = ids.bounds();
        let mut hits = rows.query(params![words, low, high])?;
        let mut failed = None;
        let found = self.rows(std::iter::from_fn(|| {
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
        }))?;
        failed.map_or(Ok(found), |error| Err(error.into()))
    }

    fn rows(&self, ids: impl Iterator<Item = ItemId>) -> Result<Vec<ThreadCursor>> {
        let sql = format!(
            "SELECT t.source, t.last_at, t.id FROM items i CROSS JOIN threads t ON t.id = i.thread
             WHERE i.id = ?1 AND {}",
            self.condition
        );
        let mut one = self.conn.prepare_cached(&sql)?;
        let mut found = Vec::new();
        for id in ids.take(self.reach.looked) {
            for thread in one.query_map([id], stretch::cursor)? {
                found.push(thread?);
            }
            if found.len() >= self.reach.finds {
                break;
            }
        }
        Ok(found)
    }

    /// Items of a time that is too long to be gathered, newest first.
    fn by_time(&self, filter: &SearchFilter) -> Result<Vec<ThreadCursor>> {
        let index = if filter.asks_for(&[StateFilter::Unread]) { "items_unread" } else { "items_time" };
        let sql = format!(
            "SELECT t.source, t.last_at, t.id FROM (
                SELECT i.id FROM items i INDEXED BY {index} WHERE {} ORDER BY i.created_at DESC LIMIT ?1) x
             CROSS JOIN items i ON i.id = x.id CROSS JOIN threads t ON t.id = i.thread
             WHERE {} LIMIT ?2",
            on_item(filter),
            self.condition
        );
        let mut rows = self.conn.prepare_cached(&sql)?;
        let found = rows.query_map([most(self.reach.looked), most(self.reach.finds)], stretch::cursor)?;
        Ok(found.collect::<Result<_, _>>()?)
    }
}

fn most(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// The items that one of the conditions leaves, where these are few.
fn gathered(conn: &Connection, filter: &SearchFilter, held: &Held) -> Result<Option<Ids>> {
    if held.narrows() {
        let stretches = Stretches::of(conn, held, Order::Newest)?;
        if stretches.threads() <= FEW_THREADS
            && let Some(ids) = of_threads(conn, &stretches)?
        {
            return Ok(Some(ids));
        }
    }
    let timed = filter.since.is_some() || filter.before.is_some();
    let (index, condition) = if filter.asks_for(&[StateFilter::Unread]) {
        let unread: u64 = conn
            .prepare_cached("SELECT ifnull(sum(unread), 0) FROM counters")?
            .query_row([], |r| row::count(r, 0))?;
        if !timed && unread > FEW as u64 {
            return Ok(None);
        }
        ("items_unread", "unread = 1")
    } else if timed {
        ("items_time", "1")
    } else {
        return Ok(None);
    };
    let sql = format!(
        "SELECT id FROM items INDEXED BY {index} WHERE {condition} AND created_at >= ?1 AND created_at < ?2 LIMIT ?3"
    );
    let since = filter.since.map_or(i64::MIN, Stamp::as_micros);
    let before = filter.before.map_or(i64::MAX, Stamp::as_micros);
    let mut rows = conn.prepare_cached(&sql)?;
    let ids = rows.query_map(params![since, before, most(FEW + 1)], |r| r.get(0))?;
    few(ids)
}

fn of_threads(conn: &Connection, stretches: &Stretches) -> Result<Option<Ids>> {
    let mut rows =
        conn.prepare_cached("SELECT id FROM items INDEXED BY items_thread WHERE thread = ?1 LIMIT ?2")?;
    let mut ids: Vec<ItemId> = Vec::new();
    for thread in stretches.ids(conn)? {
        let room = FEW + 1 - ids.len().min(FEW);
        for id in rows.query_map([thread, most(room)], |r| r.get(0))? {
            ids.push(id?);
        }
        if ids.len() > FEW {
            return Ok(None);
        }
    }
    few(ids.into_iter().map(Ok))
}

/// None where there are too many.
fn few(ids: impl Iterator<Item = rusqlite::Result<ItemId>>) -> Result<Option<Ids>> {
    let ids: Vec<ItemId> = ids.collect::<Result<_, _>>()?;
    Ok(if ids.len() > FEW { None } else { Some(ids.into_iter().collect()) })
}

/// Items that meet what is asked, newest first.
pub(crate) fn items(conn: &Connection, filter: &SearchFilter, limit: usize) -> Result<Vec<crate::Item>> {
    let condition = format!("{} AND {}", on_item(filter), Held::of(Place::Inbox, false, filter).sql());
    let found: Vec<(i64, ItemId)> = match text::expression(filter) {
        text::Asked::Unanswerable => return Ok(Vec::new()),
        text::Asked::Words(words) => {
            // Ids first: the words of all but a page's worth of items need not be read.
            let sql = format!(
                "SELECT i.created_at, i.id FROM search s CROSS JOIN items i ON i.id = s.rowid
                 CROSS JOIN threads t ON t.id = i.thread
                 WHERE search MATCH ?1 AND {condition} ORDER BY s.rowid DESC LIMIT ?2"
            );
            let mut rows = conn.prepare_cached(&sql)?;
            rows.query_map(params![words, most(limit.max(SORTED))], |r| Ok((r.get(0)?, r.get(1)?)))?
                .collect::<Result<_, _>>()?
        }
        text::Asked::Nothing => {
            let index = if filter.asks_for(&[StateFilter::Unread]) { "items_unread" } else { "items_time" };
            let sql = format!(
                "SELECT i.created_at, i.id FROM items i INDEXED BY {index} CROSS JOIN threads t ON t.id = i.thread
                 WHERE {condition} ORDER BY i.created_at DESC, i.id DESC LIMIT ?1"
            );
            let mut rows = conn.prepare_cached(&sql)?;
            rows.query_map(params_from_iter([most(limit)]), |r| Ok((r.get(0)?, r.get(1)?)))?
                .collect::<Result<_, _>>()?
        }
    };
    newest(conn, found, limit)
}

/// More finds than this are not sorted by time but come as they arrived.
const SORTED: usize = 1_000;

fn newest(conn: &Connection, mut found: Vec<(i64, ItemId)>, limit: usize) -> Result<Vec<crate::Item>> {
    found.sort_unstable_by(|a, b| b.cmp(a));
    let sql = format!("SELECT {} FROM {} WHERE i.id = ?1", row::ITEM, row::ITEM_FROM);
    let mut one = conn.prepare_cached(&sql)?;
    let rows = found.iter().take(limit).map(|(_, id)| one.query_row([id], row::item));
    Ok(rows.collect::<Result<_, _>>()?)
}
