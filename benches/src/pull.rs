//! The backlog: a whole inbox pulled over HTTP into an empty replica, and pulled again, beside the time SQLite takes
//! for the rows.

use std::path::Path;
use std::time::{Duration, Instant};

use tidings_replica::{FILE, Page, Replica};

use crate::Result;
use crate::floor::Rows;
use crate::report::{Report, rate, secs};
use crate::setup::{self, LoadedServer};

/// Measures the pull of `items` notifications. The replica stays in `data/replica` for the later measurements of the
/// run.
pub(crate) async fn run(report: &mut Report, data: &Path, items: usize) -> Result<()> {
    let loaded = LoadedServer::open(&data.join("server")).await?;
    let fill_started = Instant::now();
    loaded.fill(items).await?;
    report.note(&format!("publishing {items} in arrays of 1,000 took {}", secs(fill_started.elapsed())));
    let fan_in_started = Instant::now();
    loaded.fan_in().await?;
    report
        .note(&format!("the server's first bringing in of all that took {}", secs(fan_in_started.elapsed())));

    let home = data.join("replica");
    let (replica, source) = setup::replica(&home, &loaded.client.url)?;
    let started = Instant::now();
    let fetched = loaded.pull(&replica, source).await?;
    let pull = started.elapsed();
    let started = Instant::now();
    replica.resync(source)?;
    let fetched_again = loaded.pull(&replica, source).await?;
    let repull = started.elapsed();
    loaded.close().await?;
    if fetched != fetched_again {
        return Err(format!("{fetched} items came first, {fetched_again} the second time").into());
    }
    let differences = replica.check()?;
    if let Some(first) = differences.first() {
        return Err(format!("{} differences after the pulls, the first: {first}", differences.len()).into());
    }

    let written = write_from_memory(&replica, &data.join("alone"))?;
    let rows = Rows::of(&replica, &home.join(FILE))?;
    let n = rows.len();
    let floor = rows.insert(&data.join("floor.db"))?;
    drop(rows);
    std::fs::remove_file(data.join("floor.db"))?;
    let share = floor.as_secs_f64() / pull.as_secs_f64();
    report.section(
        "Backlog",
        "items a second over HTTP into an empty replica, with threads, counters and search",
    );
    report.row(
        &format!("pull of {n}"),
        &rate(n, pull),
        &rate(n, floor),
        "raw SQLite, the same rows and indexes",
        share,
    );
    report.target("backlog pull ≥ 0.25 × raw SQLite (goal 0.5)", share >= 0.25, &format!("{share:.2}"));
    let share = floor.as_secs_f64() / written.as_secs_f64();
    report.row("the same pages from memory", &rate(n, written), &rate(n, floor), "the same", share);
    let share = floor.as_secs_f64() / repull.as_secs_f64();
    report.row("pulled again from the beginning", &rate(n, repull), &rate(n, floor), "the same", share);
    Ok(())
}

/// Applies the content of a replica to an empty one, page by page; gives the time, which is that of a pull without a
/// network.
fn write_from_memory(replica: &Replica, data: &Path) -> Result<Duration> {
    let mut pages: Vec<Page> = Vec::new();
    replica.export(&mut |batch| {
        for item in batch {
            match pages.last_mut().filter(|page| page.items.len() < 5_000) {
                Some(page) => page.items.push(item.notification),
                None => pages.push(Page { items: vec![item.notification], more: true, ..Page::default() }),
            }
        }
        true
    })?;
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
