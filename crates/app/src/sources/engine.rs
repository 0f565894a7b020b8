//! The engine that pulls the sources, once it runs; until then nothing is pulled or sent.

use std::sync::{Arc, OnceLock};

use tidings_ipc::Upload;
use tidings_replica::SourceId;
use tidings_sync::{Engine, SourceStatus, SourceStatuses, UploadProgress};

use crate::context::{Context, part};
use crate::error::{Error, Result};

part! {
    /// The engine, set once it was started.
    pub(crate) struct RunningEngine {
        context: Arc<Context>;
        engine: OnceLock<Engine> = OnceLock::new(),
    }
}

impl RunningEngine {
    /// Sets the engine that was started. Only the first call has an effect.
    pub(crate) fn set(&self, engine: Engine) {
        let _ = self.engine.set(engine);
    }

    /// The engine, if it runs.
    pub(crate) fn get(&self) -> Option<&Engine> {
        self.engine.get()
    }

    /// The files that are being sent.
    pub(crate) fn upload_views(&self) -> Vec<Upload> {
        let view =
            |(id, progress): (String, UploadProgress)| Upload { id, done: progress.sent, of: progress.size };
        let uploads = self.get().map(|engine| engine.uploads().borrow().clone()).unwrap_or_default();
        uploads.into_iter().map(view).collect()
    }

    /// The status of each source.
    pub(crate) fn statuses(&self) -> SourceStatuses {
        self.get().map(|engine| engine.statuses().borrow().clone()).unwrap_or_default()
    }

    /// Pulls every source now, without waiting.
    pub(crate) fn pull_now(&self) {
        if let Some(engine) = self.get() {
            engine.pull_now();
        }
    }

    /// Sends the batched read marks of one source, or of all.
    pub(crate) fn flush_read_marks(&self, source: Option<SourceId>) {
        if let Some(engine) = self.get() {
            engine.flush_read_marks(source);
        }
    }

    /// Whether a message to a source would wait in the outbox: the source is paused, cannot be reached or needs a
    /// sign-in.
    pub(crate) fn would_wait(&self, source: SourceId) -> bool {
        match self.statuses().get(&source) {
            Some(SourceStatus::Idle | SourceStatus::Live | SourceStatus::Pulling { .. }) => false,
            Some(SourceStatus::Paused | SourceStatus::Retrying { .. } | SourceStatus::NeedsSignIn { .. })
            | None => true,
        }
    }

    /// Does work while nothing is pulled. `failed` makes the error if the sources can't be pulled again.
    pub(crate) async fn while_stopped<T>(
        &self,
        work: impl Future<Output = Result<T>>,
        failed: impl FnOnce(String) -> Error,
    ) -> Result<T> {
        match self.get() {
            Some(engine) => engine.while_stopped(work).await.map_err(|error| failed(error.to_string()))?,
            None => work.await,
        }
    }

    /// Makes the engine read the sources again, and updates the page.
    pub(crate) async fn sources_changed(&self) {
        if let Some(engine) = self.get()
            && let Err(error) = engine.reload().await
        {
            tracing::warn!(%error, "the sources could not be reloaded");
        }
        self.context.events.update(|dirty| dirty.sync = true);
    }
}
