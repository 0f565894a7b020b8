//! Requests over many connections at once, each with one request at a time.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand::rngs::SmallRng;

use super::http::{Connection, Request};
use crate::Result;
use crate::reads::Spread;

/// Makes the next request, at random.
pub(crate) type Maker = Arc<dyn Fn(&mut SmallRng) -> Request + Send + Sync>;

/// What was answered in a measurement.
pub(crate) struct Load {
    pub(crate) requests: usize,
    /// Requests before the measurement, until connections were open and statements prepared.
    pub(crate) warm_up: usize,
    pub(crate) time: Duration,
    /// The time from a request to the end of its answer.
    pub(crate) latency: Spread,
}

impl Load {
    pub(crate) fn per_second(&self) -> f64 {
        #[allow(clippy::cast_precision_loss)]
        let requests = self.requests as f64;
        requests / self.time.as_secs_f64()
    }
}

/// Sends requests over `connections`, shared out among the nodes at `addresses`, for `time`, after `warm_up` without
/// measuring. Each of a node's connections to its database plans each statement once, which takes longer than running
/// it.
pub(crate) async fn drive(
    addresses: &[SocketAddr],
    connections: usize,
    (warm_up, time): (Duration, Duration),
    make: &Maker,
) -> Result<Load> {
    let begin = Instant::now() + warm_up;
    let end = begin + time;
    let mut tasks = Vec::with_capacity(connections);
    for (n, address) in addresses.iter().cycle().take(connections).enumerate() {
        let (make, address) = (Arc::clone(make), *address);
        tasks.push(tokio::spawn(async move {
            let mut rng = SmallRng::seed_from_u64(n as u64);
            let mut connection = Connection::open(address).await?;
            let (mut took, mut warm_up) = (Vec::new(), 0);
            loop {
                let request = make(&mut rng);
                let started = Instant::now();
                if started >= end {
                    return Ok::<_, Box<dyn std::error::Error + Send + Sync>>((took, warm_up));
                }
                if let Err(error) = connection.send(&request).await {
                    return Err(
                        format!("{} over connection {n} of {connections}: {error}", request.path).into()
                    );
                }
                let now = Instant::now();
                if now < begin {
                    warm_up += 1;
                } else if now < end {
                    took.push(now - started);
                }
            }
        }));
    }
    let (mut all, mut warm_up) = (Vec::new(), 0);
    for task in tasks {
        let (took, before) = task.await??;
        all.extend(took);
        warm_up += before;
    }
    Ok(Load { requests: all.len(), warm_up, time, latency: Spread::of(&mut all) })
}
