//! What sources cost while nothing happens: the client without a window, with one live source and with many, beside each
//! other in one run. They are of three protocols, on one real server.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::process::{Child, Command};

use crate::Result;
use crate::desktop::sibling_program;
use crate::process_stats::ProcessStats;
use crate::report::Report;
use crate::server_process::ServerWithUser;

/// Sources beside each other.
const SOURCE_COUNT: usize = 20;
/// How long the client is watched while nothing happens.
const IDLE_TIME: Duration = Duration::from_secs(60);
/// How long what is published may take to arrive.
const ARRIVAL_TIMEOUT: Duration = Duration::from_secs(60);
/// The most of a core that the sources may take while nothing happens.
const MAX_CPU: f64 = 0.01;
/// The most memory that they may take beyond one source, bytes.
const MAX_MORE_BYTES: u64 = 10 << 20;
/// The user whose sources they are.
const USER: &str = "reader";

impl ServerWithUser {
    /// The protocol and the address of the `n`th source. Two sources have everything of the user, by the two other
    /// protocols that the server speaks; each of the rest has a topic, by ntfy's.
    fn source(&self, n: usize) -> (&'static str, String) {
        match n {
            1 => ("tidings", self.client.url.clone()),
            2 => ("gotify", self.client.url.clone()),
            _ => ("ntfy", format!("{}/topic{n}", self.client.url)),
        }
    }
}

/// What the client costs while nothing happens.
struct Idle {
    /// The share of a core.
    cpu: f64,
    /// Resident memory, bytes.
    memory: u64,
}

/// The client of a data folder, with live sources.
struct Watching {
    data: PathBuf,
    child: Child,
}

impl Watching {
    async fn start(server: &ServerWithUser, data: &Path, sources: usize) -> Result<Self> {
        std::fs::create_dir_all(data)?;
        for n in 0..sources {
            let (protocol, url) = server.source(n);
            let name = format!("source {n}");
            let args = ["source", "add", protocol, &url, "--name", &name];
            run_tidings(data, &args, &server.token).await?;
        }
        let child = Command::new(sibling_program("tidings")?)
            .args(["pull", "--watch"])
            .env("TIDINGS_DATA_DIR", data)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(data.join("watch.log"))?)
            .kill_on_drop(true)
            .spawn()?;
        Ok(Self { data: data.to_owned(), child })
    }

    /// The number of items in its replica.
    async fn items(&self) -> Result<usize> {
        let listed = run_tidings(&self.data, &["list", "--limit", "1000", "--json"], "").await?;
        Ok(listed.as_array().map_or(0, Vec::len))
    }

    /// Waits until this many items are there.
    async fn wait_for(&self, items: usize) -> Result<()> {
        let started = Instant::now();
        while self.items().await? < items {
            if started.elapsed() > ARRIVAL_TIMEOUT {
                return Err(format!("{} of {items} items arrived", self.items().await?).into());
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        Ok(())
    }

    /// Watches it for a minute in which nothing happens.
    async fn idle(&self) -> Result<Idle> {
        let stats = ProcessStats::new(self.child.id().ok_or("the client has ended")?);
        let (before, started) = (stats.cpu()?, Instant::now());
        tokio::time::sleep(IDLE_TIME).await;
        let took = stats.cpu()?.saturating_sub(before);
        Ok(Idle { cpu: took.as_secs_f64() / started.elapsed().as_secs_f64(), memory: stats.resident()? })
    }
}

/// Runs a command of the `tidings` program next to this executable; gives the document that it prints.
async fn run_tidings(data: &Path, args: &[&str], token: &str) -> Result<Value> {
    let output = Command::new(sibling_program("tidings")?)
        .args(args)
        .env("TIDINGS_DATA_DIR", data)
        .env("TIDINGS_TOKEN", token)
        .output()
        .await?;
    if !output.status.success() {
        return Err(format!("{args:?}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(serde_json::from_slice(&output.stdout).unwrap_or_default())
}

/// Adds sources to a client of its own, sees that each is live, and measures it while nothing happens.
async fn measure(server: &ServerWithUser, data: &Path, sources: usize) -> Result<Idle> {
    let watching = Watching::start(server, data, sources).await?;
    // All that was published is pulled first, so that what comes next came over the live channels.
    let topics: Vec<usize> = (0..sources).filter(|n| server.source(*n).0 == "ntfy").collect();
    for n in &topics {
        server.publish(&format!("topic{n}")).await?;
    }
    watching.wait_for(topics.len()).await?;
    let idle = watching.idle().await?;
    let before = watching.items().await?;
    for n in &topics {
        server.publish(&format!("topic{n}")).await?;
    }
    watching.wait_for(before + topics.len()).await?;
    Ok(idle)
}

/// Measures one live source, then twenty.
pub(crate) async fn run(report: &mut Report, data: &Path) -> Result<()> {
    report.section("Sources", "the client without a window, a minute in which nothing happens");
    let server = ServerWithUser::start(&data.join("sources-server"), USER).await?;
    let one = measure(&server, &data.join("sources-one"), 1).await?;
    let many = measure(&server, &data.join("sources-many"), SOURCE_COUNT).await?;
    let percent = |idle: &Idle| format!("{:.2} %", idle.cpu * 1e2);
    // A client that does nothing at all has used no tick of the clock.
    let cpu_ratio = many.cpu / one.cpu.max(1.0 / 100.0 / IDLE_TIME.as_secs_f64());
    let what = format!("share of a core with {SOURCE_COUNT} live sources");
    report.rough_row(&what, &percent(&many), &percent(&one), "one live source", cpu_ratio);
    #[allow(clippy::cast_precision_loss)]
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let (memory, floor) = (mib(many.memory), mib(one.memory));
    let what = format!("memory with {SOURCE_COUNT} live sources");
    report.row(
        &what,
        &format!("{memory:.1} MiB"),
        &format!("{floor:.1} MiB"),
        "one live source",
        memory / floor,
    );
    let what = format!("{SOURCE_COUNT} live sources take at most 1 % of a core while nothing happens");
    report.target(&what, many.cpu <= MAX_CPU, &percent(&many));
    report.target(
        &format!("{SOURCE_COUNT} live sources take at most 10 MiB more than one"),
        many.memory.saturating_sub(one.memory) <= MAX_MORE_BYTES,
        &format!("{:.1} MiB", memory - floor),
    );
    server.process.shut_down().await?;
    Ok(())
}
