//! Counts in progress: those who ask for the same inbox at once wait for one count, and a process counts a bounded number
//! of inboxes at once.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tidings_store::Error;
use tidings_store::domain::account::UserKey;
use tidings_store::request_time::StoreWait;
use tokio::sync::{OwnedMutexGuard, Semaphore, SemaphorePermit};
use tokio::time::timeout_at;

use super::counts::CachedCounts;

/// Inboxes that a process counts at once.
const PERMITS: usize = 16;
/// How long a request waits for others, and again for a permit.
const TURN: Duration = Duration::from_secs(4);

type SharedCounts = tokio::sync::Mutex<Option<CachedCounts>>;

/// The counts in progress of a process.
pub(super) struct Flights {
    by_user: Mutex<HashMap<UserKey, Arc<SharedCounts>>>,
    permits: Semaphore,
}

impl Default for Flights {
    fn default() -> Self {
        Self { by_user: Mutex::default(), permits: Semaphore::new(PERMITS) }
    }
}

/// The turn of one request for an inbox. It holds what the one before it has counted, if anybody waited for that.
pub(crate) struct Turn<'f> {
    flights: &'f Flights,
    user: UserKey,
    counts: Option<OwnedMutexGuard<Option<CachedCounts>>>,
}

impl Flights {
    /// Waits for the turn of a request for this inbox.
    pub(super) async fn turn(&self, user: UserKey) -> Result<Turn<'_>, Error> {
        // This is made first: it cleans up even if the wait is given up.
        let mut turn = Turn { flights: self, user, counts: None };
        let wait = StoreWait::begin();
        let shared = Arc::clone(self.by_user.lock().entry(user).or_default());
        turn.counts =
            Some(timeout_at(wait.end_within(TURN), shared.lock_owned()).await.map_err(|_| too_many())?);
        Ok(turn)
    }

    /// Waits for a permit to count.
    pub(super) async fn permit(&self) -> Result<SemaphorePermit<'_>, Error> {
        let wait = StoreWait::begin();
        match timeout_at(wait.end_within(TURN), self.permits.acquire()).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(too_many()),
        }
    }
}

fn too_many() -> Error {
    Error::unavailable("too many inboxes are being counted")
}

impl Turn<'_> {
    /// What was counted while this request waited.
    pub(crate) fn counted(&self) -> Option<&CachedCounts> {
        self.counts.as_ref()?.as_ref()
    }

    /// Hands a count to those who wait.
    pub(crate) fn share(&mut self, counts: &CachedCounts) {
        if let Some(shared) = &mut self.counts {
            **shared = Some(counts.clone());
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut by_user = self.flights.by_user.lock();
        drop(self.counts.take());
        if by_user.get(&self.user).is_some_and(|shared| Arc::strong_count(shared) == 1) {
            by_user.remove(&self.user);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::FutureExt;
    use tidings_model::Stamp;

    use super::*;
    use crate::counted::Counted;

    #[tokio::test]
    async fn one_counts_for_all_who_wait() {
        let (flights, counted) = (Flights::default(), AtomicUsize::new(0));
        let user = UserKey(1);
        let asks = (0..10).map(|_| async {
            let mut turn = flights.turn(user).await.unwrap();
            if turn.counted().is_some() {
                return;
            }
            counted.fetch_add(1, Ordering::SeqCst);
            // The map has one, this turn one, and each of the others one.
            while Arc::strong_count(&flights.by_user.lock()[&user]) < 11 {
                tokio::task::yield_now().await;
            }
            turn.share(&CachedCounts {
                version: Stamp::ZERO,
                considered: Stamp::ZERO,
                awake: (None, None),
                oldest: None,
                counted: Counted::default(),
            });
        });
        futures_util::future::join_all(asks).await;
        assert_eq!(counted.into_inner(), 1);
        assert!(flights.by_user.lock().is_empty(), "nothing is left of it");
    }

    #[tokio::test]
    async fn a_process_counts_sixteen_inboxes_at_once_and_no_more() {
        let flights = Flights::default();
        let mut permits = Vec::new();
        for _ in 0..PERMITS {
            permits.push(flights.permit().await.unwrap());
        }
        assert!(flights.permit().now_or_never().is_none(), "all permits are given out");
        permits.pop();
        assert!(flights.permit().now_or_never().is_some(), "one is free again");
    }
}
