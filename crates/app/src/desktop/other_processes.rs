//! Handles that another process of the data folder's owner changed something.

use std::sync::Arc;

use crate::context::{Context, part};
use crate::notify::silence::Silence;
use crate::notify::toasts::Toasts;
use crate::settings::proxy::ProxySettings;
use crate::sources::certificates::Certificates;
use crate::sources::engine::RunningEngine;

part! {
    /// Takes over what other processes wrote.
    pub(crate) struct OtherProcesses {
        context: Arc<Context>,
        engine: Arc<RunningEngine>,
        toasts: Arc<Toasts>,
        silence: Arc<Silence>,
        proxy: Arc<ProxySettings>,
        certificates: Arc<Certificates>,
    }
}

impl OtherProcesses {
    /// Handles that another process wrote to the replica: the page fetches everything again, and the outbox is sent.
    pub(crate) async fn changed_by_other_process(&self) {
        // It may have snoozed something.
        self.silence.timers_changed();
        self.context.events.update(|dirty| {
            dirty.refetch = true;
            dirty.sync = true;
        });
        if let Err(error) = self.toasts.tell_woken().await {
            tracing::error!(%error, "what came back from a snooze has no toast");
        }
        self.proxy.load_proxy().await;
        self.certificates.reload_certificates().await;
        if let Some(engine) = self.engine.get() {
            if let Err(error) = engine.reload().await {
                tracing::warn!(%error, "the sources could not be reloaded");
            }
            engine.flush();
        }
    }
}
