//! Unread counts from the cache, beside counts by PostgreSQL. Both take turns, because a machine that others use too is
//! not as fast from one minute to the next.

use std::path::Path;

use tidings_testkit::postgres::Cluster;

use super::Sizes;
use super::deployment::{Deployment, Kind, SetUp};
use super::growth::median;
use super::load::{Maker, drive};
use super::reading::{self, CONNECTIONS};
use crate::Result;
use crate::report::Report;

/// Turns of each, after one without measuring.
const TURNS: usize = 5;
/// Counts from the cache are to be at least so many times those by PostgreSQL.
const MIN_OF_UNCACHED: f64 = 3.0;

/// Takes the figures of each set-up that has a cache, beside the one with as many nodes and without.
pub(crate) async fn run(
    report: &mut Report,
    cluster: &Cluster,
    data: &Path,
    sizes: &Sizes,
    set_ups: &[SetUp],
) -> Result<()> {
    if !set_ups.iter().any(SetUp::is_cached) {
        return Ok(());
    }
    let connections = CONNECTIONS.min(sizes.most_connections());
    let unit = format!("a second over {connections} connections, the median of {TURNS} turns");
    report.table("Unread from the cache", &unit, &["set-up", "by PostgreSQL", "from the cache", "ratio"]);
    for (n, cached) in set_ups.iter().enumerate().filter(|(_, set_up)| set_up.is_cached()) {
        let is_plain = |of: &&SetUp| of.kind == Kind::Postgres && !of.is_cached() && of.nodes == cached.nodes;
        let Some(plain) = set_ups.iter().find(is_plain) else { continue };
        let plain = Turns::start(plain, cluster, &data.join(format!("counted_{n}")), sizes).await?;
        let cache = Turns::start(cached, cluster, &data.join(format!("cached_{n}")), sizes).await?;
        let mut both = [plain, cache];
        for turn in 0..=TURNS {
            for side in &mut both {
                let rate = side.take(connections, sizes).await?;
                if turn > 0 {
                    side.rates.push(rate);
                }
            }
        }
        let [counted, from_cache] = both.each_ref().map(|side| median(&side.rates));
        let ratio = from_cache / counted;
        report.cells(
            cached.name,
            &[format!("{counted:.0}"), format!("{from_cache:.0}"), format!("{ratio:.2}")],
        );
        let what = format!("{}: unread from the cache at {MIN_OF_UNCACHED} × or more", cached.name);
        report.goal(&what, ratio >= MIN_OF_UNCACHED, &format!("{ratio:.2}"));
        for side in both {
            side.deployment.stop().await?;
        }
    }
    Ok(())
}

/// A set-up that takes turns with another one.
struct Turns {
    deployment: Deployment,
    unread: Maker,
    rates: Vec<f64>,
}

impl Turns {
    async fn start(set_up: &SetUp, cluster: &Cluster, data: &Path, sizes: &Sizes) -> Result<Self> {
        let deployment = Deployment::start(set_up, cluster, data, (sizes.people, sizes.readers)).await?;
        let [_, unread] = reading::makers(&deployment).await?;
        Ok(Self { deployment, unread, rates: Vec::new() })
    }

    async fn take(&self, connections: usize, sizes: &Sizes) -> Result<f64> {
        let time = (sizes.run / 2, sizes.run);
        Ok(drive(&self.deployment.addresses, connections, time, &self.unread).await?.per_second())
    }
}
