//! The engine's watchers: they react to wakes of the machine and to changes of the outbox.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use tidings_net::supervise;
use tidings_replica::Replica;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, sleep_until};

use super::Engine;
use crate::Wakes;

impl Engine {
    pub(super) fn watch_wakes(&self, wakes: Wakes) {
        let (wake, wakes) = (self.inner.wake.clone(), Arc::new(tokio::sync::Mutex::new(wakes)));
        self.watch("waking up", move || {
            let (wake, wakes) = (wake.clone(), wakes.clone());
            async move {
                while let Some(why) = wakes.lock().await.next().await {
                    tracing::info!(?why, "connections start over");
                    tidings_net::start_over();
                    wake.send_modify(|generation| *generation += 1);
                }
            }
        });
    }

    /// Requests a flush as soon as an operation is queued, and again when the batching window of read marks has
    /// passed.
    pub(super) fn watch_outbox(&self) {
        const BATCH_WINDOW: Duration =
            Duration::from_micros(Replica::READ_BATCH_WINDOW_MICROS.unsigned_abs());
        let replica = self.inner.shared.replica.clone();
        let mut first = Some(replica.subscribe());
        let engine = Arc::downgrade(&self.inner);
        self.watch("sending marks", move || {
            let mut changes = first.take().unwrap_or_else(|| replica.subscribe());
            let engine = engine.clone();
            async move {
                let (mut due, mut last) = (None, Instant::now());
                loop {
                    let later = sleep_until(due.unwrap_or(last));
                    let waiting = tokio::select! {
                        changed = changes.recv() => match changed {
                            Ok(changed) => changed.counts.waiting > 0,
                            Err(RecvError::Lagged(_)) => true,
                            Err(RecvError::Closed) => return,
                        },
                        () = later, if due.is_some() => {
                            // Marks that were put after the last change have a window of their own.
                            due = Some(last + BATCH_WINDOW).filter(|due| *due > Instant::now());
                            let Some(inner) = engine.upgrade() else { return };
                            Self { inner }.flush();
                            continue;
                        }
                    };
                    let Some(inner) = engine.upgrade() else { return };
                    if waiting {
                        last = Instant::now();
                        due = due.or(Some(last + BATCH_WINDOW));
                        Self { inner }.flush();
                    }
                }
            }
        });
    }

    /// Runs a task until the engine stops; one that panics is restarted.
    fn watch<W: Future<Output = ()> + Send + 'static>(
        &self,
        task: &'static str,
        mut start: impl FnMut() -> W + Send + 'static,
    ) {
        let stop = self.inner.stop.clone();
        let supervised = supervise::keep(task, move || {
            let (stop, work) = (stop.clone(), start());
            async move {
                stop.run_until_cancelled(work).await;
            }
        });
        self.inner.watchers.lock().push(supervised);
    }
}
