//! Publishing of each kind over more and more connections, and what one publication takes, beside raw SQL of the same rows.

use std::sync::Arc;
use std::time::Duration;

use rand::RngExt;
use rand::rngs::SmallRng;
use serde_json::{Value, json};

use super::Sizes;
use super::deployment::Deployment;
use super::http::Request;
use super::load::{Maker, drive};
use super::raw;
use crate::Result;

/// Drafts in a request that has several.
pub(crate) const ARRAY: usize = 100;
/// Connections to each node that send such requests.
const ARRAY_CONNECTIONS: usize = 4;
/// Actors and targets of reminders.
pub(super) const ACTORS: u32 = 400;
pub(super) const TARGETS: u32 = 10_000;

const BODY: &str = "The nightly build of the media service finished after 42 minutes, with two warnings.";

/// The kinds of publications that are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PostKind {
    Direct,
    Announcement,
    Reminder,
    Group,
}

impl PostKind {
    pub(crate) const ALL: [Self; 4] = [Self::Direct, Self::Announcement, Self::Reminder, Self::Group];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct messages",
            Self::Announcement => "announcements",
            Self::Reminder => "reminders",
            Self::Group => "group messages",
        }
    }

    /// The column `kind` of a notification.
    pub(super) fn as_row(self) -> i16 {
        match self {
            Self::Announcement => 1,
            Self::Reminder => 2,
            Self::Direct | Self::Group => 3,
        }
    }
}

/// The figures of one kind in one set-up.
pub(crate) struct PostFigures {
    /// Publications a second for each number of connections.
    pub(crate) rates: Vec<f64>,
    /// The same in requests with [`ARRAY`] each.
    pub(crate) in_arrays: f64,
    /// Raw SQL of the same rows, in batches.
    pub(crate) raw: f64,
    /// The same requests to a server that stores nothing, over the most connections.
    pub(crate) http: f64,
    pub(crate) cost: Cost,
}

/// What one publication takes.
pub(crate) struct Cost {
    pub(crate) nodes: Duration,
    pub(crate) database: Option<Duration>,
    /// Bytes of rows with their indexes, and of the write-ahead log.
    pub(crate) rows: u64,
    pub(crate) log: Option<u64>,
}

/// What makes the requests: each with one publication, or with an array of `drafts`.
pub(crate) fn maker(kind: PostKind, deployment: &Deployment, drafts: Option<usize>) -> Maker {
    let (token, users, groups) =
        (Arc::clone(&deployment.publisher), deployment.users.count, deployment.groups);
    Arc::new(move |rng: &mut SmallRng| {
        let group = rng.random_range(0..groups);
        let path = match kind {
            PostKind::Direct => "/messages".to_owned(),
            PostKind::Announcement => "/announcements".to_owned(),
            PostKind::Reminder => "/reminders".to_owned(),
            PostKind::Group => format!("/groups/g{group}/messages"),
        };
        let mut draft = || draft(kind, rng, users, group);
        let body = match drafts {
            None => draft(),
            Some(count) => Value::Array((0..count).map(|_| draft()).collect()),
        };
        Request::post(&path, &token, body.to_string())
    })
}

fn draft(kind: PostKind, rng: &mut SmallRng, users: i64, group: usize) -> Value {
    match kind {
        PostKind::Direct => {
            let (from, to) = two_users(rng, users);
            json!({"from": format!("u{from}"), "to": format!("u{to}"), "body": BODY})
        }
        PostKind::Announcement => json!({"title": "Maintenance", "body": BODY}),
        PostKind::Reminder => {
            let (actor, target) = (rng.random_range(0..ACTORS), rng.random_range(0..TARGETS));
            json!({"actor": format!("actor{actor}"), "action": "comment", "body": BODY,
                "target": {"type": "article", "id": target.to_string()}})
        }
        // It is sent in the name of the group's owner.
        PostKind::Group => json!({"from": format!("r{}", group * 16), "body": BODY}),
    }
}

/// The numbers of two different users.
pub(super) fn two_users(rng: &mut SmallRng, users: i64) -> (i64, i64) {
    let from = rng.random_range(1..=users);
    let to = rng.random_range(1..users);
    (from, if to >= from { to + 1 } else { to })
}

/// Takes the figures of one kind.
pub(crate) async fn measure(kind: PostKind, deployment: &Deployment, sizes: &Sizes) -> Result<PostFigures> {
    let make = maker(kind, deployment, None);
    let mut rates = Vec::new();
    let (cpu, written, mut posts) = (deployment.cpu()?, deployment.database.written().await?, 0);
    for connections in &sizes.connections {
        let load = drive(&deployment.addresses, *connections, (sizes.run / 2, sizes.run), &make).await?;
        rates.push(load.per_second());
        posts += load.requests + load.warm_up;
    }
    let cost = cost_of(deployment, (cpu, written), posts).await?;
    let arrays = maker(kind, deployment, Some(ARRAY));
    let array_connections = ARRAY_CONNECTIONS * deployment.addresses.len();
    let arrays = drive(&deployment.addresses, array_connections, (sizes.run / 2, sizes.run), &arrays).await?;
    #[allow(clippy::cast_precision_loss)]
    let in_arrays = arrays.per_second() * ARRAY as f64;
    let raw = raw::measure(kind, deployment, sizes.run).await?;
    let http = raw::measure_http(&make, sizes).await?;
    let connections: Vec<String> = rates.iter().map(|rate| format!("{rate:.0}")).collect();
    println!(
        "  {}: {} /s; in arrays {in_arrays:.0} /s; raw SQL {raw:.0} /s, raw HTTP {http:.0} /s",
        kind.name(),
        connections.join(", ")
    );
    Ok(PostFigures { rates, in_arrays, raw, http, cost })
}

/// What `posts` publications took since a moment, each.
async fn cost_of(
    deployment: &Deployment,
    (cpu, written): (super::deployment::Cpu, super::database::Written),
    posts: usize,
) -> Result<Cost> {
    let (cpu_now, written_now) = (deployment.cpu()?, deployment.database.written().await?);
    let posts = u32::try_from(posts.max(1))?;
    let database = cpu_now.database.zip(cpu.database);
    let log = written_now.log.zip(written.log);
    Ok(Cost {
        nodes: cpu_now.nodes.saturating_sub(cpu.nodes) / posts,
        database: database.map(|(now, before)| now.saturating_sub(before) / posts),
        rows: written_now.rows.saturating_sub(written.rows) / u64::from(posts),
        log: log.map(|(now, before)| now.saturating_sub(before) / u64::from(posts)),
    })
}
