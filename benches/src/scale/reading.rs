//! Pulls and counts of many readers at once, and the time until a hint is on a live channel.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::RngExt;
use rand::rngs::SmallRng;
use serde_json::{Value, json};

use super::Sizes;
use super::deployment::Deployment;
use super::http::{Connection, Request};
use super::live::Channels;
use super::load::{Load, Maker, drive};
use crate::Result;
use crate::reads::Spread;

/// Connections that read.
pub(crate) const CONNECTIONS: usize = 64;
/// Items of a page that is pulled, and messages in the inbox of every reader.
pub(crate) const PAGE: usize = 50;
/// The pause between two publications whose hints are waited for.
const PAUSE: Duration = Duration::from_millis(30);

/// What readers do.
pub(crate) struct ReadFigures {
    /// Pulls that find nothing new.
    pub(crate) idle: Load,
    /// Pulls of a page with [`PAGE`] items.
    pub(crate) pages: Load,
    pub(crate) unread: Load,
    /// The time from a publication at the first node to its hint at the last one.
    pub(crate) hints: Spread,
}

/// A reader's token, and the path of its pull of nothing.
struct Reader {
    token: Arc<str>,
    idle_pull: String,
}

/// Requests of readers, drawn at random.
fn maker(readers: &Arc<Vec<Reader>>, path: impl Fn(&Reader) -> String + Send + Sync + 'static) -> Maker {
    let readers = Arc::clone(readers);
    Arc::new(move |rng: &mut SmallRng| {
        let n = rng.random_range(0..readers.len());
        match readers.get(n) {
            Some(reader) => Request::get(path(reader), &reader.token),
            None => Request::get("/me".to_owned(), &Arc::from("")),
        }
    })
}

/// Takes the figures of reading.
pub(crate) async fn measure(deployment: &Deployment, sizes: &Sizes) -> Result<ReadFigures> {
    let readers = Arc::new(fill(deployment).await?);
    let connections = CONNECTIONS.min(sizes.most_connections());
    // Unlike posts, which go over two, reads use every connection that a node may have to its database.
    let run = async |make: Maker| {
        drive(&deployment.addresses, connections, (sizes.run * 2, sizes.run), &make).await
    };
    let idle = run(maker(&readers, |reader| reader.idle_pull.clone())).await?;
    let pages = run(maker(&readers, |_| format!("/sync?limit={PAGE}"))).await?;
    let unread = run(maker(&readers, |_| "/unread".to_owned())).await?;
    let hints = measure_hints(deployment, sizes.hints).await?;
    println!(
        "  pulls of nothing {:.0} /s, of {PAGE} items {:.0} /s; unread {:.0} /s; hints {:.1} ms",
        idle.per_second(),
        pages.per_second(),
        unread.per_second(),
        hints.p50.as_secs_f64() * 1e3
    );
    Ok(ReadFigures { idle, pages, unread, hints })
}

/// Makes pulls that bring nothing new, and asks for the unread counts.
pub(crate) async fn makers(deployment: &Deployment) -> Result<[Maker; 2]> {
    let readers = Arc::new(fill(deployment).await?);
    Ok([maker(&readers, |reader| reader.idle_pull.clone()), maker(&readers, |_| "/unread".to_owned())])
}

/// Sends [`PAGE`] messages to every reader and lets each pull everything, which brings in what waited.
async fn fill(deployment: &Deployment) -> Result<Vec<Reader>> {
    let mut connection = Connection::open(*deployment.addresses.first().ok_or("no server")?).await?;
    let mut readers = Vec::new();
    for (n, token) in deployment.readers.iter().enumerate() {
        let messages: Vec<Value> = (0..PAGE)
            .map(|m| json!({"from": format!("u{}", m % 10 + 1), "to": format!("r{n}"), "body": "Are you there?"}))
            .collect();
        let body = Value::Array(messages).to_string();
        connection.send(&Request::post("/messages", &deployment.publisher, body)).await?;
        let mut idle_pull = "/sync?limit=5000".to_owned();
        loop {
            let page: Value =
                serde_json::from_slice(&connection.send(&Request::get(idle_pull, token)).await?)?;
            let next = page.get("next").and_then(Value::as_str).ok_or("no position")?;
            idle_pull = format!("/sync?limit=5000&since={next}");
            if page.get("more") == Some(&Value::Bool(false)) {
                break;
            }
        }
        readers.push(Reader { token: Arc::clone(token), idle_pull });
    }
    Ok(readers)
}

/// Publishes messages to a reader at the first node, one after the other; the reader's live channel is at the last one.
async fn measure_hints(deployment: &Deployment, count: usize) -> Result<Spread> {
    let (first, last) = (deployment.addresses.first(), deployment.addresses.last());
    let (first, last) = (*first.ok_or("no server")?, *last.ok_or("no server")?);
    let reader = deployment.readers.first().ok_or("no reader")?;
    let mut channels = Channels::open(last, [Arc::clone(reader)]).await?;
    let mut connection = Connection::open(first).await?;
    let mut took = Vec::new();
    for _ in 0..count {
        let body = json!({"from": "u1", "to": "r0", "body": "Now?"}).to_string();
        let started = Instant::now();
        let stamp =
            publish(&mut connection, &Request::post("/messages", &deployment.publisher, body)).await?;
        took.extend(channels.hinted(&stamp, started).await?);
        tokio::time::sleep(PAUSE).await;
    }
    Ok(Spread::of(&mut took))
}

/// Sends a request with one publication; gives its stamp.
pub(crate) async fn publish(connection: &mut Connection, request: &Request) -> Result<String> {
    let posted: Value = serde_json::from_slice(&connection.send(request).await?)?;
    Ok(posted.get("stamp").and_then(Value::as_str).ok_or("no stamp")?.to_owned())
}
