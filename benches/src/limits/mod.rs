//! The cost of the largest allowed requests, alone and eight at once: processor time, peak memory, the response times
//! of other clients meanwhile, and whether the server still stops in time.

mod fill;
mod probe;
mod process;
mod requests;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use self::fill::World;
use self::probe::{Probes, Waits};
use self::process::Process;
use self::requests::{ALL, Request};
use crate::Result;
use crate::report::Report;

/// Requests at the same time in the second half of each row.
const MANY: usize = 8;
/// How long a repeatable request is repeated, so that the probes take enough samples meanwhile.
const TIME: Duration = Duration::from_secs(3);
/// Largest allowed response times of `GET /health` and of another client's post (99th percentiles).
const HEALTH: Duration = Duration::from_millis(50);
const POST: Duration = Duration::from_millis(250);
/// Bytes of resident memory that the server may use.
const MEMORY: u64 = 300 * 1024 * 1024;
/// How soon the server has to end after SIGTERM.
const END: Duration = Duration::from_secs(5);

/// Measurements of the server while some requests were under way.
struct Figures {
    /// The server's processor time for each request.
    cpu: Duration,
    /// The server's peak resident memory, bytes.
    peak: u64,
    waits: Waits,
}

/// The largest figure of each kind over all rows.
#[derive(Default)]
struct Worst {
    health: Duration,
    post: Duration,
    peak: u64,
    end: Duration,
}

/// Runs a request for the given users at the same time, repeatedly where it is repeatable, and measures the server
/// meanwhile.
async fn under_way(
    process: &Process,
    world: &Arc<World>,
    request: Request,
    users: &[usize],
) -> Result<Figures> {
    process.forget_peak()?;
    let (cpu, started) = (process.cpu()?, Instant::now());
    let probes = Probes::start(world)?;
    let mut running: JoinSet<Result<u32>> = JoinSet::new();
    for &user in users {
        let world = Arc::clone(world);
        running.spawn(async move {
            let mut rounds = 0;
            while rounds == 0 || (request.repeats && started.elapsed() < TIME) {
                (request.send)(Arc::clone(&world), user).await?;
                rounds += 1;
            }
            Ok(rounds)
        });
    }
    let mut rounds = 0;
    while let Some(done) = running.join_next().await {
        rounds += done??;
    }
    let waits = probes.stop().await?;
    Ok(Figures { cpu: process.cpu()?.saturating_sub(cpu) / rounds.max(1), peak: process.peak()?, waits })
}

/// The time that the server takes to end while a request is under way for several users.
async fn end_under_load(
    process: Process,
    world: &Arc<World>,
    request: Request,
    users: &[usize],
) -> Result<Duration> {
    let mut running = JoinSet::new();
    for &user in users {
        // The requests' results do not matter: the server ends while they are under way.
        running.spawn((request.send)(Arc::clone(world), user));
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    let took = process.end().await?;
    running.abort_all();
    Ok(took)
}

fn millis(time: Duration) -> String {
    format!("{:.0} ms", time.as_secs_f64() * 1e3)
}

fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes / (1024 * 1024))
}

fn cells(figures: &Figures) -> [String; 4] {
    let Figures { cpu, peak, waits } = figures;
    [millis(*cpu), mebibytes(*peak), millis(waits.health), millis(waits.post)]
}

/// Measures every request, or those whose name contains one of `rows`. `items` is the number of reminders in each
/// inbox.
pub(crate) async fn run(report: &mut Report, data: &Path, items: usize, rows: &[String]) -> Result<()> {
    let data = data.join("limits");
    std::fs::create_dir_all(&data)?;
    let process = Process::start(&data).await?;
    let world = Arc::new(World::fill(&process, items).await?);
    process.end().await?;
    report.table(
        "Limits",
        "each documented maximum alone, and eight at once by eight users; others' waits are 99th percentiles, taken by a \
         thread of its own",
        &[
            "what",
            "processor time",
            "peak memory",
            "`/health`",
            "others' post",
            "eight: each",
            "peak memory",
            "`/health`",
            "others' post",
            "SIGTERM",
        ],
    );
    let process = Process::start(&data).await?;
    let idle = under_way(&process, &world.at(&process)?, requests::NOTHING, &[0]).await?;
    let [_, peak, health, post] = cells(&idle);
    report.cells("nothing (floor)", &[String::new(), peak, health, post]);
    process.end().await?;
    let mut worst = Worst::default();
    let many: Vec<usize> = (1..=MANY).collect();
    let last: Vec<usize> = (MANY + 1..=2 * MANY).collect();
    for &request in ALL {
        let name = (request.name)(&world);
        if !rows.is_empty() && !rows.iter().any(|row| name.contains(row)) {
            continue;
        }
        let process = Process::start(&data).await?;
        let world = world.at(&process)?;
        let alone = under_way(&process, &world, request, &[0]).await?;
        let eight = under_way(&process, &world, request, &many).await?;
        let end = end_under_load(process, &world, request, &last).await?;
        let mut row = Vec::from(cells(&alone));
        row.extend(cells(&eight));
        row.push(millis(end));
        report.cells(&name, &row);
        for figures in [&alone, &eight] {
            worst.health = worst.health.max(figures.waits.health);
            worst.post = worst.post.max(figures.waits.post);
            worst.peak = worst.peak.max(figures.peak);
        }
        worst.end = worst.end.max(end);
    }
    report.target("others' `/health` under 50 ms (p99)", worst.health < HEALTH, &millis(worst.health));
    report.target("others' posts under 250 ms (p99)", worst.post < POST, &millis(worst.post));
    report.target("server memory at most 300 MiB", worst.peak <= MEMORY, &mebibytes(worst.peak));
    report.target("SIGTERM under load within 5 s", worst.end <= END, &millis(worst.end));
    Ok(())
}
