//! Reading: counts, the first page and search, at three sizes of the same inbox. Each figure is of a whole call, which
//! includes opening its snapshot.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};
use tidings_model::SystemClock;
use tidings_replica::{FILE, Place, Replica, SearchFilter, ThreadQuery};

use crate::Result;
use crate::plot::Line;
use crate::report::{Report, micros};
use crate::setup::{self, LoadedServer};

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

/// Runs `run` `count` times; gives the spread of its times.
pub(crate) fn time_runs(count: usize, mut run: impl FnMut() -> Result<()>) -> Result<Spread> {
    let mut took = Vec::with_capacity(count);
    for _ in 0..count {
        let started = Instant::now();
        run()?;
        took.push(started.elapsed());
    }
    Ok(Spread::of(&mut took))
}

struct Reads {
    items: usize,
    numbers: Spread,
    raw: Spread,
    pages: Vec<(&'static str, Spread)>,
    raw_page: Spread,
    search: Vec<(String, Spread, usize)>,
    raw_search: Spread,
}

fn page(place: Place) -> ThreadQuery {
    ThreadQuery::top(place, 50)
}

fn measure(data: &Path, items: usize) -> Result<Reads> {
    let replica = Replica::open(data, Arc::new(SystemClock))?;
    let conn = Connection::open_with_flags(data.join(FILE), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let raw = time_runs(3_000, || {
        conn.prepare_cached("SELECT sum(unread) FROM counters")?.query_row([], |r| r.get::<_, i64>(0))?;
        Ok(())
    })?;
    let numbers = time_runs(3_000, || Ok(replica.counts().map(drop)?))?;
    let raw_page = time_runs(1_000, || {
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
    })?;
    let mut pages = Vec::new();
    for (name, place) in [
        ("inbox", Place::Inbox),
        ("unread", Place::Unread),
        ("messages", Place::Kind(tidings_model::Kind::Message)),
    ] {
        pages.push((name, time_runs(1_000, || Ok(replica.threads(&page(place)).map(drop)?))?));
    }
    let raw_search = time_runs(200, || {
        let mut rows = conn.prepare_cached(
            "SELECT rowid FROM search WHERE search MATCH 'certificate' ORDER BY rowid DESC LIMIT 50",
        )?;
        let mut rows = rows.query([])?;
        while rows.next()?.is_some() {}
        Ok(())
    })?;
    let mut search = Vec::new();
    for words in
        ["certificate", "备份", "server room temp", "\"strange latency\"", "c", "t", "the", "结论 42"]
    {
        let mut found = 0;
        let spread = time_runs(20, || {
            found = replica.search(&SearchFilter::words(words), 50)?.len();
            Ok(())
        })?;
        search.push((format!("items with `{words}`"), spread, found));
        let query = ThreadQuery { filter: SearchFilter::words(words), ..page(Place::Inbox) };
        let spread = time_runs(20, || {
            found = usize::try_from(replica.threads(&query)?.total)?;
            Ok(())
        })?;
        search.push((format!("threads with `{words}`"), spread, found));
    }
    Ok(Reads { items, numbers, raw, pages, raw_page, search, raw_search })
}

/// The lines of the plot: how the times grow with the inbox.
fn growth(report: &mut Report, all: &[Reads]) {
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    let mut line = |name: &str, time: &dyn Fn(&Reads) -> Option<Duration>| {
        #[allow(clippy::cast_precision_loss)]
        let points = all.iter().filter_map(|reads| Some((reads.items as f64, micros(time(reads)?))));
        report.line(Line { name: name.to_owned(), points: points.collect() });
    };
    line("unread numbers", &|reads| Some(reads.numbers.p50));
    line("first page", &|reads| reads.pages.first().map(|(_, spread)| spread.p50));
    for words in ["threads with `certificate`", "items with `the`", "threads with `the`"] {
        let of = |reads: &Reads| reads.search.iter().find(|(name, ..)| name == words).map(|(_, s, _)| s.p50);
        line(words, &of);
    }
}

/// Reads from replicas of three sizes; the largest is the one that [`crate::pull`] has left.
pub(crate) async fn run(report: &mut Report, data: &Path, largest: usize) -> Result<()> {
    let mut all = Vec::new();
    for items in [largest / 100, largest / 10] {
        let part = data.join(format!("reads-{items}"));
        let loaded = LoadedServer::open(&part.join("server")).await?;
        loaded.fill(items).await?;
        let (replica, source) = setup::replica(&part.join("replica"), &loaded.client.url)?;
        loaded.pull(&replica, source).await?;
        loaded.close().await?;
        drop(replica);
        all.push(measure(&part.join("replica"), items)?);
    }
    all.push(measure(&data.join("replica"), largest)?);
    let ratio = |a: Duration, b: Duration| a.as_secs_f64() / b.as_secs_f64();

    growth(report, &all);
    report.section("Unread numbers", "microseconds for all of them, with names and places");
    for reads in &all {
        let factor = ratio(reads.numbers.p50, reads.raw.p50);
        let name = format!("{} items", reads.items);
        report.row(
            &name,
            &micros(reads.numbers),
            &micros(reads.raw),
            "one raw sum over the counters",
            factor,
        );
    }
    if let (Some(small), Some(large)) = (all.first(), all.last()) {
        let factor = ratio(large.numbers.p50, small.numbers.p50);
        let text = format!("{factor:.2}");
        report.target("unread numbers at the largest within 1.5 × of the smallest", factor <= 1.5, &text);
    }
    report.section("First page", "microseconds for 50 threads, ready to be shown, and their total");
    for reads in &all {
        for (name, spread) in &reads.pages {
            let factor = ratio(spread.p50, reads.raw_page.p50);
            let name = format!("{name}, {} items", reads.items);
            report.row(&name, &micros(*spread), &micros(reads.raw_page), "the same rows, raw", factor);
        }
    }
    if let Some(worst) = all.last().and_then(|reads| reads.pages.iter().map(|(_, s)| s.p99).max()) {
        let text = format!("{:.0} µs", worst.as_secs_f64() * 1e6);
        report.target("first page p99 under 1 ms", worst < Duration::from_millis(1), &text);
    }
    report.section("Search", "microseconds for the newest 50, the last word as the beginning of one; in brackets how many were found: items at \
         most 50, threads all among the newest 10,000 finds");
    for reads in &all {
        for (words, spread, found) in &reads.search {
            let factor = ratio(spread.p50, reads.raw_search.p50);
            let name = format!("{words}, {} items", reads.items);
            report.row(
                &name,
                &format!("{} ({found})", micros(*spread)),
                &micros(reads.raw_search),
                "50 ids of one word, raw",
                factor,
            );
        }
    }
    if let Some(worst) = all.last().and_then(|reads| reads.search.iter().map(|(_, s, _)| s.p50).max()) {
        let text = format!("{:.0} ms", worst.as_secs_f64() * 1e3);
        report.target("search under 100 ms", worst < Duration::from_millis(100), &text);
    }
    Ok(())
}
