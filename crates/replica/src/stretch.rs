//! Lists of threads as stretches of an index that are merged: pages in both directions. Refuses to look at any thread
//! that is not on the page.

use std::cmp::Ordering;

use rusqlite::{Connection, params_from_iter};

use crate::held::Held;
use crate::{Order, Result, SourceId, Start, ThreadCursor, ThreadId, ThreadPage, row};

/// Neighbours in an index, newest last.
#[derive(Debug)]
struct Stretch {
    index: &'static str,
    condition: String,
    values: Vec<i64>,
    source: Option<SourceId>,
    threads: u64,
}

/// All stretches of a list.
#[derive(Debug)]
pub(crate) struct Stretches {
    all: Vec<Stretch>,
    /// Sources in their order, where the list is sorted by them.
    by_source: Option<Vec<SourceId>>,
}

/// In which direction rows are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Down,
    Up,
}

impl Way {
    fn order(self, a: &ThreadCursor, b: &ThreadCursor) -> Ordering {
        let up = (a.at, a.id).cmp(&(b.at, b.id));
        if self == Self::Up { up } else { up.reverse() }
    }
}

/// The sources in their order.
pub(crate) fn sources(conn: &Connection) -> Result<Vec<SourceId>> {
    let mut rows = conn.prepare_cached("SELECT id FROM sources WHERE going = 0 ORDER BY position, id")?;
    Ok(rows.query_map([], |r| r.get(0))?.collect::<Result<_, _>>()?)
}

impl Stretches {
    pub(crate) fn of(conn: &Connection, held: &Held, order: Order) -> Result<Self> {
        let by_source = match order {
            Order::Newest => None,
            Order::Source => Some(sources(conn)?),
        };
        let all = if held.pinned || held.muted {
            flagged(conn, held, by_source.as_deref())?
        } else {
            listed(conn, held)?
        };
        Ok(Self { all, by_source })
    }

    /// Threads in all of it.
    pub(crate) fn threads(&self) -> u64 {
        self.all.iter().map(|stretch| stretch.threads).sum()
    }

    /// Every thread of it, in no order.
    pub(crate) fn ids(&self, conn: &Connection) -> Result<Vec<ThreadId>> {
        let mut ids = Vec::new();
        for stretch in &self.all {
            let sql = format!(
                "SELECT t.id FROM threads t INDEXED BY {} WHERE {}",
                stretch.index, stretch.condition
            );
            let mut rows = conn.prepare_cached(&sql)?;
            for id in rows.query_map(params_from_iter(&stretch.values), |r| r.get(0))? {
                ids.push(id?);
            }
        }
        Ok(ids)
    }

    /// At most `n` rows from `start` on, in the list's order, and whether there are more in that direction.
    pub(crate) fn page(
        &self,
        conn: &Connection,
        start: Start,
        n: usize,
    ) -> Result<(Vec<ThreadCursor>, bool)> {
        let (way, from) = match start {
            Start::Top => (Way::Down, None),
            Start::After(cursor) => (Way::Down, Some(cursor)),
            Start::Before(cursor) => (Way::Up, Some(cursor)),
            Start::Bottom => (Way::Up, None),
        };
        let mut rows = match &self.by_source {
            None => self.take(conn, None, from, way, n + 1)?,
            Some(sources) => self.take_by_source(conn, sources, from, way, n + 1)?,
        };
        let more = rows.len() > n;
        rows.truncate(n);
        if way == Way::Up {
            rows.reverse();
        }
        Ok((rows, more))
    }

    fn take_by_source(
        &self,
        conn: &Connection,
        sources: &[SourceId],
        from: Option<ThreadCursor>,
        way: Way,
        n: usize,
    ) -> Result<Vec<ThreadCursor>> {
        let mut order: Vec<SourceId> = sources.to_vec();
        if way == Way::Up {
            order.reverse();
        }
        let first = from.and_then(|from| order.iter().position(|source| *source == from.source));
        let mut rows = Vec::new();
        for (nth, source) in order.iter().enumerate().skip(first.unwrap_or(0)) {
            if rows.len() >= n {
                break;
            }
            let from = from.filter(|_| Some(nth) == first);
            rows.extend(self.take(conn, Some(*source), from, way, n - rows.len())?);
        }
        Ok(rows)
    }

    /// Merges what the stretches hold. Each gives a share at first, and more where the page reaches its end.
    fn take(
        &self,
        conn: &Connection,
        source: Option<SourceId>,
        from: Option<ThreadCursor>,
        way: Way,
        n: usize,
    ) -> Result<Vec<ThreadCursor>> {
        let mine = |stretch: &&Stretch| source.is_none() || stretch.source == source;
        let mut lanes: Vec<(&Stretch, Vec<ThreadCursor>, bool)> =
            self.all.iter().filter(mine).map(|stretch| (stretch, Vec::new(), true)).collect();
        let share = if lanes.len() < 3 { n } else { (2 * n / lanes.len() + 16).min(n) };
        loop {
            let mut all: Vec<ThreadCursor> = lanes.iter().flat_map(|(_, rows, _)| rows).copied().collect();
            all.sort_unstable_by(|a, b| way.order(a, b));
            all.truncate(n);
            let edge = all.last().copied().filter(|_| all.len() == n);
            let mut again = false;
            for (stretch, rows, open) in lanes.iter_mut().filter(|(.., open)| *open) {
                let last = rows.last().copied();
                let inside = |last: ThreadCursor| edge.is_none_or(|edge| way.order(&last, &edge).is_lt());
                if last.is_none_or(inside) {
                    let came = stretch.fetch(conn, last.or(from), way, share)?;
                    *open = came.len() == share;
                    again |= !came.is_empty();
                    rows.extend(came);
                }
            }
            if !again {
                return Ok(all);
            }
        }
    }
}

impl Stretch {
    fn fetch(
        &self,
        conn: &Connection,
        from: Option<ThreadCursor>,
        way: Way,
        n: usize,
    ) -> Result<Vec<ThreadCursor>> {
        let (than, order, end) = match way {
            Way::Down => ("<", "DESC", i64::MAX),
            Way::Up => (">", "ASC", i64::MIN),
        };
        let k = self.values.len();
        let sql = format!(
            "SELECT t.source, t.last_at, t.id FROM threads t INDEXED BY {} WHERE {}
             AND (t.last_at, t.id) {than} (?{}, ?{}) ORDER BY t.last_at {order}, t.id {order} LIMIT ?{}",
            self.index,
            self.condition,
            k + 1,
            k + 2,
            k + 3
        );
        let (at, id) = from.map_or((end, end), |from| (from.at.as_micros(), from.id));
        let limit = i64::try_from(n).unwrap_or(i64::MAX);
        let values = self.values.iter().copied().chain([at, id, limit]);
        let mut rows = conn.prepare_cached(&sql)?;
        Ok(rows.query_map(params_from_iter(values), cursor)?.collect::<Result<_, _>>()?)
    }
}

/// From the columns `source, last_at, id`.
pub(crate) fn cursor(r: &rusqlite::Row<'_>) -> rusqlite::Result<ThreadCursor> {
    Ok(ThreadCursor { source: r.get(0)?, at: row::stamp(r, 1)?, id: r.get(2)? })
}

/// The stretches that hold anything: the counters know.
fn listed(conn: &Connection, held: &Held) -> Result<Vec<Stretch>> {
    let mut all = Vec::new();
    let mut rows = conn.prepare_cached(
        "SELECT source, kind, inbox - unread_threads, unread_threads, snoozed, done FROM counters
         WHERE source IN (SELECT id FROM sources WHERE going = 0)",
    )?;
    let mut counters = rows.query([])?;
    while let Some(r) = counters.next()? {
        let (source, kind) = (r.get(0)?, row::kind(r, 1)?);
        // What sleeps or is done has nothing unread.
        for (place, unread, column) in [(0, false, 2), (0, true, 3), (1, false, 4), (2, false, 5)] {
            let threads = row::count(r, column)?;
            let wanted = threads > 0
                && held.places.contains(&place)
                && held.unread.is_none_or(|wanted| wanted == unread)
                && held.takes(source, kind);
            if wanted {
                all.push(Stretch {
                    index: "threads_list",
                    condition: "t.place = ?1 AND t.kind = ?2 AND t.source = ?3 AND (t.unread > 0) = ?4"
                        .into(),
                    values: vec![place, kind.as_row(), source, i64::from(unread)],
                    source: Some(source),
                    threads,
                });
            }
        }
    }
    Ok(all)
}

/// What is pinned or silenced has an index of its own; the rest of what is asked is looked up.
fn flagged(conn: &Connection, held: &Held, by_source: Option<&[SourceId]>) -> Result<Vec<Stretch>> {
    let (index, led) = if held.pinned {
        ("threads_pinned", "t.pinned = 1 AND t.place < 3")
    } else {
        ("threads_muted", "t.muted = 1 AND t.place < 3")
    };
    let narrowed = format!("{led} AND {}", held.sql());
    let mut all = Vec::new();
    let sources: Vec<Option<SourceId>> =
        by_source.map_or_else(|| vec![None], |sources| sources.iter().copied().map(Some).collect());
    for source in sources {
        let condition =
            source.map_or_else(|| narrowed.clone(), |source| format!("{narrowed} AND t.source = {source}"));
        let sql = format!(
            "SELECT count(*) FROM (SELECT 1 FROM threads t INDEXED BY {index} WHERE {condition} LIMIT {})",
            ThreadPage::FOUND
        );
        let threads = conn.prepare_cached(&sql)?.query_row([], |r| row::count(r, 0))?;
        all.push(Stretch { index, condition, values: Vec::new(), source, threads });
    }
    Ok(all)
}
