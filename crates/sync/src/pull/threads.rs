//! What is asked about one thread when it is opened: the details that its newest item lacks, and its subscription at the
//! service.

use std::time::Duration;

use tidings_net::Error as NetError;
use tidings_replica::{ItemPosition, Page, Replica, SourceId, ThreadId};
use tidings_sources::Source;
use tokio::time::timeout;

use crate::blocking::with_replica;
use crate::{Result, waits};

/// How long the service may take for everything.
const TIMEOUT: Duration = Duration::from_secs(15);

/// Asks for what is not known of a thread, at most two requests, and stores it.
///
/// # Errors
/// [`Waiting`](NetError::Waiting) without a request while the service asks to be left alone, else the error of a request.
pub(crate) async fn look_up(
    replica: &Replica,
    id: SourceId,
    source: &dyn Source,
    thread: ThreadId,
) -> Result<()> {
    let asking = async {
        add_details(replica, id, source, thread).await?;
        let Some((subject, None)) = with_replica(replica, move |r| r.subject(thread)).await? else {
            return Ok(());
        };
        match source.subscription(&subject).await? {
            Some(known) => with_replica(replica, move |r| r.set_subscription(thread, known)).await,
            None => Ok(()),
        }
    };
    waits::keep_to(replica, id, async { timeout(TIMEOUT, asking).await.map_err(|_| NetError::Slow)? }).await
}

/// Fetches the details that the newest item of a thread lacks. An item that changed meanwhile stays as it is.
async fn add_details(replica: &Replica, id: SourceId, source: &dyn Source, thread: ThreadId) -> Result<()> {
    let newest =
        with_replica(replica, move |r| Ok(r.items_of(thread, &ItemPosition::Newest, 1)?.items.pop())).await?;
    let Some(newest) = newest else { return Ok(()) };
    let Some(complete) = source.details(&newest.notification).await? else { return Ok(()) };
    let page = Page { service_items: vec![complete], ..Page::default() };
    with_replica(replica, move |r| r.apply(id, page).map(drop)).await
}
