//! What others see meanwhile: `GET /health` and a post of somebody else, asked again and again on connections of their
//! own.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::fill::World;
use crate::Result;
use crate::reads::Spread;

/// Between two questions of the same kind.
const PAUSE: Duration = Duration::from_millis(5);

/// How long others waited, 99th percentiles.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waits {
    pub(super) health: Duration,
    pub(super) post: Duration,
}

/// The questions under way.
pub(super) struct Probes {
    stop: CancellationToken,
    health: JoinHandle<Result<Spread>>,
    post: JoinHandle<Result<Spread>>,
}

/// Asks until it is told to stop, at least once.
async fn ask(request: reqwest::RequestBuilder, stop: CancellationToken) -> Result<Spread> {
    let mut took = Vec::new();
    while took.is_empty() || !stop.is_cancelled() {
        let again = request.try_clone().ok_or("a request that can't be sent again")?;
        let started = Instant::now();
        again.send().await?.error_for_status()?.bytes().await?;
        took.push(started.elapsed());
        tokio::time::sleep(PAUSE).await;
    }
    Ok(Spread::of(&mut took))
}

impl Probes {
    pub(super) fn start(world: &Arc<World>) -> Self {
        let stop = CancellationToken::new();
        let health = tokio::spawn(ask(world.http.get(format!("{}/api/v1/health", world.url)), stop.clone()));
        let post = world.http.post(format!("{}/api/v1/reminders", world.url)).bearer_auth(&world.admin);
        let post = post.header("content-type", "application/json").body(
            r#"{"actor":"somebody","action":"like","target":{"type":"article","id":"elsewhere"},"body":"Nice"}"#,
        );
        Self { post: tokio::spawn(ask(post, stop.clone())), health, stop }
    }

    pub(super) async fn stop(self) -> Result<Waits> {
        self.stop.cancel();
        Ok(Waits { health: self.health.await??.p99, post: self.post.await??.p99 })
    }
}
