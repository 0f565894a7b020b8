//! The cost of the largest allowed requests, alone and eight at once. It is measured as processor time, peak memory,
//! the response times of other clients meanwhile, and whether the server still stops in time.

mod client_parsers;
mod fill;
mod inputs;
mod parsers;
mod probe;
mod requests;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

pub(crate) use self::client_parsers::lay_out;
use self::fill::Fixture;
use self::probe::{Latencies, Probes};
use self::requests::{ALL_REQUESTS, Request};
use crate::Result;
use crate::report::Report;
use crate::server_process::ServerProcess;

/// Requests at the same time in the second half of each row.
const CONCURRENT_USERS: usize = 8;
/// How long a repeatable request is repeated, so that the probes take enough samples meanwhile.
const LOAD_DURATION: Duration = Duration::from_secs(3);
/// Largest allowed response times of `GET /health` and of another client's post (99th percentiles).
const MAX_HEALTH_LATENCY: Duration = Duration::from_millis(50);
const MAX_POST_LATENCY: Duration = Duration::from_millis(250);
/// Bytes of resident memory that the server may use.
const MAX_MEMORY_BYTES: u64 = 300 * 1024 * 1024;
/// How soon the server has to end after SIGTERM.
const MAX_SHUTDOWN_TIME: Duration = Duration::from_secs(5);

/// Measurements of the server while some requests were under way.
struct Figures {
    /// The server's processor time for each request.
    cpu: Duration,
    /// The server's peak resident memory with that of its children, bytes.
    peak: u64,
    latencies: Latencies,
}

/// The largest figure of each kind over all rows.
#[derive(Default)]
struct Worst {
    health: Duration,
    post: Duration,
    peak: u64,
    shutdown: Duration,
}

impl Worst {
    fn count(&mut self, all: &[&Figures]) {
        for figures in all {
            self.health = self.health.max(figures.latencies.health);
            self.post = self.post.max(figures.latencies.post);
            self.peak = self.peak.max(figures.peak);
        }
    }
}

/// Runs a request for the given users at the same time, repeatedly if it is repeatable, and measures the server
/// meanwhile.
async fn run_load(
    process: &ServerProcess,
    fixture: &Arc<Fixture>,
    request: Request,
    users: &[usize],
) -> Result<Figures> {
    process.stats()?.reset_peak()?;
    let (cpu, started) = (process.stats()?.cpu_with_children()?, Instant::now());
    let probes = Probes::start(fixture)?;
    let mut running: JoinSet<Result<u32>> = JoinSet::new();
    for &user in users {
        let fixture = Arc::clone(fixture);
        running.spawn(async move {
            let mut rounds = 0;
            while rounds == 0 || (request.repeats && started.elapsed() < LOAD_DURATION) {
                (request.send)(Arc::clone(&fixture), user).await?;
                rounds += 1;
            }
            Ok(rounds)
        });
    }
    let mut rounds = 0;
    while let Some(done) = running.join_next().await {
        rounds += done??;
    }
    let latencies = probes.stop().await?;
    Ok(Figures {
        cpu: process.stats()?.cpu_with_children()?.saturating_sub(cpu) / rounds.max(1),
        peak: process.stats()?.peak_with_children()?,
        latencies,
    })
}

/// The time that the server takes to end while a request is under way for several users.
async fn shut_down_under_load(
    process: ServerProcess,
    fixture: &Arc<Fixture>,
    request: Request,
    users: &[usize],
) -> Result<Duration> {
    let mut running = JoinSet::new();
    for &user in users {
        // The requests' results do not matter: the server ends while they are under way.
        running.spawn((request.send)(Arc::clone(fixture), user));
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    let took = process.shut_down().await?;
    running.abort_all();
    Ok(took)
}

fn millis(time: Duration) -> String {
    format!("{:.0} ms", time.as_secs_f64() * 1e3)
}

fn mib(bytes: u64) -> String {
    format!("{} MiB", bytes / (1024 * 1024))
}

fn cells(figures: &Figures) -> [String; 4] {
    let Figures { cpu, peak, latencies } = figures;
    [millis(*cpu), mib(*peak), millis(latencies.health), millis(latencies.post)]
}

/// A server that also takes mail.
async fn start(data: &Path) -> Result<ServerProcess> {
    ServerProcess::start_on(data, "sqlite", &["--smtp".to_owned(), "127.0.0.1:0".to_owned()]).await
}

/// Measures every request, or those whose name contains one of `rows`. `items` is the number of reminders in each
/// inbox.
pub(crate) async fn run(report: &mut Report, data: &Path, items: usize, rows: &[String]) -> Result<()> {
    let data = data.join("limits");
    std::fs::create_dir_all(&data)?;
    let process = start(&data).await?;
    let fixture = Arc::new(Fixture::fill(&process, items).await?);
    process.shut_down().await?;
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
    let process = start(&data).await?;
    let idle = run_load(&process, &fixture.at(&process)?, requests::IDLE, &[0]).await?;
    let [_, peak, health, post] = cells(&idle);
    report.cells("nothing (floor)", &[String::new(), peak, health, post]);
    process.shut_down().await?;
    let mut worst = Worst::default();
    let concurrent: Vec<usize> = (1..=CONCURRENT_USERS).collect();
    let shutdown_users: Vec<usize> = (CONCURRENT_USERS + 1..=2 * CONCURRENT_USERS).collect();
    let is_wanted = |name: &str| rows.is_empty() || rows.iter().any(|row| name.contains(row.as_str()));
    for &request in ALL_REQUESTS.iter().chain(parsers::REQUESTS) {
        let name = (request.name)(&fixture);
        if !is_wanted(&name) {
            continue;
        }
        let process = start(&data).await?;
        let fixture = fixture.at(&process)?;
        let alone = run_load(&process, &fixture, request, &[0]).await?;
        let eight = run_load(&process, &fixture, request, &concurrent).await?;
        let shutdown = shut_down_under_load(process, &fixture, request, &shutdown_users).await?;
        let mut row = Vec::from(cells(&alone));
        row.extend(cells(&eight));
        row.push(millis(shutdown));
        report.cells(&name, &row);
        worst.count(&[&alone, &eight]);
        worst.shutdown = worst.shutdown.max(shutdown);
    }
    let process = start(&data).await?;
    let probed = fixture.at(&process)?;
    for work in client_parsers::ALL {
        if !is_wanted(work.name) {
            continue;
        }
        let alone = client_parsers::measure(work, 1, &probed, &data).await?;
        let eight = client_parsers::measure(work, CONCURRENT_USERS, &probed, &data).await?;
        report.cells(work.name, &[cells(&alone), cells(&eight)].concat());
        worst.count(&[&alone, &eight]);
    }
    process.shut_down().await?;
    report.target(
        "others' `/health` under 50 ms (p99)",
        worst.health < MAX_HEALTH_LATENCY,
        &millis(worst.health),
    );
    report.target("others' posts under 250 ms (p99)", worst.post < MAX_POST_LATENCY, &millis(worst.post));
    report.target("server memory at most 300 MiB", worst.peak <= MAX_MEMORY_BYTES, &mib(worst.peak));
    report.target(
        "SIGTERM under load within 5 s",
        worst.shutdown <= MAX_SHUTDOWN_TIME,
        &millis(worst.shutdown),
    );
    Ok(())
}
