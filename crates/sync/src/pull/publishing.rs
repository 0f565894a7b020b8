//! Publishes what the reader writes on a topic. It is sent once: a service without idempotency keys would have it twice
//! after an answer that was lost.
//!
//! Nothing that the reader publishes on a topic of a source waits in the outbox: it would be published at a time
//! that nobody chose. Each draft has a sequence, under which it is published. From ntfy 2.16 on, another try
//! replaces the first one; an older server has both.

use std::time::Duration;

use tidings_net::Error as NetError;
use tidings_replica::{Replica, SourceId};
use tidings_sources::{Publication, Source};

use crate::{Result, waits};

/// The longest wait for the answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(15);

/// Publishes a notification on a topic of a source, unless its server asks to be left alone. A pull then brings it.
///
/// # Errors
/// [`Slow`](NetError::Slow) after 15 s, else the error of the request. If no answer came, it may have been
/// published.
pub async fn publish_once(
    replica: &Replica,
    id: SourceId,
    source: &dyn Source,
    publication: &Publication,
) -> Result<()> {
    let request = tokio::time::timeout(ANSWER_TIMEOUT, source.publish(publication));
    waits::keep_to(replica, id, async { request.await.map_err(|_| NetError::Slow)? }).await
}
