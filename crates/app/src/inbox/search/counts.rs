//! The number of unread threads that each saved search finds: counted after changes, at most once a second, and only
//! while a page listens.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tidings_query::{Query, local_midnight};
use tidings_replica::{Changed, Replica};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use super::Searches;
use crate::error::Result;

/// The highest count of a saved search; counting stops there.
const MAX_COUNT: u64 = 100;
/// The shortest time between two counts.
const MIN_COUNT_INTERVAL: Duration = Duration::from_secs(1);

impl Searches {
    /// Counts the saved searches; returns whether any count changed.
    pub(super) async fn count_searches(&self) -> Result<bool> {
        let searches = self.context.disk(Replica::saved_searches).await?;
        if searches.is_empty() && self.counts.len() == 0 {
            return Ok(false);
        }
        let sources = self.named_sources().await?;
        let counts = self
            .context
            .disk(move |r| {
                let mut counts = HashMap::new();
                for search in &searches {
                    if let Ok(query) = Query::parse(&search.query) {
                        let filter = query.filter(&sources, local_midnight);
                        counts.insert(search.id, r.unread_of(&filter, MAX_COUNT)?);
                    }
                }
                Ok(counts)
            })
            .await?;
        Ok(self.counts.replace(counts))
    }

    /// Has the saved searches counted although nothing changed.
    pub(crate) fn request_counts(&self) {
        self.counts.request();
    }

    /// How many searches have a count.
    #[cfg(test)]
    pub(crate) fn counted(&self) -> usize {
        self.counts.len()
    }

    /// Counts after changes and requests, for as long as the program runs.
    pub(crate) async fn run_search_counts(self: Arc<Self>, mut changes: broadcast::Receiver<Arc<Changed>>) {
        loop {
            tokio::select! {
                change = changes.recv() => if matches!(change, Err(RecvError::Closed)) { return },
                () = self.counts.requested() => {}
            }
            // Changes that have queued up are covered by the same count.
            while matches!(changes.try_recv(), Ok(_) | Err(TryRecvError::Lagged(_))) {}
            if self.context.events.has_listener() {
                match self.count_searches().await {
                    Ok(true) => self.context.events.update(|dirty| dirty.counts = true),
                    Ok(false) => {}
                    Err(error) => tracing::warn!(%error, "the saved searches could not be counted"),
                }
            }
            tokio::time::sleep(MIN_COUNT_INTERVAL).await;
        }
    }
}
