//! What comes in while its thread is read: an item that is read on screen has no toast, one below the edge has.

use std::sync::Arc;
use std::time::Duration;

use tidings_net::supervise;
use tidings_replica::{Arrival, SourceId, ThreadId};
use tidings_sync::PullReason;

use super::Toasts;

/// How long the toast of an item that came on screen waits until the item is read there. The page reads after 600 ms.
const ON_SCREEN_WAIT: Duration = Duration::from_millis(1_500);

impl Toasts {
    /// Takes the thread whose end is on screen in a window with the focus; `None` if there is none.
    pub(crate) fn watch(&self, thread: Option<ThreadId>) {
        *self.watched.lock() = thread;
    }

    /// The thread that was taken last.
    pub(crate) fn watched(&self) -> Option<ThreadId> {
        *self.watched.lock()
    }

    /// Holds back for a moment the items that came on screen in the window: if they are read there, they have no toast.
    /// Returns the rest.
    pub(super) fn hold_back_watched(
        self: &Arc<Self>,
        source: SourceId,
        reason: PullReason,
        arrived: &[Arrival],
    ) -> Vec<Arrival> {
        let watched = *self.watched.lock();
        let is_watched = |arrival: &Arrival| reason == PullReason::Live && Some(arrival.thread) == watched;
        let (held, told): (Vec<Arrival>, Vec<Arrival>) = arrived.iter().cloned().partition(is_watched);
        if !held.is_empty() {
            let toasts = Arc::clone(self);
            supervise::once("the toast of what came on screen", async move {
                tokio::time::sleep(ON_SCREEN_WAIT).await;
                toasts.tell_held_back(source, held).await;
            });
        }
        told
    }

    /// Shows toasts for what came on screen and was not read there.
    async fn tell_held_back(&self, source: SourceId, held: Vec<Arrival>) {
        let unread = self.context.disk(move |replica| {
            let mut unread = Vec::with_capacity(held.len());
            for arrival in held {
                if replica.any_unread(source, std::slice::from_ref(&arrival.notification.msgid))? {
                    unread.push(arrival);
                }
            }
            Ok(unread)
        });
        match unread.await {
            Ok(unread) if unread.is_empty() => {}
            Ok(unread) => {
                let (now, context) = (self.context.now(), self.toast_context());
                let commands =
                    self.policy.lock().arrived(source, PullReason::Live, &unread, &[], &context, now);
                self.tell(commands).await;
            }
            Err(error) => tracing::error!(%error, "what came on screen has no toast"),
        }
    }
}
