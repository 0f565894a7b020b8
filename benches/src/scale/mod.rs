//! Takes the figures of docs/PERFORMANCE-SCALE.md: many people, over one process and over several, on SQLite and on
//! PostgreSQL, beside raw SQL of the same rows.

mod cache;
mod channels;
mod database;
mod deployment;
mod growth;
mod http;
mod live;
mod load;
mod posts;
mod raw;
mod reading;
mod rows;
pub(crate) mod steady;
mod tables;

use std::path::Path;
use std::time::Duration;

use clap::Args;
use tidings_testkit::postgres::Cluster;

use self::deployment::{Deployment, Kind, SetUp};
use self::posts::PostKind;
use self::tables::Figures;
use crate::Result;
use crate::bars::Table;
use crate::report::Report;

/// Takes the figures of many people and several processes, and writes docs/PERFORMANCE-SCALE.md.
#[derive(Debug, Args)]
pub(crate) struct ScaleArgs {
    /// Tiny sizes, to see that everything runs; no figure of it means anything.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Only these: set-ups, cache, rows, growth, channels.
    #[arg(long, value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// The numbers of users whose cost is compared.
    #[arg(long, value_delimiter = ',', default_values_t = [10_000, 100_000, 1_000_000])]
    users: Vec<i64>,
    /// The address of an empty Redis: servers that use it are measured beside those without.
    #[arg(long, value_name = "REDIS")]
    redis: Option<String>,
    /// How long each measurement lasts, milliseconds.
    #[arg(long, default_value_t = 3_000)]
    millis: u64,
    /// Where the page goes. For parts or tiny sizes it is written only if this is set.
    #[arg(long)]
    pub(crate) write: Option<std::path::PathBuf>,
}

/// How much is measured.
struct Sizes {
    /// Each measurement.
    run: Duration,
    /// Numbers of connections that publish.
    connections: Vec<usize>,
    /// Users in the database while set-ups are compared, and those of them who read.
    people: i64,
    readers: usize,
    /// Users of the databases whose cost is compared.
    users: Vec<i64>,
    channels: usize,
    /// Hints whose time is taken.
    hints: usize,
}

impl Sizes {
    fn of(args: &ScaleArgs) -> Self {
        if args.quick {
            return Self {
                run: Duration::from_millis(40),
                connections: vec![4],
                people: 20,
                readers: 4,
                users: vec![10, 20],
                channels: 20,
                hints: 3,
            };
        }
        Self {
            run: Duration::from_millis(args.millis),
            connections: vec![1, 16, 64, 256],
            people: 10_000,
            readers: 256,
            users: args.users.clone(),
            channels: 10_000,
            hints: 300,
        }
    }

    fn most_connections(&self) -> usize {
        self.connections.iter().copied().max().unwrap_or(1)
    }
}

/// Settings of PostgreSQL that are not its defaults.
const SETTINGS: [&str; 7] = [
    "fsync=on",
    "synchronous_commit=on",
    "full_page_writes=on",
    "shared_buffers=256MB",
    "max_wal_size=4GB",
    "max_connections=200",
    "max_locks_per_transaction=256",
];

const OPENING: &str = "# Performance with many people and several processes\n\nWritten by `make bench-scale`. Clients, servers \
    and database share the machine that is named below, so that each takes processor time from the others. So figures of \
    one table compare with each other, and with the raw SQL beside them, better than with other machines.";

/// What is compared.
fn set_ups(redis: Option<&str>) -> Vec<SetUp> {
    let set_up = |name, kind, nodes| SetUp { name, kind, nodes, args: Vec::new() };
    let mut all = vec![
        set_up("SQLite, 1 process", Kind::Sqlite, 1),
        set_up("PostgreSQL, 1 node", Kind::Postgres, 1),
        set_up("PostgreSQL, 2 nodes", Kind::Postgres, 2),
    ];
    if let Some(redis) = redis {
        let with = |set_up: SetUp, options: &[&str]| {
            let args = options.iter().flat_map(|option| [(*option).to_owned(), redis.to_owned()]).collect();
            SetUp { args, ..set_up }
        };
        all.push(with(set_up("PostgreSQL, 1 node, Redis", Kind::Postgres, 1), &["--cache"]));
        all.push(with(set_up("PostgreSQL, 2 nodes, Redis", Kind::Postgres, 2), &["--cache", "--bus"]));
    }
    all
}

/// Takes the figures; gives whether everything holds that must. `machine` describes the machine.
pub(crate) async fn run(report: &mut Report, data: &Path, args: &ScaleArgs, machine: &str) -> Result<bool> {
    let sizes = Sizes::of(args);
    let is_selected = |part: &str| args.only.is_empty() || args.only.iter().any(|only| only == part);
    let cluster = Cluster::with_settings(&SETTINGS);
    let version = cluster.sql("SHOW server_version");
    report.note(&format!("PostgreSQL {version} with {}, and its defaults.", SETTINGS.join(", ")));
    let set_ups = set_ups(args.redis.as_deref());
    if is_selected("set-ups") {
        let mut all = Vec::new();
        for (n, set_up) in set_ups.iter().cloned().enumerate() {
            println!("{}:", set_up.name);
            let data = data.join(format!("set_up_{n}"));
            let deployment =
                Deployment::start(&set_up, &cluster, &data, (sizes.people, sizes.readers)).await?;
            match measure_set_up(set_up, &deployment, &sizes).await {
                Ok(figures) => all.push(figures),
                Err(error) => return Err(format!("{error}\n{}", deployment.logs()).into()),
            }
            deployment.stop().await?;
        }
        tables::write(report, &sizes.connections, &all);
    }
    if is_selected("cache") {
        cache::run(report, &cluster, data, &sizes, &set_ups).await?;
    }
    if is_selected("rows") {
        rows::run(report, &cluster, data, &sizes).await?;
    }
    if is_selected("growth") {
        growth::run(report, &cluster, data, &sizes).await?;
    }
    // The figures that were taken before are not lost with it.
    if is_selected("channels")
        && let Err(error) = channels::run(report, &cluster, data, &sizes).await
    {
        report.target(&format!("{} live channels on one node", sizes.channels), false, &error.to_string());
    }
    let page = match &args.write {
        Some(page) => Some(page.clone()),
        None if args.only.is_empty() && !args.quick => {
            Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/PERFORMANCE-SCALE.md"))
        }
        None => None,
    };
    if let Some(page) = page {
        report.write(&page, OPENING, machine, &Table::new())?;
    }
    Ok(report.all_passed())
}

async fn measure_set_up(set_up: SetUp, deployment: &Deployment, sizes: &Sizes) -> Result<Figures> {
    // Reads come before announcements are published by the hundred thousand, which each reader would bring in first.
    let reads = reading::measure(deployment, sizes).await?;
    let mut posts = Vec::new();
    for kind in PostKind::ALL {
        posts.push((kind, posts::measure(kind, deployment, sizes).await?));
    }
    Ok(Figures { set_up, posts, reads })
}
