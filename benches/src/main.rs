//! Takes the figures of docs/PERFORMANCE.md on the real parts: a real server, a real pull, the desktop program. Each
//! figure is measured beside its floor in the same run. `scale` takes those of docs/PERFORMANCE-SCALE.md, `peers` those of
//! docs/PERFORMANCE-PEERS.md, and `steady` publishes at a fixed rate for minutes.

mod arrivals;
mod bars;
mod client;
mod corpus;
mod curl;
mod desktop;
mod fanout;
mod floor;
mod growth;
mod input_latency;
mod limits;
mod peers;
mod plot;
mod process_stats;
mod publish;
mod pull;
mod reads;
mod report;
mod scale;
mod screen;
mod searches;
mod server_process;
mod setup;
mod size;
mod sources;
mod storm;
mod subscribers;
mod toast;
mod work;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bars::Bars;
use clap::{Parser, Subcommand};
use report::Report;

#[global_allocator]
static ALLOCATOR: work::CountingAllocator = work::CountingAllocator;

pub(crate) type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Items in the largest inbox of a whole run. The points of a larger one are kept.
const MAX_WHOLE: usize = 1_000_000;

/// Items in each inbox on which the limits are measured.
const MAX_LIMITS_ITEMS: usize = 200_000;

/// Takes the figures and writes docs/PERFORMANCE.md.
#[derive(Debug, Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Args {
    #[command(subcommand)]
    other: Option<Other>,
    /// Notifications in the largest inbox.
    #[arg(long, default_value_t = MAX_WHOLE)]
    items: usize,
    /// Only these: pull, reads, search, publish, fanout, subscribers, sources, limits, desktop, hands, toast, arrivals, storm. Reads
    /// and search need the pull of the same run.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Only those rows of the limits whose name contains one of these.
    #[arg(long, value_delimiter = ';')]
    rows: Vec<String>,
    /// Where the page goes. For parts or smaller sizes it is written only if this is set.
    #[arg(long)]
    write: Option<PathBuf>,
    /// The short run that `.ci/run` makes: a backlog of 100,000 items, searches in it, publications, and a second of a
    /// steady load. It compares the counts with their bars, which no other work on the machine touches, so that it needs
    /// no optimised build.
    #[arg(long, conflicts_with_all = ["items", "only"])]
    smoke: bool,
    /// Raises the bars of figures that were better than their bars, and sets bars for figures that have none.
    #[arg(long)]
    raise_bars: bool,
}

/// Items of the short run.
const SMOKE_ITEMS: usize = 100_000;
/// Parts of the short run.
const SMOKE_PARTS: [&str; 3] = ["pull", "search", "publish"];
const WHOLE_BARS: Bars = Bars { run: "whole", tolerance: 0.10, counts_only: false };
const SMOKE_BARS: Bars = Bars { run: "smoke", tolerance: 0.10, counts_only: true };

/// Other figures.
#[derive(Debug, Subcommand)]
enum Other {
    Scale(scale::ScaleArgs),
    Steady(scale::steady::SteadyArgs),
    /// Measures mail indexers of Debian with the same texts.
    Peers,
    /// Lays out bodies (`markdown`) or reads files (`pictures`, `imports`, `archives`), some at once; the limits measure
    /// it as a process of its own.
    #[command(hide = true)]
    LayOut {
        part: String,
        count: usize,
        files: PathBuf,
    },
}

const OPENING: &str = "# Performance\n\nWritten by `make bench`. Every figure stands beside its floor, taken in the same run \
    on the same machine: the ratio says more than the figure.";

const PEERS_OPENING: &str = "# Figures beside other programs\n\nWritten by `make bench-peers`: programs of Debian, with the same \
    texts on the same machine.";

/// A page of docs/.
fn docs(page: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(page)
}

fn main() -> ExitCode {
    tidings_sandbox::enter_if_child(tidings_sources::parsers());
    let mut args = Args::parse();
    if args.smoke {
        (args.items, args.only) = (SMOKE_ITEMS, SMOKE_PARTS.map(str::to_owned).to_vec());
    }
    match measure(&args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("not everything holds that must");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(args: &Args) -> Result<bool> {
    // reqwest is built without a TLS provider and needs an installed default.
    drop(rustls::crypto::ring::default_provider().install_default());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let data = tempfile::Builder::new().prefix("tidings-bench.").tempdir()?;
    match &args.other {
        Some(Other::Scale(scale)) => {
            return runtime.block_on(scale::run(&mut Report::default(), data.path(), scale, &machine()));
        }
        Some(Other::Steady(steady)) => {
            let mut report = Report::default();
            runtime.block_on(scale::steady::run(&mut report, data.path(), &steady.load()?))?;
            return Ok(report.all_passed());
        }
        Some(Other::Peers) => {
            let mut report = Report::default();
            runtime.block_on(peers::run(&mut report, data.path()))?;
            report.write(&docs("PERFORMANCE-PEERS.md"), PEERS_OPENING, &machine(), &WHOLE_BARS.table()?)?;
            return Ok(report.all_passed());
        }
        Some(Other::LayOut { part, count, files }) => {
            return limits::lay_out(part, *count, files).map(|()| true);
        }
        None => {}
    }
    let is_selected = |part: &str| args.only.is_empty() || args.only.iter().any(|only| only == part);
    let mut report = Report::default();
    runtime.block_on(async {
        if is_selected("pull") {
            pull::run(&mut report, data.path(), args.items, args.smoke).await?;
        }
        if is_selected("reads") {
            reads::run(&mut report, data.path(), args.items).await?;
        }
        if is_selected("search") {
            searches::run(&mut report, data.path())?;
        }
        if is_selected("publish") {
            publish::run(&mut report, data.path(), args.smoke).await?;
        }
        if is_selected("fanout") {
            fanout::run(&mut report, data.path()).await?;
        }
        if is_selected("subscribers") {
            subscribers::run(&mut report, data.path()).await?;
        }
        if is_selected("sources") {
            sources::run(&mut report, data.path()).await?;
        }
        if is_selected("limits") {
            limits::run(&mut report, data.path(), args.items.min(MAX_LIMITS_ITEMS), &args.rows).await?;
        }
        if is_selected("desktop") {
            desktop::run(&mut report, data.path(), args.items).await?;
        }
        if is_selected("hands") {
            input_latency::run(&mut report, data.path(), args.items).await?;
        }
        if is_selected("toast") {
            toast::run(&mut report, data.path()).await?;
        }
        if is_selected("arrivals") {
            arrivals::run(&mut report, data.path(), args.items / 10).await?;
        }
        if is_selected("storm") {
            storm::run(&mut report, data.path()).await?;
        }
        if args.smoke {
            scale::steady::run(&mut report, data.path(), &scale::steady::Load::SMOKE).await?;
        }
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>(())
    })?;
    if args.items > MAX_WHOLE && is_selected("pull") && is_selected("reads") {
        growth::keep(report.points(), &machine())?;
    }
    let is_whole = args.only.is_empty() && args.rows.is_empty() && args.items == MAX_WHOLE;
    let page = match &args.write {
        Some(page) => Some(page.clone()),
        None if is_whole => Some(docs("PERFORMANCE.md")),
        None => None,
    };
    if let Some(page) = page {
        if is_whole {
            report.beside(peers::section(&std::fs::read_to_string(docs("PERFORMANCE-PEERS.md"))?));
            growth::write_kept(&mut report)?;
            report.append(include_str!("tried.md"));
        }
        report.write(&page, OPENING, &machine(), &WHOLE_BARS.table()?)?;
    }
    let bars = if args.smoke { Some(SMOKE_BARS) } else { Some(WHOLE_BARS).filter(|_| is_whole) };
    let within_bars = match bars {
        Some(bars) if args.raise_bars => bars.raise(report.measured()).map(|()| true)?,
        Some(bars) => bars.check(report.measured())?,
        None => true,
    };
    // The targets are those of an optimised build.
    Ok(within_bars && (args.smoke || report.all_passed()))
}

/// The date, the processor and its cores, and the version of SQLite, in one line.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let model = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = model
        .lines()
        .find_map(|l| l.strip_prefix("model name")?.split_once(':').map(|(_, m)| m.trim().to_owned()));
    let day = chrono::Utc::now().format("%Y-%m-%d");
    format!(
        "{day}, {} × {cores}, SQLite {}.",
        model.unwrap_or_else(|| "unknown processor".into()),
        rusqlite::version()
    )
}
