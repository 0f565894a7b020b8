//! The engine: starts, wakes and stops a runner for each source of the replica.

mod config;
mod queries;
mod runner;
mod watchers;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use parking_lot::{Mutex, MutexGuard};
use tidings_replica::{Replica, Source as Row, SourceId};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use url::Url;

pub use self::config::EngineConfig;
pub(crate) use self::config::Shared;
use self::runner::{Requests, Runner};
use crate::blocking::with_replica;
use crate::{Result, SourceStatus, SourceStatuses, Trouble, Uploads};

/// The most time that a runner may take to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// The running engine. Cheap to clone; it stops with [`Engine::shutdown`].
///
/// ```no_run
/// # use std::sync::Arc;
/// # use tidings_model::{Clock, SystemClock};
/// # use tidings_sync::{BackoffConfig, Engine, EngineConfig, StoredTokens, TokenStore, wake};
/// # async fn start(replica: tidings_replica::Replica, dir: &std::path::Path) -> tidings_sync::Result<()> {
/// let clock: Arc<dyn Clock> = Arc::new(SystemClock);
/// let tokens = StoredTokens::new(TokenStore::new(dir), |_own_server| false);
/// let engine = Engine::start(EngineConfig {
///     replica,
///     tokens: Arc::new(tokens),
///     wakes: wake::system(clock.clone()),
///     clock,
///     backoff: BackoffConfig::default(),
///     events: None,
///     bounds: tidings_sources::Bounds::default(),
/// })
/// .await?;
/// engine.pull_and_wait().await;
/// engine.shutdown().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

struct Inner {
    shared: Shared,
    wake: watch::Sender<u64>,
    runners: Mutex<BTreeMap<SourceId, StartedRunner>>,
    /// Locked while runners are started and stopped, so that concurrent calls of [`Engine::reload`] run one after the
    /// other.
    reloading: tokio::sync::Mutex<()>,
    stop: CancellationToken,
    watchers: Mutex<Vec<JoinHandle<()>>>,
}

struct StartedRunner {
    row: Row,
    requests: Arc<Requests>,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Engine {
    /// Starts pulling every source that is not paused, on the current tokio runtime.
    ///
    /// # Errors
    /// [`Error::Replica`](crate::Error::Replica) if the sources can't be read.
    pub async fn start(config: EngineConfig) -> Result<Self> {
        let (shared, wakes) = config.into_shared();
        let inner = Arc::new(Inner {
            shared,
            wake: watch::Sender::new(0),
            runners: Mutex::default(),
            reloading: tokio::sync::Mutex::default(),
            stop: CancellationToken::new(),
            watchers: Mutex::default(),
        });
        let engine = Self { inner };
        engine.reload().await?;
        engine.watch_wakes(wakes);
        engine.watch_outbox();
        Ok(engine)
    }

    /// The status of every source; the receiver is notified of changes.
    pub fn statuses(&self) -> watch::Receiver<SourceStatuses> {
        self.inner.shared.statuses.subscribe()
    }

    /// The running uploads of files; the receiver is notified of progress.
    pub fn uploads(&self) -> watch::Receiver<Uploads> {
        self.inner.shared.uploads.subscribe()
    }

    /// Requests a pull of every source that is not paused, including those that wait for their next try. Returns at
    /// once.
    pub fn pull_now(&self) {
        for running in self.runners().values() {
            running.requests.pull.notify_one();
        }
    }

    /// Requests a pull of one source. A source that needs a sign-in is restarted with its present token.
    ///
    /// # Errors
    /// Those of [`Engine::restart`].
    pub async fn pull_one(&self, id: SourceId) -> Result<()> {
        if matches!(self.inner.shared.statuses.borrow().get(&id), Some(SourceStatus::NeedsSignIn { .. })) {
            return self.restart(id).await;
        }
        if let Some(running) = self.runners().get(&id) {
            running.requests.pull.notify_one();
        }
        Ok(())
    }

    /// Stops all runners while `work` runs, then starts the sources that the replica has by then.
    ///
    /// # Errors
    /// Those of [`Engine::reload`]; `work` was done nevertheless.
    pub async fn while_stopped<T>(&self, work: impl Future<Output = T>) -> Result<T> {
        let done = {
            let _one_at_a_time = self.inner.reloading.lock().await;
            let stopped = std::mem::take(&mut *self.runners());
            for running in stopped.values() {
                running.stop.cancel();
            }
            for running in stopped.into_values() {
                let _ = tokio::time::timeout(STOP_TIMEOUT, running.task).await;
            }
            work.await
        };
        self.reload().await?;
        Ok(done)
    }

    /// Pulls every source that is not paused, and waits until each was pulled or failed.
    pub async fn pull_and_wait(&self) -> BTreeMap<SourceId, Result<(), Trouble>> {
        let requests: Vec<_> = self
            .runners()
            .iter()
            .map(|(id, running)| {
                let (answer, answered) = oneshot::channel();
                running.requests.pull_and_answer(answer);
                (*id, answered)
            })
            .collect();
        // A runner that stops drops its senders; its source is then missing in the result.
        join_all(requests.into_iter().map(|(id, answered)| async move { Some((id, answered.await.ok()?)) }))
            .await
            .into_iter()
            .flatten()
            .collect()
    }

    /// Requests that every runner sends its outbox, for example after another process put a mark. Returns at once.
    pub fn flush(&self) {
        for running in self.runners().values() {
            running.requests.flush.notify_one();
        }
    }

    /// Sends read marks of conversations at once instead of batching them, because the reader left a conversation of
    /// this source, or with `None` of any source.
    pub fn flush_read_marks(&self, id: Option<SourceId>) {
        for (_, running) in self.runners().iter().filter(|(known, _)| id.is_none_or(|id| id == **known)) {
            running.requests.conversation_left.notify_one();
        }
    }

    /// Pauses or resumes a source, and stores that in the replica.
    ///
    /// # Errors
    /// [`Error::Replica`](crate::Error::Replica) if it can't be stored, and those of [`Engine::reload`].
    pub async fn pause(&self, id: SourceId, paused: bool) -> Result<()> {
        let change = tidings_replica::SourceChange { paused: Some(paused), ..Default::default() };
        with_replica(&self.inner.shared.replica, move |r| r.change_source(id, change)).await?;
        self.reload().await
    }

    /// Reads the replica's sources again. Starts added and resumed ones, stops removed and paused ones, and restarts
    /// those with a new address and those that wait for a token.
    ///
    /// # Errors
    /// [`Stopped`](tidings_net::Error::Stopped) after [`Engine::shutdown`], else the replica's error.
    pub async fn reload(&self) -> Result<()> {
        self.reconcile(None).await
    }

    /// Like [`Engine::reload`], but restarts this source in any case, for example because its token changed.
    ///
    /// # Errors
    /// Those of [`Engine::reload`].
    pub async fn restart(&self, id: SourceId) -> Result<()> {
        self.reconcile(Some(id)).await
    }

    /// Restarts the sources at these origins, whose certificates changed: open connections are made anew.
    ///
    /// # Errors
    /// Those of [`Engine::reload`].
    pub async fn certificates_changed(&self, origins: &[String]) -> Result<()> {
        let rows = with_replica(&self.inner.shared.replica, Replica::sources).await?;
        let is_at = |row: &&Row| {
            row.url.parse::<Url>().is_ok_and(|url| origins.contains(&url.origin().ascii_serialization()))
        };
        for row in rows.iter().filter(is_at) {
            self.restart(row.id).await?;
        }
        Ok(())
    }

    /// Stops every task, waiting at most 5 s. A page that is being written is written completely.
    pub async fn shutdown(&self) {
        self.inner.stop.cancel();
        let runners = std::mem::take(&mut *self.runners());
        let watchers = std::mem::take(&mut *self.inner.watchers.lock());
        let tasks = runners.into_values().map(|running| running.task).chain(watchers);
        let _ = tokio::time::timeout(STOP_TIMEOUT, join_all(tasks)).await;
    }

    async fn reconcile(&self, restart: Option<SourceId>) -> Result<()> {
        let inner = &self.inner;
        let _one_at_a_time = inner.reloading.lock().await;
        if inner.stop.is_cancelled() {
            return Err(tidings_net::Error::Stopped.into());
        }
        let rows = with_replica(&inner.shared.replica, Replica::sources).await?;
        let statuses = inner.shared.statuses.borrow().clone();
        let stays = |running: &StartedRunner| {
            let needs_sign_in =
                matches!(statuses.get(&running.row.id), Some(SourceStatus::NeedsSignIn { .. }));
            restart != Some(running.row.id)
                && !needs_sign_in
                && rows.iter().any(|row| is_pulled(row) && is_same_address(row, &running.row))
        };
        let stopped = {
            let mut runners = self.runners();
            let (stay, stopped): (BTreeMap<_, _>, BTreeMap<_, _>) =
                std::mem::take(&mut *runners).into_iter().partition(|(_, running)| stays(running));
            *runners = stay;
            stopped
        };
        for running in stopped.into_values() {
            running.stop.cancel();
            let _ = tokio::time::timeout(STOP_TIMEOUT, running.task).await;
        }
        inner
            .shared
            .statuses
            .send_modify(|statuses| statuses.retain(|id, _| rows.iter().any(|row| row.id == *id)));
        for row in rows {
            if !is_pulled(&row) {
                inner.shared.set_status(row.id, SourceStatus::Paused);
            } else if !self.runners().contains_key(&row.id) {
                self.spawn(row);
            }
        }
        Ok(())
    }

    fn spawn(&self, row: Row) {
        let inner = &self.inner;
        let (id, stop, requests) = (row.id, inner.stop.child_token(), Arc::new(Requests::default()));
        inner.shared.set_status(id, SourceStatus::Idle);
        let (shared, wake, runner_requests) = (inner.shared.clone(), inner.wake.clone(), requests.clone());
        let stopped = stop.clone();
        let task = tokio::spawn(async move {
            let runner = || Runner::new(id, shared.clone(), runner_requests.clone(), wake.subscribe());
            stopped.run_until_cancelled(Box::pin(runner::supervise_runner(runner))).await;
        });
        self.runners().insert(id, StartedRunner { row, requests, stop, task });
    }

    fn runners(&self) -> MutexGuard<'_, BTreeMap<SourceId, StartedRunner>> {
        self.inner.runners.lock()
    }
}

/// Whether a source is pulled: it is not paused, and is not a removed source whose items are kept.
fn is_pulled(row: &Row) -> bool {
    !row.paused && row.protocol != "kept"
}

fn is_same_address(a: &Row, b: &Row) -> bool {
    a.id == b.id && a.url == b.url && a.protocol == b.protocol
}
