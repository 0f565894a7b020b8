//! Many live channels on one node: the memory that each takes, and the time until a hint is on all of them.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tidings_testkit::postgres::Cluster;

use super::Sizes;
use super::database::token_of;
use super::deployment::{Deployment, Kind, SetUp};
use super::http::{Connection, Request};
use super::live::Channels;
use super::reading::publish;
use crate::Result;
use crate::reads::Spread;
use crate::report::{Report, millis};

/// Announcements whose hints are waited for, at each node.
const ROUNDS: usize = 10;
/// The most resident memory of the node that one channel may take, bytes.
const MAX_CHANNEL_BYTES: u64 = 40_000;

/// Takes the figures of many live channels, each of a user of its own.
pub(crate) async fn run(report: &mut Report, cluster: &Cluster, data: &Path, sizes: &Sizes) -> Result<()> {
    let set_up = SetUp { name: "PostgreSQL, 2 nodes", kind: Kind::Postgres, nodes: 2, args: Vec::new() };
    let users = i64::try_from(sizes.channels)?;
    let deployment = Deployment::start(&set_up, cluster, &data.join("channels"), (users.max(10), 1)).await?;
    deployment.database.insert_tokens(deployment.users, users).await?;
    let [here, there] = *deployment.addresses.as_slice() else { return Err("two nodes are to run".into()) };
    let before = deployment.resident(0)?;
    let opening = Instant::now();
    let mut channels = Channels::open(here, (1..=users).map(|n| Arc::from(token_of(n)))).await?;
    let opened = opening.elapsed();
    let bytes = deployment.resident(0)?.saturating_sub(before) / users.unsigned_abs().max(1);
    report.table(
        "Live channels",
        &format!(
            "{} channels on one node, each of a user of its own; milliseconds until a hint is on all",
            sizes.channels
        ),
        &["publication", "first half", "99 of 100", "all"],
    );
    for (name, address) in [("at the same node", here), ("at the other node", there)] {
        let mut connection = Connection::open(address).await?;
        let (mut each, mut all) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let body = json!({"title": "Maintenance", "body": "At noon"}).to_string();
            let request = Request::post("/announcements", &deployment.publisher, body);
            let started = Instant::now();
            let stamp = publish(&mut connection, &request).await?;
            let times = channels.hinted(&stamp, started).await?;
            all.push(times.iter().copied().max().unwrap_or_default());
            each.extend(times);
        }
        let ms = |time: Duration| format!("{:.1}", time.as_secs_f64() * 1e3);
        let (each, all) = (Spread::of(&mut each), Spread::of(&mut all));
        report.cells(name, &[ms(each.p50), ms(each.p99), millis(all)]);
    }
    report.target(
        &format!("a live channel takes at most {} KB of its node", MAX_CHANNEL_BYTES / 1_000),
        bytes <= MAX_CHANNEL_BYTES,
        &format!("{bytes} bytes; {} were open after {:.1} s", channels.count(), opened.as_secs_f64()),
    );
    drop(channels);
    deployment.stop().await
}
