//! The backlog: a whole inbox pulled over HTTP into an empty replica, and pulled again, beside the time SQLite takes
//! for the rows.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tidings_model::{Mark, MsgId, Notification};
use tidings_replica::{FILE, Page, Replica, SourceId, Targets};

use crate::Result;
use crate::floor::{self, Rows};
use crate::reads::Spread;
use crate::report::{Report, millis, rate, secs};
use crate::setup::{self, LoadedServer};
use crate::size::Size;
use crate::work::Work;

/// The items that a pull of full pages writes at once.
const PAGE_ITEMS: usize = 25_000;
/// Items of the backlog beside which marks are measured.
const MARKED_ITEMS: usize = 200_000;
/// The pause between two marks of many.
const MARK_INTERVAL: Duration = Duration::from_millis(50);
/// Items of the backlog beside which single marks are measured, and the shortest pause between two. Whole pages are
/// committed between them, so that some have to wait for a commit.
const LONE_MARKED_ITEMS: usize = 600_000;
const LONE_MARK_INTERVAL: Duration = Duration::from_millis(1_200);
/// The most items that are published and pulled. A larger inbox has copies of them, for the growth of reads alone.
const MAX_PULLED: usize = 1_000_000;
/// How much older each copy is than the one before, µs.
const COPY_AGE: i64 = 3_600_000_000;
/// The most that a mark may wait, at the 99th percentile.
const MAX_MARK_TIME: Duration = Duration::from_millis(30);

/// Measures the pull of `items` notifications. The replica stays in `data/replica` for the later measurements of the
/// run. If only counts are asked for, what gives times alone is left out.
pub(crate) async fn run(report: &mut Report, data: &Path, items: usize, counts_only: bool) -> Result<()> {
    let loaded = LoadedServer::open(&data.join("server")).await?;
    let fill_started = Instant::now();
    let pulled = items.min(MAX_PULLED);
    loaded.fill(pulled).await?;
    report.note(&format!("publishing {pulled} in arrays of 1,000 took {}", secs(fill_started.elapsed())));
    let fan_in_started = Instant::now();
    loaded.fan_in().await?;
    report
        .note(&format!("the server's first bringing in of all that took {}", secs(fan_in_started.elapsed())));

    let home = data.join("replica");
    let (replica, source) = setup::replica(&home, &loaded.client.url)?;
    let started = Instant::now();
    let fetched = loaded.pull(&replica, source).await?;
    let pull = started.elapsed();
    if items > MAX_PULLED {
        loaded.close().await?;
        let started = Instant::now();
        add_copies(&replica, source, items / MAX_PULLED)?;
        let took = started.elapsed();
        report.note(&format!("the copies of what was pulled went in at {}", rate(items - pulled, took)));
        let size = Size::of(&replica, &home.join(FILE))?;
        size.point(report, items, (items - pulled, took));
        size.write_to(report, items);
        return Ok(());
    }
    let size = Size::of(&replica, &home.join(FILE))?;
    size.point(report, items, (items, pull));
    let repull = if counts_only { None } else { Some(pull_again(&loaded, &replica, source, fetched).await?) };
    loaded.close().await?;
    let differences = replica.check()?;
    if let Some(first) = differences.first() {
        return Err(format!("{} differences after the pulls, the first: {first}", differences.len()).into());
    }

    let all_pages = pages(&replica, usize::MAX)?;
    let (written, work) = Work::of(|| write_from_memory(all_pages, &data.join("alone")))?;
    let marks = if counts_only {
        None
    } else {
        let many = |_| MARK_INTERVAL;
        // Not at the same moment of each page.
        let few = |nth: usize| LONE_MARK_INTERVAL + Duration::from_millis(nth as u64 * 377 % 1_000);
        let many = marks_meanwhile(pages(&replica, MARKED_ITEMS)?, &data.join("marked"), many)?;
        Some([many, marks_meanwhile(pages(&replica, LONE_MARKED_ITEMS)?, &data.join("marked"), few)?])
    };
    let rows = Rows::of(&replica, &home.join(FILE))?;
    let n = rows.len();
    let (floor, floor_work) = Work::of(|| insert(&rows, data, &floor::USUAL))?;
    let floor_as_ours = if counts_only { None } else { Some(insert(&rows, data, &floor::AS_OURS)?) };
    drop(rows);
    let share = floor.as_secs_f64() / pull.as_secs_f64();
    report.section(
        "Backlog",
        "items a second over HTTP into an empty replica, with threads, counters and search",
    );
    report.rate_row(
        &format!("pull of {n}"),
        &rate(n, pull),
        &rate(n, floor),
        "raw SQLite, the same rows and indexes",
        share,
    );
    report.target("backlog pull ≥ 0.55 × raw SQLite (goal 0.7)", share >= 0.55, &format!("{share:.2}"));
    if let Some(floor) = floor_as_ours {
        let share = floor.as_secs_f64() / pull.as_secs_f64();
        let floor_name = "raw SQLite with our transactions of 25,000, our cache and our log";
        report.rough_row(&format!("pull of {n}"), &rate(n, pull), &rate(n, floor), floor_name, share);
    }
    let share = floor.as_secs_f64() / written.as_secs_f64();
    report.rate_row("the same pages from memory", &rate(n, written), &rate(n, floor), "the same", share);
    if let Some(repull) = repull {
        let share = floor.as_secs_f64() / repull.as_secs_f64();
        report.rate_row(
            "pulled again from the beginning",
            &rate(n, repull),
            &rate(n, floor),
            "the same",
            share,
        );
    }
    report.section("Work of a backlog", "for each item, written from memory");
    let counted = ["bytes written", "transactions", "statements", "allocations"];
    work.write_to(report, &floor_work, (n, ""), &counted);
    let kib = work.each("bytes written", n) / 1_024.0;
    report.target(
        "bytes written an item in a backlog ≤ 8 KiB (goal 5)",
        kib <= 8.0,
        &format!("{kib:.1} KiB"),
    );
    size.write_to(report, n);
    if let Some(marks) = marks {
        write_marks(report, marks);
    }
    Ok(())
}

/// Inserts the rows into a database of their own, which is removed; gives the time.
fn insert(rows: &Rows, data: &Path, settings: &floor::Settings) -> Result<Duration> {
    let folder = data.join("floor");
    std::fs::create_dir(&folder)?;
    let took = rows.insert(&folder.join("floor.db"), settings)?;
    std::fs::remove_dir_all(folder)?;
    Ok(took)
}

/// Pulls everything again from the beginning; gives the time. It fails if other than `fetched` items come.
async fn pull_again(
    loaded: &LoadedServer,
    replica: &Replica,
    source: SourceId,
    fetched: u64,
) -> Result<Duration> {
    let started = Instant::now();
    replica.resync(source)?;
    let fetched_again = loaded.pull(replica, source).await?;
    let took = started.elapsed();
    if fetched != fetched_again {
        return Err(format!("{fetched} items came first, {fetched_again} the second time").into());
    }
    Ok(took)
}

/// The content of a replica as a pull writes it, at most so many items and a page.
pub(crate) fn pages(replica: &Replica, most: usize) -> Result<Vec<Page>> {
    let (mut pages, mut items): (Vec<Page>, usize) = (Vec::new(), 0);
    replica.export(&mut |batch| {
        for item in batch {
            items += 1;
            match pages.last_mut().filter(|page| page.items.len() < PAGE_ITEMS) {
                Some(page) => page.items.push(item.notification),
                None => pages.push(Page { items: vec![item.notification], more: true, ..Page::default() }),
            }
        }
        items < most
    })?;
    Ok(pages)
}

/// Applies copies of all that a replica has, each older than the one before and about targets of its own, until it has
/// everything so many times.
fn add_copies(replica: &Replica, source: SourceId, times: usize) -> Result<()> {
    let all = pages(replica, usize::MAX)?;
    for nth in 1..i64::try_from(times)? {
        for page in &all {
            let items = page.items.iter().map(|item| copy_of(item, nth)).collect();
            replica.apply(source, Page { items, more: true, ..Page::default() })?;
        }
    }
    Ok(())
}

fn copy_of(item: &Notification, nth: i64) -> Notification {
    let mut copy = item.clone();
    copy.msgid = MsgId(format!("{}-{nth}", copy.msgid.0));
    for at in [&mut copy.stamp, &mut copy.created_at] {
        *at = at.plus_micros(-nth * COPY_AGE);
    }
    if let Some(target) = &mut copy.target {
        let id = format!("{}-{nth}", target.id);
        copy.thread = copy.thread.replacen(&target.id, &id, 1);
        target.id = id;
    }
    copy
}

/// How long marks take while a backlog is written, and alone.
struct Marks {
    meanwhile: Spread,
    alone: Spread,
}

fn write_marks(report: &mut Report, [many, few]: [Marks; 2]) {
    report.section("Marks during a backlog", "the time until a mark is stored");
    let floor = "a mark while nothing is pulled";
    for (name, Marks { meanwhile, alone }) in [("a mark", many), ("a lone mark", few)] {
        let share = meanwhile.p99.as_secs_f64() / alone.p99.as_secs_f64();
        // Of a dozen lone marks the longest is that of an unlucky moment, so that their ratio has no bar.
        report.rough_row(name, &millis(meanwhile), &millis(alone), floor, share);
        let holds = meanwhile.p99 <= MAX_MARK_TIME;
        let goal = format!("{name} during a backlog within 30 ms (p99, goal 10)");
        report.target(&goal, holds, &millis(meanwhile));
    }
    report.note("many are twenty a second, lone ones less than one a second");
}

/// Marks one item after another, with pauses, while pages are applied, and as many afterwards.
fn marks_meanwhile(pages: Vec<Page>, data: &Path, pause: impl Fn(usize) -> Duration + Sync) -> Result<Marks> {
    let (replica, source) = setup::replica(data, "http://127.0.0.1:9")?;
    let msgids: Vec<MsgId> = pages.iter().flat_map(|page| &page.items).map(|n| n.msgid.clone()).collect();
    let ended = AtomicBool::new(false);
    let mut pages = pages.into_iter().enumerate();
    let apply =
        |(nth, page): (usize, Page)| replica.apply(source, Page { next: Some(nth.to_string()), ..page });
    // The marked items are of the first page.
    pages.next().map(apply).transpose()?;
    let mark = |nth: usize| -> Result<Duration> {
        let msgid = msgids.get(nth).ok_or("too few items")?;
        let started = Instant::now();
        replica.mark(Targets::MsgIds(vec![msgid.clone()]), Mark::Archive)?;
        let took = started.elapsed();
        Ok(took)
    };
    let mut took: Vec<Duration> = std::thread::scope(|scope| {
        let marking = scope.spawn(|| {
            let mut took = Vec::new();
            while !ended.load(Ordering::Acquire) {
                took.push(mark(took.len()).map_err(|error| error.to_string())?);
                std::thread::sleep(pause(took.len()));
            }
            Ok::<_, String>(took)
        });
        for page in pages {
            apply(page)?;
        }
        ended.store(true, Ordering::Release);
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>(marking.join().map_err(|_| "the marks failed")??)
    })?;
    let first = took.len();
    let alone = (first..2 * first).map(|nth| {
        std::thread::sleep(MARK_INTERVAL);
        mark(nth)
    });
    let mut alone = alone.collect::<Result<Vec<_>>>()?;
    drop(replica);
    std::fs::remove_dir_all(data)?;
    Ok(Marks { meanwhile: Spread::of(&mut took), alone: Spread::of(&mut alone) })
}

/// Applies pages to an empty replica; gives the time, which is that of a pull without a network.
pub(crate) fn write_from_memory(pages: Vec<Page>, data: &Path) -> Result<Duration> {
    let (alone, source) = setup::replica(data, "http://127.0.0.1:9")?;
    let started = Instant::now();
    for (nth, page) in pages.into_iter().enumerate() {
        alone.apply(source, Page { next: Some(nth.to_string()), ..page })?;
    }
    let took = started.elapsed();
    drop(alone);
    std::fs::remove_dir_all(data)?;
    Ok(took)
}
