//! What the engine listens to beside its sources: the machine waking up, and marks made here. Refuses to outlive it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use tidings_replica::Replica;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, sleep_until};

use super::{Engine, lock};
use crate::{Wakes, http};

impl Engine {
    pub(super) fn watch_wakes(&self, mut wakes: Wakes) {
        let wake = self.inner.wake.clone();
        self.watch(async move {
            while let Some(why) = wakes.next().await {
                tracing::info!(?why, "connections start over");
                http::renew();
                wake.send_modify(|generation| *generation += 1);
            }
        });
    }

    /// A local mark is sent as soon as it is made; what was held back to gather, when that is over.
    pub(super) fn watch_outbox(&self) {
        const GATHER: Duration = Duration::from_micros(Replica::GATHER.unsigned_abs());
        let mut changes = self.inner.shared.replica.subscribe();
        let engine = Arc::downgrade(&self.inner);
        self.watch(async move {
            let (mut due, mut last) = (None, Instant::now());
            loop {
                let later = sleep_until(due.unwrap_or(last));
                let waiting = tokio::select! {
                    changed = changes.recv() => match changed {
                        Ok(changed) => changed.numbers.waiting > 0,
                        Err(RecvError::Lagged(_)) => true,
                        Err(RecvError::Closed) => return,
                    },
                    () = later, if due.is_some() => {
                        // What was marked meanwhile has its own time.
                        due = Some(last + GATHER).filter(|due| *due > Instant::now());
                        let Some(inner) = engine.upgrade() else { return };
                        Self { inner }.flush();
                        continue;
                    }
                };
                let Some(inner) = engine.upgrade() else { return };
                if waiting {
                    last = Instant::now();
                    due = due.or(Some(last + GATHER));
                    Self { inner }.flush();
                }
            }
        });
    }

    fn watch(&self, work: impl Future<Output = ()> + Send + 'static) {
        let stop = self.inner.stop.clone();
        let task = tokio::spawn(async move {
            stop.run_until_cancelled(work).await;
        });
        lock(&self.inner.watchers).push(task);
    }
}
