//! Lists of threads as merged key ranges of an index: pages in both directions that read no thread outside the page.
//!
//! One index holds all threads by place, kind, source and whether something is unread. A page starts at a row.

use std::cmp::Ordering;

use rusqlite::{Connection, params_from_iter};
use tidings_model::Kind;

use super::thread_filter::ThreadFilter;
use crate::columns::{ThreadPlace, count, kind, stamp};
use crate::sources;
use crate::sql;
use crate::{Order, Result, SourceId, Start, ThreadCursor, ThreadId};

/// Pinned or muted threads are counted up to this number.
const MAX_COUNTED: u64 = 10_000;

/// The ranges of the index `threads_list` by place and unread flag. Only threads of the inbox have unread items.
const LISTED: [(ThreadPlace, bool); 4] = [
    (ThreadPlace::Inbox, false),
    (ThreadPlace::Inbox, true),
    (ThreadPlace::Snoozed, false),
    (ThreadPlace::Done, false),
];

/// Adjacent rows of an index, newest last.
#[derive(Debug)]
struct KeyRange {
    index: &'static str,
    /// The column of the time by which it is sorted.
    time: &'static str,
    condition: String,
    values: Vec<i64>,
    source: Option<SourceId>,
    threads: u64,
}

/// The key ranges of a list.
#[derive(Debug)]
pub struct KeyRanges {
    all: Vec<KeyRange>,
    /// The sources in their order, if the list is sorted by source.
    by_source: Option<Vec<SourceId>>,
}

/// The direction in which rows are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Down,
    Up,
}

impl Direction {
    fn order(self, a: &ThreadCursor, b: &ThreadCursor) -> Ordering {
        let up = (a.at, a.id).cmp(&(b.at, b.id));
        if self == Self::Up { up } else { up.reverse() }
    }
}

impl KeyRanges {
    /// The ranges of a list, without those that are empty by the counters.
    pub fn of(conn: &Connection, filter: &ThreadFilter, order: Order) -> Result<Self> {
        let by_source = match order {
            Order::Newest => None,
            Order::Source => Some(sources::ids(conn)?),
        };
        let all = if filter.pinned || filter.muted {
            flagged(conn, filter, by_source.as_deref())?
        } else if filter.done {
            done(conn, filter)?
        } else {
            listed(conn, filter)?
        };
        Ok(Self { all, by_source })
    }

    /// The number of threads in all ranges.
    pub fn threads(&self) -> u64 {
        self.all.iter().map(|range| range.threads).sum()
    }

    /// Whether there may be more threads than that.
    pub fn at_least(&self) -> bool {
        self.all.iter().any(|range| range.values.is_empty() && range.threads == MAX_COUNTED)
    }

    /// The ids of all threads in the ranges, in no order.
    pub fn ids(&self, conn: &Connection) -> Result<Vec<ThreadId>> {
        let mut ids = Vec::new();
        for range in &self.all {
            let sql =
                format!("SELECT t.id FROM threads t INDEXED BY {} WHERE {}", range.index, range.condition);
            let mut rows = conn.prepare_cached(&sql)?;
            for id in rows.query_map(params_from_iter(&range.values), |r| r.get(0))? {
                ids.push(id?);
            }
        }
        Ok(ids)
    }

    /// At most `n` rows from `start` on, in the list's order, and whether more rows follow in that direction.
    pub fn page(&self, conn: &Connection, start: Start, n: usize) -> Result<(Vec<ThreadCursor>, bool)> {
        let (direction, from) = match start {
            Start::Top => (Direction::Down, None),
            Start::After(cursor) => (Direction::Down, Some(cursor)),
            Start::Before(cursor) => (Direction::Up, Some(cursor)),
            Start::Bottom => (Direction::Up, None),
        };
        let mut rows = match &self.by_source {
            None => self.merge(conn, None, from, direction, n + 1)?,
            Some(sources) => self.merge_by_source(conn, sources, from, direction, n + 1)?,
        };
        let more = rows.len() > n;
        rows.truncate(n);
        if direction == Direction::Up {
            rows.reverse();
        }
        Ok((rows, more))
    }

    fn merge_by_source(
        &self,
        conn: &Connection,
        sources: &[SourceId],
        from: Option<ThreadCursor>,
        direction: Direction,
        n: usize,
    ) -> Result<Vec<ThreadCursor>> {
        let mut order: Vec<SourceId> = sources.to_vec();
        if direction == Direction::Up {
            order.reverse();
        }
        let first = from.and_then(|from| order.iter().position(|source| *source == from.source));
        let mut rows = Vec::new();
        for (nth, source) in order.iter().enumerate().skip(first.unwrap_or(0)) {
            if rows.len() >= n {
                break;
            }
            let from = from.filter(|_| Some(nth) == first);
            rows.extend(self.merge(conn, Some(*source), from, direction, n - rows.len())?);
        }
        Ok(rows)
    }

    /// Merges the ranges. Each range is read a share at first, and further if the page reaches the end of its share.
    fn merge(
        &self,
        conn: &Connection,
        source: Option<SourceId>,
        from: Option<ThreadCursor>,
        direction: Direction,
        n: usize,
    ) -> Result<Vec<ThreadCursor>> {
        let of_source = |range: &&KeyRange| source.is_none() || range.source == source;
        let mut lanes: Vec<(&KeyRange, Vec<ThreadCursor>, bool)> =
            self.all.iter().filter(of_source).map(|range| (range, Vec::new(), true)).collect();
        let share = if lanes.len() < 3 { n } else { (2 * n / lanes.len() + 16).min(n) };
        loop {
            let mut all: Vec<ThreadCursor> = lanes.iter().flat_map(|(_, rows, _)| rows).copied().collect();
            all.sort_unstable_by(|a, b| direction.order(a, b));
            all.truncate(n);
            let edge = all.last().copied().filter(|_| all.len() == n);
            let mut again = false;
            for (range, rows, open) in lanes.iter_mut().filter(|(.., open)| *open) {
                let last = rows.last().copied();
                let inside =
                    |last: ThreadCursor| edge.is_none_or(|edge| direction.order(&last, &edge).is_lt());
                if last.is_none_or(inside) {
                    let fetched = range.fetch(conn, last.or(from), direction, share)?;
                    *open = fetched.len() == share;
                    again |= !fetched.is_empty();
                    rows.extend(fetched);
                }
            }
            if !again {
                return Ok(all);
            }
        }
    }
}

impl KeyRange {
    fn fetch(
        &self,
        conn: &Connection,
        from: Option<ThreadCursor>,
        direction: Direction,
        n: usize,
    ) -> Result<Vec<ThreadCursor>> {
        let (than, order, end) = match direction {
            Direction::Down => ("<", "DESC", i64::MAX),
            Direction::Up => (">", "ASC", i64::MIN),
        };
        let (k, time) = (self.values.len(), self.time);
        let sql = format!(
            "SELECT t.source, {time}, t.id FROM threads t INDEXED BY {} WHERE {}
             AND ({time}, t.id) {than} (?{}, ?{}) ORDER BY {time} {order}, t.id {order} LIMIT ?{}",
            self.index,
            self.condition,
            k + 1,
            k + 2,
            k + 3
        );
        let (at, id) = from.map_or((end, end), |from| (from.at.as_micros(), from.id));
        let limit = i64::try_from(n).unwrap_or(i64::MAX);
        let values = self.values.iter().copied().chain([at, id, limit]);
        sql::all(conn, &sql, params_from_iter(values), cursor)
    }
}

/// Reads a cursor from the columns `source`, the time by which the list is sorted, and `id`.
pub fn cursor(r: &rusqlite::Row<'_>) -> rusqlite::Result<ThreadCursor> {
    Ok(ThreadCursor { source: r.get(0)?, at: stamp(r, 1)?, id: r.get(2)? })
}

/// The ranges of `threads_list` that the counters say are not empty.
fn listed(conn: &Connection, filter: &ThreadFilter) -> Result<Vec<KeyRange>> {
    let mut all = Vec::new();
    let mut rows = conn.prepare_cached(
        "SELECT source, kind, inbox_threads - unread_threads, unread_threads, snoozed_threads, archived_threads
         FROM counters WHERE source IN (SELECT id FROM sources WHERE removing = 0)",
    )?;
    let mut counters = rows.query([])?;
    while let Some(r) = counters.next()? {
        let (source, kind) = (r.get(0)?, kind(r, 1)?);
        for ((place, unread), column) in LISTED.into_iter().zip(2..) {
            let threads = count(r, column)?;
            let wanted = threads > 0
                && filter.places.contains(&place)
                && filter.unread.is_none_or(|wanted| wanted == unread)
                && filter.includes(source, kind);
            if wanted {
                all.push(KeyRange {
                    index: "threads_list",
                    time: "t.last_at",
                    condition: "t.place = ?1 AND t.kind = ?2 AND t.source = ?3 AND (t.unread > 0) = ?4"
                        .into(),
                    values: vec![place.as_row(), kind.as_row(), source, i64::from(unread)],
                    source: Some(source),
                    threads,
                });
            }
        }
    }
    Ok(all)
}

/// The ranges of `threads_done`: the threads with something archived, by the newest that is.
fn done(conn: &Connection, filter: &ThreadFilter) -> Result<Vec<KeyRange>> {
    let sql = "SELECT source, kind, done_threads FROM counters
         WHERE done_threads > 0 AND source IN (SELECT id FROM sources WHERE removing = 0)";
    let counted: Vec<(SourceId, Kind, u64)> =
        sql::all(conn, sql, [], |r| Ok((r.get(0)?, kind(r, 1)?, count(r, 2)?)))?;
    let wanted = |(source, kind, _): &(SourceId, Kind, u64)| {
        !filter.places.is_empty() && filter.includes(*source, *kind)
    };
    let range = |(source, kind, threads): (SourceId, Kind, u64)| KeyRange {
        index: "threads_done",
        time: "t.done_at",
        condition: "t.kind = ?1 AND t.source = ?2 AND t.done_at IS NOT NULL".into(),
        values: vec![kind.as_row(), source],
        source: Some(source),
        threads,
    };
    Ok(counted.into_iter().filter(wanted).map(range).collect())
}

/// The ranges of pinned or muted threads, which have an index of their own; the other conditions are checked row by
/// row.
fn flagged(
    conn: &Connection,
    filter: &ThreadFilter,
    by_source: Option<&[SourceId]>,
) -> Result<Vec<KeyRange>> {
    let (index, leading) = if filter.pinned {
        ("threads_pinned", "t.pinned = 1 AND t.place < 3")
    } else {
        ("threads_muted", "t.muted = 1 AND t.place < 3")
    };
    let time = if filter.done { "t.done_at" } else { "t.last_at" };
    let narrowed = format!("{leading} AND {}", filter.sql());
    let mut all = Vec::new();
    let sources: Vec<Option<SourceId>> =
        by_source.map_or_else(|| vec![None], |sources| sources.iter().copied().map(Some).collect());
    for source in sources {
        let condition =
            source.map_or_else(|| narrowed.clone(), |source| format!("{narrowed} AND t.source = {source}"));
        let sql = format!(
            "SELECT count(*) FROM (SELECT 1 FROM threads t INDEXED BY {index} WHERE {condition} LIMIT {MAX_COUNTED})"
        );
        let threads = sql::one(conn, &sql, [], |r| count(r, 0))?;
        all.push(KeyRange { index, time, condition, values: Vec::new(), source, threads });
    }
    Ok(all)
}
