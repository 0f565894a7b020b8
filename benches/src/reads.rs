//! Reading: counts, the first page and search, at several sizes of the same inbox. Each figure is of a whole call, which
//! includes opening its snapshot.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};
use tidings_model::SystemClock;
use tidings_replica::{FILE, Place, Replica, SearchFilter, ThreadQuery};

use crate::Result;
use crate::growth;
use crate::report::Report;
use crate::setup::{self, LoadedServer};
use crate::size::Size;

/// Median and 99th percentile.
#[derive(Clone, Copy)]
pub(crate) struct Spread {
    pub(crate) p50: Duration,
    pub(crate) p99: Duration,
}

impl Spread {
    /// The spread of these times; sorts them.
    pub(crate) fn of(took: &mut [Duration]) -> Self {
        took.sort_unstable();
        // By nearest rank: of a hundred, the 99th is not the longest.
        let at = |percent: usize| {
            let rank = (took.len() * percent).div_ceil(100);
            took.get(rank.saturating_sub(1)).copied().unwrap_or_default()
        };
        Self { p50: at(50), p99: at(99) }
    }
}

/// Runs `run` `count` times; gives the times that it took.
fn durations(count: usize, run: &mut impl FnMut() -> Result<()>) -> Result<Vec<Duration>> {
    let timed = |_| {
        let started = Instant::now();
        run()?;
        Ok(started.elapsed())
    };
    (0..count).map(timed).collect()
}

/// A figure and its floor.
struct Beside {
    figure: Spread,
    floor: Spread,
}

/// The times at which a figure and its floor take turns: a machine that is slower for a while is slower for both.
const ROUNDS: usize = 10;

/// Runs `figure` and `floor` as often as they say, in [`ROUNDS`] turns.
fn beside(
    (figures, mut figure): (usize, impl FnMut() -> Result<()>),
    (floors, mut floor): (usize, impl FnMut() -> Result<()>),
) -> Result<Beside> {
    let (mut took, mut floor_took) = (Vec::with_capacity(figures), Vec::with_capacity(floors));
    for _ in 0..ROUNDS {
        took.extend(durations(figures / ROUNDS, &mut figure)?);
        floor_took.extend(durations(floors / ROUNDS, &mut floor)?);
    }
    Ok(Beside { figure: Spread::of(&mut took), floor: Spread::of(&mut floor_took) })
}

/// The figures of one inbox.
struct Reads {
    items: usize,
    numbers: Beside,
    /// By the name of the place.
    pages: Vec<(&'static str, Beside)>,
    /// By what was searched, and how many were found.
    search: Vec<(String, Beside, usize)>,
}

pub(crate) fn page(place: Place) -> ThreadQuery {
    ThreadQuery::top(place, 50)
}

/// The unread numbers, in one sum.
fn raw_numbers(conn: &Connection) -> Result<()> {
    conn.prepare_cached("SELECT sum(unread) FROM counters")?.query_row([], |r| r.get::<_, i64>(0))?;
    Ok(())
}

/// The rows of a first page.
fn raw_page(conn: &Connection) -> Result<()> {
    let mut rows = conn.prepare_cached(
        "SELECT t.*, n.content FROM threads t INDEXED BY threads_list CROSS JOIN items n ON n.id = t.last_item
         WHERE t.place = 0 AND t.kind = 2 AND t.source = 1 AND (t.unread > 0) = 1
         ORDER BY t.last_at DESC, t.id DESC LIMIT 50",
    )?;
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        row.get::<_, String>("content")?;
    }
    Ok(())
}

/// The ids of the newest items with a word.
pub(crate) fn raw_search(conn: &Connection) -> Result<()> {
    let mut rows = conn.prepare_cached(
        "SELECT rowid FROM search WHERE search MATCH 'certificate' ORDER BY rowid DESC LIMIT 50",
    )?;
    let mut rows = rows.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}

/// The figures of fewer items in the largest inbox are asked for by tests alone, which only see that they are taken.
const MIN_ITEMS: usize = 10_000;

/// Measures an inbox; counts and pages are read so many times less often.
fn measure(data: &Path, items: usize, less: usize) -> Result<Reads> {
    let replica = Replica::open(data, Arc::new(SystemClock))?;
    let conn = Connection::open_with_flags(data.join(FILE), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let (counts, firsts) = (3_000 / less, 1_000 / less);
    let numbers = beside((counts, || Ok(replica.counts().map(drop)?)), (counts, || raw_numbers(&conn)))?;
    let mut pages = Vec::new();
    for (name, place) in [
        ("inbox", Place::Inbox),
        ("unread", Place::Unread),
        ("messages", Place::Kind(tidings_model::Kind::Message)),
    ] {
        let first = || Ok(replica.threads(&page(place)).map(drop)?);
        pages.push((name, beside((firsts, first), (firsts, || raw_page(&conn)))?));
    }
    let mut search = Vec::new();
    let searches = 100 / less;
    for words in [
        "certificate",
        "备份",
        "server room temp",
        "\"strange latency\"",
        "c",
        "t",
        "the",
        "article",
        "结论 42",
    ] {
        let mut found = 0;
        let items = || {
            found = replica.search(&SearchFilter::words(words), 50)?.len();
            Ok(())
        };
        let measured = beside((searches, items), (200, || raw_search(&conn)))?;
        search.push((format!("items with `{words}`"), measured, found));
        let query = ThreadQuery { filter: SearchFilter::words(words), ..page(Place::Inbox) };
        let threads = || {
            found = usize::try_from(replica.threads(&query)?.total)?;
            Ok(())
        };
        let measured = beside((searches, threads), (200, || raw_search(&conn)))?;
        search.push((format!("threads with `{words}`"), measured, found));
    }
    Ok(Reads { items, numbers, pages, search })
}

/// Adds the points of the plot: how the times grow with the inbox.
fn points(report: &mut Report, reads: &Reads) {
    let mut point = |name: &str, time: Duration| report.point(name, reads.items, time.as_secs_f64() * 1e6);
    point(growth::NUMBERS, reads.numbers.figure.p50);
    if let Some((_, page)) = reads.pages.first() {
        point(growth::FIRST_PAGE, page.figure.p50);
    }
    for (name, search, _) in &reads.search {
        if growth::SEARCHES.contains(&name.as_str()) {
            point(name, search.figure.p50);
        }
    }
}

/// The sizes below the largest: each tenth of it from [`MIN_ITEMS`] on, in ascending order.
fn smaller_sizes(largest: usize) -> Vec<usize> {
    if largest / 10 < MIN_ITEMS {
        return vec![largest / 100, largest / 10];
    }
    let tenths = std::iter::successors(Some(largest / 10), |items| Some(items / 10));
    let mut sizes: Vec<usize> = tenths.take_while(|items| *items >= MIN_ITEMS).collect();
    sizes.reverse();
    sizes
}

/// How much slower the largest inbox is read than the smallest.
fn factor(all: &[Reads], time: &dyn Fn(&Reads) -> Option<Duration>) -> Option<f64> {
    let (small, large) = (time(all.first()?)?, time(all.last()?)?);
    Some(large.as_secs_f64() / small.as_secs_f64())
}

/// Reads from replicas of several sizes; the largest is the one that [`crate::pull`] has left.
pub(crate) async fn run(report: &mut Report, data: &Path, largest: usize) -> Result<()> {
    let mut all = Vec::new();
    let less = if largest < MIN_ITEMS { 10 } else { 1 };
    for items in smaller_sizes(largest) {
        let part = data.join(format!("reads-{items}"));
        let loaded = LoadedServer::open(&part.join("server")).await?;
        loaded.fill(items).await?;
        // A pull would not wait so long for a million.
        loaded.fan_in().await?;
        let home = part.join("replica");
        let (replica, source) = setup::replica(&home, &loaded.client.url)?;
        let started = Instant::now();
        loaded.pull(&replica, source).await?;
        let took = started.elapsed();
        Size::of(&replica, &home.join(FILE))?.point(report, items, (items, took));
        loaded.close().await?;
        drop(replica);
        all.push(measure(&home, items, less)?);
    }
    all.push(measure(&data.join("replica"), largest, less)?);
    for reads in &all {
        points(report, reads);
    }
    report.section("Unread numbers", "microseconds for all of them, with names and places");
    for reads in &all {
        let name = format!("{} items", reads.items);
        row(report, &name, &reads.numbers, "", "one raw sum over the counters");
    }
    if let Some(factor) = factor(&all, &|reads| Some(reads.numbers.figure.p50)) {
        let what = "unread numbers at the largest within 1.3 × of the smallest (goal 1.1)";
        report.target(what, factor <= 1.3, &format!("{factor:.2}"));
    }
    report.section("First page", "microseconds for 50 threads, ready to be shown, and their total");
    for reads in &all {
        for (name, page) in &reads.pages {
            row(report, &format!("{name}, {} items", reads.items), page, "", "the same rows, raw");
        }
    }
    if let Some(worst) =
        all.last().and_then(|reads| reads.pages.iter().map(|(_, page)| page.figure.p99).max())
    {
        let text = format!("{:.0} µs", worst.as_secs_f64() * 1e6);
        report.target("first page p99 under 1 ms", worst < Duration::from_millis(1), &text);
    }
    let slowest = |reads: &Reads| reads.pages.iter().map(|(_, page)| page.figure.p50).max();
    if let Some(factor) = factor(&all, &slowest) {
        let what = "first page at the largest within 1.3 × of the smallest (goal 1.1)";
        report.target(what, factor <= 1.3, &format!("{factor:.2}"));
    }
    report.section("Search", "microseconds for the newest 50, the last word as the beginning of one; in brackets how many were found. Items \
         are at most 50, and threads are all among the newest 2,000 finds. For a short beginning they are among the newest 1,500 items \
         with its letter, and only if these fill no page among the newest 10,000 finds");
    for reads in &all {
        for (words, search, found) in &reads.search {
            let (name, found) = (format!("{words}, {} items", reads.items), format!(" ({found})"));
            row(report, &name, search, &found, "50 ids of one word, raw");
        }
    }
    if let Some(worst) = all.last().and_then(|reads| reads.search.iter().map(|(_, s, _)| s.figure.p99).max())
    {
        let text = format!("{:.1} ms", worst.as_secs_f64() * 1e3);
        report.target(
            "search of any word within 35 ms (p99, goal 20)",
            worst <= Duration::from_millis(35),
            &text,
        );
    }
    Ok(())
}

fn row(report: &mut Report, name: &str, measured: &Beside, more: &str, floor_name: &str) {
    report.times_row(name, [measured.figure, measured.floor], more, floor_name);
}
