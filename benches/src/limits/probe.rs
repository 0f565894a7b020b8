//! The response times of other clients, for `GET /health` and a post. These are repeated on connections and a thread of
//! their own, so that work of the measuring process does not count.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use reqwest::Method;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::fill::Fixture;
use crate::Result;
use crate::client::{Client, expect_success};
use crate::reads::Spread;

/// Pause between two requests of one probe.
const PROBE_INTERVAL: Duration = Duration::from_millis(5);

/// Response times of the probes, 99th percentiles.
#[derive(Debug, Clone, Copy)]
pub(super) struct Latencies {
    pub(super) health: Duration,
    pub(super) post: Duration,
}

/// The running probes.
pub(super) struct Probes {
    stop: CancellationToken,
    latencies: oneshot::Receiver<Result<Latencies>>,
}

/// Repeats a request until `stop` is cancelled, at least once; gives the spread of its response times.
async fn probe_repeatedly(request: reqwest::RequestBuilder, stop: CancellationToken) -> Result<Spread> {
    let mut took = Vec::new();
    while took.is_empty() || !stop.is_cancelled() {
        let request_copy = request.try_clone().ok_or("a request that can't be sent again")?;
        let started = Instant::now();
        expect_success("a probe", request_copy.send().await?).await?;
        took.push(started.elapsed());
        tokio::time::sleep(PROBE_INTERVAL).await;
    }
    Ok(Spread::of(&mut took))
}

/// Runs both probes until `stop` is cancelled.
async fn probe_both(url: &str, admin: &str, stop: CancellationToken) -> Result<Latencies> {
    // Made here, so that its connections belong to this thread's runtime.
    let client = Client::new(url)?;
    let health = client.http.get(format!("{url}/api/v1/health"));
    let post = client.request(admin, Method::POST, "/reminders").header("content-type", "application/json").body(
        r#"{"actor":"somebody","action":"like","target":{"type":"article","id":"elsewhere"},"body":"Nice"}"#,
    );
    let (health, post) = tokio::join!(probe_repeatedly(health, stop.clone()), probe_repeatedly(post, stop));
    Ok(Latencies { health: health?.p99, post: post?.p99 })
}

impl Probes {
    pub(super) fn start(fixture: &Arc<Fixture>) -> Result<Self> {
        let stop = CancellationToken::new();
        let (sender, latencies) = oneshot::channel();
        let (url, admin, stop_probes) = (fixture.client.url.clone(), fixture.admin.clone(), stop.clone());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        thread::Builder::new().name("probe".to_owned()).spawn(move || {
            drop(sender.send(runtime.block_on(probe_both(&url, &admin, stop_probes))));
        })?;
        Ok(Self { stop, latencies })
    }

    pub(super) async fn stop(self) -> Result<Latencies> {
        self.stop.cancel();
        self.latencies.await?
    }
}
