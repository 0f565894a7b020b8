//! Turns: how many inputs are parsed at a time, and whose is next.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};

use crate::Failure;

/// The most inputs that wait, with those that are parsed.
const MAX_WAITING: usize = 256;
/// The longest wait.
const MAX_WAIT: Duration = Duration::from_secs(120);

/// The places for parsers, which those who wait take in turns: of each one at most one input stands in the line.
pub(crate) struct Turns {
    places: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    queues: Mutex<HashMap<String, Arc<AsyncMutex<()>>>>,
}

/// A place. It is free again when this is dropped.
pub(crate) struct Turn {
    _place: OwnedSemaphorePermit,
    _queue: OwnedMutexGuard<()>,
    _waiting: OwnedSemaphorePermit,
}

impl Turns {
    pub(crate) fn new(places: usize) -> Self {
        Self {
            places: Arc::new(Semaphore::new(places)),
            waiting: Arc::new(Semaphore::new(MAX_WAITING)),
            queues: Mutex::default(),
        }
    }

    /// Waits for the turn of `of`.
    ///
    /// # Errors
    /// [`Failure::Busy`] if too many wait, or it takes too long.
    pub(crate) async fn take(&self, of: &str) -> Result<Turn, Failure> {
        let waiting = self.waiting.clone().try_acquire_owned().map_err(|_| Failure::Busy)?;
        let queue = self.queue(of);
        let turn = async {
            let queue = queue.lock_owned().await;
            // The semaphore is fair, and of each queue one waits for it.
            let place = self.places.clone().acquire_owned().await.map_err(|_| Failure::Busy)?;
            Ok(Turn { _place: place, _queue: queue, _waiting: waiting })
        };
        tokio::time::timeout(MAX_WAIT, turn).await.map_err(|_| Failure::Busy)?
    }

    fn queue(&self, of: &str) -> Arc<AsyncMutex<()>> {
        let mut queues = self.queues.lock();
        // Those that nobody waits in; the map is never longer than what waits.
        queues.retain(|_, queue| Arc::strong_count(queue) > 1);
        queues.entry(of.to_owned()).or_default().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_who_has_many_inputs_takes_turns_with_one_who_has_one() {
        let turns = Arc::new(Turns::new(2));
        let first = turns.take("many").await.unwrap();
        let (order, mut ordered) = tokio::sync::mpsc::unbounded_channel();
        let mut waiting = Vec::new();
        for of in ["many", "many", "one"] {
            let (turns, order) = (turns.clone(), order.clone());
            waiting.push(tokio::spawn(async move {
                let turn = turns.take(of).await.unwrap();
                order.send(of).unwrap();
                drop(turn);
            }));
        }
        // The second place is free, and stays free for others.
        assert_eq!(ordered.recv().await, Some("one"));
        drop(first);
        assert_eq!((ordered.recv().await, ordered.recv().await), (Some("many"), Some("many")));
        for task in waiting {
            task.await.unwrap();
        }
        drop(turns.take("another").await.unwrap());
        assert_eq!(turns.queues.lock().len(), 1, "queues are forgotten");
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_waits_too_long_or_behind_too_many_is_told_so() {
        let turns = Arc::new(Turns::new(1));
        let held = turns.take("a").await.unwrap();
        assert_eq!(turns.take("b").await.err(), Some(Failure::Busy));
        let waiting: Vec<_> = (1..MAX_WAITING)
            .map(|n| {
                let turns = turns.clone();
                tokio::spawn(async move { turns.take(&n.to_string()).await.map(drop) })
            })
            .collect();
        while turns.waiting.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(turns.take("c").await.err(), Some(Failure::Busy));
        drop(held);
        for task in waiting {
            assert_eq!(task.await.unwrap(), Ok(()));
        }
    }
}
