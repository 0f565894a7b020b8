//! What more users cost: the same requests to servers whose databases have more and more of them, taking turns.

use std::path::Path;

use tidings_testkit::postgres::Cluster;

use super::Sizes;
use super::deployment::{Deployment, Kind, SetUp};
use super::load::{Maker, drive};
use super::posts::{PostKind, maker};
use super::reading;
use crate::Result;
use crate::report::Report;

/// Connections, and turns of each measurement.
const CONNECTIONS: usize = 16;
const TURNS: usize = 5;
/// Readers on each server.
const READERS: usize = 64;
/// The most that a rate may differ between the fewest and the most users.
const MAX_RATIO: f64 = 1.2;

const NAMES: [&str; 4] = ["direct messages", "reminders", "pulls of nothing new", "unread"];

/// Takes the figures of growth.
pub(crate) async fn run(report: &mut Report, cluster: &Cluster, data: &Path, sizes: &Sizes) -> Result<()> {
    let set_up = SetUp { name: "PostgreSQL, 1 node", kind: Kind::Postgres, nodes: 1, args: Vec::new() };
    let mut deployments = Vec::new();
    for users in &sizes.users {
        let size = (*users, READERS.min(sizes.readers));
        deployments
            .push(Deployment::start(&set_up, cluster, &data.join(format!("growth_{users}")), size).await?);
    }
    let mut makers: Vec<[Maker; 4]> = Vec::new();
    for deployment in &deployments {
        let [idle, unread] = reading::makers(deployment).await?;
        let post = |kind| maker(kind, deployment, None);
        makers.push([post(PostKind::Direct), post(PostKind::Reminder), idle, unread]);
    }
    let mut rates = vec![[const { Vec::<f64>::new() }; 4]; deployments.len()];
    for _ in 0..TURNS {
        for (n, (deployment, makers)) in deployments.iter().zip(&makers).enumerate() {
            for (what, make) in makers.iter().enumerate() {
                let connections = CONNECTIONS.min(sizes.most_connections());
                let time = (sizes.run / 4, sizes.run / 2);
                let load = drive(&deployment.addresses, connections, time, make).await?;
                if let Some(rates) = rates.get_mut(n).and_then(|of| of.get_mut(what)) {
                    rates.push(load.per_second());
                }
            }
        }
    }
    write(report, sizes, &rates);
    for deployment in deployments {
        deployment.stop().await?;
    }
    Ok(())
}

fn write(report: &mut Report, sizes: &Sizes, rates: &[[Vec<f64>; 4]]) {
    let mut columns = vec!["users".to_owned()];
    columns.extend(NAMES.map(str::to_owned));
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let unit = format!(
        "a second over {CONNECTIONS} connections to one node, the median of {TURNS} turns; users were inserted by SQL"
    );
    report.table("Growth", &unit, &columns);
    let medians: Vec<[f64; 4]> = rates.iter().map(|of| of.each_ref().map(|rates| median(rates))).collect();
    for (users, medians) in sizes.users.iter().zip(&medians) {
        report.cells(&users.to_string(), &medians.map(|rate| format!("{rate:.0}")));
    }
    let (Some(few), Some(many)) = (medians.first(), medians.last()) else { return };
    for ((name, few), many) in NAMES.iter().zip(few).zip(many) {
        let ratio = few / many;
        let most = sizes.users.last().copied().unwrap_or_default();
        let what = format!("{name} with {most} users within {MAX_RATIO} × of those with the fewest");
        report.goal(&what, ratio <= MAX_RATIO, &format!("{ratio:.2}"));
    }
}

pub(super) fn median(rates: &[f64]) -> f64 {
    let mut rates = rates.to_vec();
    rates.sort_unstable_by(f64::total_cmp);
    rates.get(rates.len() / 2).copied().unwrap_or_default()
}
