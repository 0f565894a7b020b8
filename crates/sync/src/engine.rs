//! Keeps every source of the replica pulled: starts, wakes, asks and stops their runners. Refuses to know a protocol.

mod asking;
mod watchers;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use tidings_model::Clock;
use tidings_replica::{Replica, Source as Row, SourceId};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::disk::on_disk;
use crate::runner::{self, Asked, Runner};
use crate::{Error, News, Pace, Result, State, States, Tokens, Trouble, Wakes};

/// How long a runner may take to stop.
const STOP: Duration = Duration::from_secs(5);

/// What an engine works with.
pub struct Parts {
    /// Where everything is written; its sources are pulled.
    pub replica: Replica,
    /// Where the sources' tokens are.
    pub tokens: Arc<dyn Tokens>,
    /// The wall clock.
    pub clock: Arc<dyn Clock>,
    /// When connections can't be trusted any more; [`wake::system`](crate::wake::system) in a program.
    pub wakes: Wakes,
    /// How long to wait for what.
    pub pace: Pace,
    /// Hears what every page did. A slow listener slows the pulls down; a listener that is gone is left alone.
    pub news: Option<mpsc::Sender<News>>,
}

/// The running engine. Cheap to clone; it stops with [`Engine::shutdown`].
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

struct Inner {
    shared: Shared,
    wake: watch::Sender<u64>,
    runners: Mutex<BTreeMap<SourceId, Running>>,
    /// Held while runners are compared with the replica's sources, so that two of those never cross.
    reloading: tokio::sync::Mutex<()>,
    stop: CancellationToken,
    watchers: Mutex<Vec<JoinHandle<()>>>,
}

/// What all runners share.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) replica: Replica,
    pub(crate) tokens: Arc<dyn Tokens>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) pace: Pace,
    pub(crate) news: Option<mpsc::Sender<News>>,
    pub(crate) states: Arc<watch::Sender<States>>,
}

impl Shared {
    /// Shows how a source is doing, where that differs from before.
    pub(crate) fn show(&self, id: SourceId, state: State) {
        self.states.send_if_modified(|states| states.insert(id, state) != Some(state));
    }
}

struct Running {
    row: Row,
    asked: Arc<Asked>,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Engine {
    /// Starts pulling every source that is not paused. Needs a tokio runtime.
    pub async fn start(parts: Parts) -> Result<Self> {
        let Parts { replica, tokens, clock, wakes, pace, news } = parts;
        let states = Arc::new(watch::Sender::new(States::new()));
        let inner = Arc::new(Inner {
            shared: Shared { replica, tokens, clock, pace, news, states },
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

    /// How every source is doing; changes are announced.
    pub fn states(&self) -> watch::Receiver<States> {
        self.inner.shared.states.subscribe()
    }

    /// Pulls every source that is not paused now, also one that waits for its next try. Does not wait for it.
    pub fn pull_now(&self) {
        for running in self.runners().values() {
            running.asked.pull.notify_one();
        }
    }

    /// Pulls one source now. One that waits for a sign-in is asked again, too.
    pub async fn pull_one(&self, id: SourceId) -> Result<()> {
        if matches!(self.inner.shared.states.borrow().get(&id), Some(State::NeedsSignIn { .. })) {
            return self.restart(id).await;
        }
        if let Some(running) = self.runners().get(&id) {
            running.asked.pull.notify_one();
        }
        Ok(())
    }

    /// Stops pulling, does work that no pull may come in between, and goes on with the sources as they are then.
    pub async fn between<T>(&self, work: impl Future<Output = T>) -> Result<T> {
        let done = {
            let _one_at_a_time = self.inner.reloading.lock().await;
            let stopped = std::mem::take(&mut *self.runners());
            for running in stopped.values() {
                running.stop.cancel();
            }
            for running in stopped.into_values() {
                let _ = tokio::time::timeout(STOP, running.task).await;
            }
            work.await
        };
        self.reload().await?;
        Ok(done)
    }

    /// The same, and waits until each was pulled or failed. A source that is paused is left out.
    pub async fn pull_and_wait(&self) -> BTreeMap<SourceId, Result<(), Trouble>> {
        let asked: Vec<_> = self
            .runners()
            .iter()
            .map(|(id, running)| {
                let (answer, answered) = oneshot::channel();
                running.asked.pull_and_tell(answer);
                (*id, answered)
            })
            .collect();
        // A runner that stops takes its question with it.
        join_all(asked.into_iter().map(|(id, answered)| async move { Some((id, answered.await.ok()?)) }))
            .await
            .into_iter()
            .flatten()
            .collect()
    }

    /// Sends what waits, for example after another process marked something.
    pub fn flush(&self) {
        for running in self.runners().values() {
            running.asked.flush.notify_one();
        }
    }

    /// A conversation of this source was left, or with none given all of them: what was read is acknowledged at once,
    /// and not held back for more.
    pub fn leave(&self, id: Option<SourceId>) {
        for (_, running) in self.runners().iter().filter(|(known, _)| id.is_none_or(|id| id == **known)) {
            running.asked.left.notify_one();
        }
    }

    /// Pauses a source, or goes on with it; kept in the replica.
    pub async fn pause(&self, id: SourceId, paused: bool) -> Result<()> {
        let change = tidings_replica::SourceChange { paused: Some(paused), ..Default::default() };
        on_disk(&self.inner.shared.replica, move |r| r.change_source(id, change)).await?;
        self.reload().await
    }

    /// Looks at the replica's sources anew: starts those that were added or go on, stops those that were removed or
    /// paused, and starts over those whose address changed or that wait for a token.
    pub async fn reload(&self) -> Result<()> {
        self.reconcile(None).await
    }

    /// The same, and starts this one over: its token changed.
    pub async fn restart(&self, id: SourceId) -> Result<()> {
        self.reconcile(Some(id)).await
    }

    /// Stops everything; what is being written is written.
    pub async fn shutdown(&self) {
        self.inner.stop.cancel();
        let runners = std::mem::take(&mut *self.runners());
        let watchers = std::mem::take(&mut *lock(&self.inner.watchers));
        let tasks = runners.into_values().map(|running| running.task).chain(watchers);
        let _ = tokio::time::timeout(STOP, join_all(tasks)).await;
    }

    async fn reconcile(&self, over: Option<SourceId>) -> Result<()> {
        let inner = &self.inner;
        let _one_at_a_time = inner.reloading.lock().await;
        if inner.stop.is_cancelled() {
            return Err(Error::Stopped);
        }
        let rows = on_disk(&inner.shared.replica, Replica::sources).await?;
        let states = inner.shared.states.borrow().clone();
        let stays = |running: &Running| {
            let unsigned = matches!(states.get(&running.row.id), Some(State::NeedsSignIn { .. }));
            over != Some(running.row.id)
                && !unsigned
                && rows.iter().any(|row| pulled(row) && same_place(row, &running.row))
        };
        let gone = {
            let mut runners = self.runners();
            let (stay, gone): (BTreeMap<_, _>, BTreeMap<_, _>) =
                std::mem::take(&mut *runners).into_iter().partition(|(_, running)| stays(running));
            *runners = stay;
            gone
        };
        for running in gone.into_values() {
            running.stop.cancel();
            let _ = tokio::time::timeout(STOP, running.task).await;
        }
        inner.shared.states.send_modify(|states| states.retain(|id, _| rows.iter().any(|row| row.id == *id)));
        for row in rows {
            if !pulled(&row) {
                inner.shared.show(row.id, State::Paused);
            } else if !self.runners().contains_key(&row.id) {
                self.spawn(row);
            }
        }
        Ok(())
    }

    fn spawn(&self, row: Row) {
        let inner = &self.inner;
        let (id, stop, asked) = (row.id, inner.stop.child_token(), Arc::new(Asked::default()));
        inner.shared.show(id, State::Idle);
        let (shared, wake, wanted) = (inner.shared.clone(), inner.wake.clone(), asked.clone());
        let stopped = stop.clone();
        let task = tokio::spawn(async move {
            let runner = || Runner::new(id, shared.clone(), wanted.clone(), wake.subscribe());
            stopped.run_until_cancelled(runner::keep(runner)).await;
        });
        self.runners().insert(id, Running { row, asked, stop, task });
    }

    fn runners(&self) -> MutexGuard<'_, BTreeMap<SourceId, Running>> {
        lock(&self.inner.runners)
    }
}

/// A source that was kept after its removal has no protocol to be pulled by.
fn pulled(row: &Row) -> bool {
    !row.paused && row.protocol != "kept"
}

fn same_place(a: &Row, b: &Row) -> bool {
    a.id == b.id && a.url == b.url && a.protocol == b.protocol
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
