//! The runner of one source: pulls, listens to the live channel, pulls on a hint, and after a failure waits and
//! starts again. Only a missing sign-in makes it wait for the reader.

mod listening;
mod requests;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use parking_lot::Mutex;
use tidings_model::Stamp;
use tidings_net::waits::until;
use tidings_net::{Error as NetError, supervise};
use tidings_replica::SourceId;
use tidings_sources::Source;
use tokio::{
    sync::{Notify, oneshot, watch},
    time::{Instant, sleep, timeout},
};

pub(crate) use self::requests::Requests;
use super::Shared;
use crate::backoff::Backoff;
use crate::blocking::with_replica;
use crate::pull::uploads::Uploader;
use crate::pull::{Pull, Report};
use crate::tokens::{renew, valid_token};
use crate::{Error, Result, SourceStatus, Trouble, waits};

/// The most time that the live channel may take to open.
const OPEN_TIMEOUT: Duration = Duration::from_secs(20);
/// The longest time between two pulls of a source without a live channel.
const MAX_POLL_INTERVAL: Duration = Duration::from_secs(60);
/// The most that is added at random to the interval of a protocol, as a part of it, so that not all clients pull at once.
const POLL_JITTER: f64 = 0.1;
/// The number of timed pulls after a malformed live channel, before it is opened again.
const POLLS_WITHOUT_CHANNEL: u32 = 10;

/// The runner of one source.
pub(crate) struct Runner {
    id: SourceId,
    shared: Shared,
    requests: Arc<Requests>,
    wake: watch::Receiver<u64>,
    /// The receivers of the outcome of the pull that is running.
    receivers: Mutex<Vec<oneshot::Sender<Result<(), Trouble>>>>,
    /// Whether the next pull is due or was asked for.
    is_pull_due: AtomicBool,
    /// The client that was opened last. The next one is opened before it is dropped, so that what it has in memory can
    /// pass over.
    client: Mutex<Option<Arc<dyn Source>>>,
    /// The token that the source was last opened with.
    token: Mutex<Option<String>>,
}

/// Runs a source until the future is dropped. A panic of the runner is counted and becomes its status, and the runner
/// is restarted after a growing wait.
pub(crate) async fn supervise_runner(new_runner: impl Fn() -> Runner) {
    let mut backoff: Option<Backoff> = None;
    loop {
        let runner = new_runner();
        let (id, shared) = (runner.id, runner.shared.clone());
        let (requests, started) = (runner.requests.clone(), Instant::now());
        supervise::catch("a source", runner.run()).await;
        requests.fail(Trouble::Fault);
        let mut current = backoff.take().unwrap_or_else(|| Backoff::new(shared.backoff));
        if started.elapsed() >= supervise::STABLE_RUN_TIME {
            current.reset();
        }
        let wait = current.after(&NetError::Panicked.into());
        backoff = Some(current);
        let due = catch_unwind(AssertUnwindSafe(|| due_at(shared.clock.now(), wait))).unwrap_or(Stamp::ZERO);
        shared.set_status(id, SourceStatus::Retrying { at: due, trouble: Trouble::Fault });
        sleep(wait).await;
    }
}

fn due_at(now: Stamp, wait: Duration) -> Stamp {
    now.plus_micros(i64::try_from(wait.as_micros()).unwrap_or(i64::MAX))
}

impl Runner {
    pub(crate) fn new(
        id: SourceId,
        shared: Shared,
        requests: Arc<Requests>,
        wake: watch::Receiver<u64>,
    ) -> Self {
        let (receivers, is_pull_due) = (Mutex::default(), AtomicBool::default());
        let (client, token) = (Mutex::default(), Mutex::default());
        Self { id, shared, requests, wake, receivers, is_pull_due, client, token }
    }

    /// Runs until the future is dropped.
    pub(crate) async fn run(mut self) {
        let mut backoff = Backoff::new(self.shared.backoff);
        loop {
            self.wake.mark_unchanged();
            let mut wake = self.wake.clone();
            let result = tokio::select! {
                biased;
                // The connections may be dead without an error: drop them, pull, then listen again.
                Ok(()) = wake.changed() => continue,
                result = self.pull_and_listen(&mut backoff) => result,
            };
            let result = match result {
                Err(Error::Net(NetError::SignIn)) => self.renew_refused().await,
                result => result,
            };
            if let Err(error) = result {
                self.answer(Err(error.trouble()));
                self.wait_for_retry(&error, &mut backoff).await;
            }
        }
    }

    /// Renews the token that was refused; the next pull is then due.
    ///
    /// # Errors
    /// [`NetError::SignIn`] if there is no other token.
    async fn renew_refused(&self) -> Result<()> {
        let Some(refused) = self.token.lock().take() else { return Err(NetError::SignIn.into()) };
        let Shared { replica, tokens, clock, .. } = &self.shared;
        let id = self.id;
        let row = with_replica(replica, move |r| r.source(id)).await?;
        if !renew(replica, tokens, &row, Some(&refused), clock).await? {
            return Err(NetError::SignIn.into());
        }
        self.is_pull_due.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Pulls and listens until an error occurs or the token is to be renewed, and sends files meanwhile.
    async fn pull_and_listen(&self, backoff: &mut Backoff) -> Result<()> {
        let (source, renewal_due) = self.open().await?;
        let (shared, id) = (self.shared.clone(), self.id);
        let pull = Pull {
            replica: shared.replica.clone(),
            id,
            source: source.clone(),
            events: shared.events.clone(),
            uploads: Some(Arc::new(Notify::new())),
            limit: None,
            set_status: Box::new(move |state| shared.set_status(id, state)),
        };
        let requests = pull.uploads.clone().unwrap_or_default();
        let progress = Some(self.shared.uploads.clone());
        let uploader = Uploader { replica: pull.replica.clone(), id, source, progress };
        tokio::select! {
            result = Box::pin(self.keep_up(&pull, backoff)) => result,
            never = Box::pin(uploader.run(&requests, self.shared.backoff)) => match never {},
            () = self.until_renewal(renewal_due) => Ok(()),
        }
    }

    /// Waits until the token is to be renewed; without end if it does not expire.
    async fn until_renewal(&self, due: Option<Stamp>) {
        match due {
            Some(due) => sleep(until(due, self.shared.clock.now())).await,
            None => std::future::pending().await,
        }
    }

    async fn keep_up(&self, pull: &Pull, backoff: &mut Backoff) -> Result<()> {
        let is_due = self.is_pull_due.swap(false, Ordering::Relaxed);
        if is_due || !self.is_too_early(pull).await? {
            self.pull(pull, true, false).await?;
        } else {
            pull.flush(false).await?;
        }
        backoff.reset();
        let source = &pull.source;
        let listen = async { timeout(OPEN_TIMEOUT, source.listen()).await.map_err(|_| NetError::Slow)? };
        let live = match waits::keep_to(&pull.replica, self.id, listen).await {
            Err(Error::Net(NetError::Refused(404..=406))) => None,
            answer => answer?,
        };
        let Some(live) = live else { return self.poll(pull, None).await };
        match self.listen(pull, live).await {
            // Only the channel is malformed: pulls continue without it for a while.
            Err(Error::Net(error @ (NetError::AnswerTooLarge | NetError::Malformed))) => {
                tracing::warn!(source = self.id, %error, "the live channel makes no sense");
                self.poll(pull, Some(POLLS_WITHOUT_CHANNEL)).await
            }
            result => result,
        }
    }

    /// Whether it is too early for a pull that nobody asked for. Before the program was started, its server wanted an
    /// interval between two of them, or could not answer.
    async fn is_too_early(&self, pull: &Pull) -> Result<bool> {
        let id = self.id;
        Ok(with_replica(&pull.replica, move |r| r.waits(id)).await?.polls.is_some())
    }

    /// When to pull next on a timer: after the protocol's interval with jitter, and not before its server wants it.
    async fn next_poll(&self, pull: &Pull) -> Result<Instant> {
        let id = self.id;
        let (row, waits) = with_replica(&pull.replica, move |r| Ok((r.source(id)?, r.waits(id)?))).await?;
        let most = MAX_POLL_INTERVAL.min(self.shared.backoff.poll_interval);
        let interval = match tidings_sources::protocol(&row.protocol)?.abilities.poll_interval {
            Duration::ZERO => most,
            least => least.max(most).mul_f64(1.0 + POLL_JITTER * rand::random::<f64>()),
        };
        let now = self.shared.clock.now();
        let wait = waits.polls.map_or(Duration::ZERO, |polls| until(polls, now));
        Ok(Instant::now() + interval.max(wait))
    }

    /// Opens the source with a token that is valid; also returns when that is to be renewed.
    async fn open(&self) -> Result<(Arc<dyn Source>, Option<Stamp>)> {
        let Shared { replica, tokens, clock, bounds, .. } = &self.shared;
        let id = self.id;
        let row = with_replica(replica, move |r| r.source(id)).await?;
        let (token, due) = valid_token(replica, tokens, &row, clock).await?;
        *self.token.lock() = Some(token.clone());
        let opened = tidings_sources::open_within(&row, token, clock.clone(), *bounds)?;
        *self.client.lock() = Some(opened.clone());
        Ok((opened, due))
    }

    /// Pulls once, and answers all requests that arrived before the start.
    async fn pull(&self, pull: &Pull, first: bool, batch: bool) -> Result<Report> {
        self.receivers.lock().extend(self.requests.take_answers());
        let report = pull.run(first, batch).await?;
        self.answer(Ok(()));
        Ok(report)
    }

    fn answer(&self, outcome: Result<(), Trouble>) {
        let receivers = std::mem::take(&mut *self.receivers.lock());
        for receiver in receivers {
            // The receiver may be gone.
            let _ = receiver.send(outcome);
        }
    }

    /// Waits until the next try is due, a wake occurs, or a pull is requested. Without a sign-in only a request ends
    /// the wait.
    async fn wait_for_retry(&mut self, error: &Error, backoff: &mut Backoff) {
        let now = self.shared.clock.now();
        if error.needs_sign_in() {
            tracing::warn!(source = self.id, "sign-in needed");
            self.shared.set_status(self.id, SourceStatus::NeedsSignIn { since: now });
            self.requests.pull.notified().await;
            self.is_pull_due.store(true, Ordering::Relaxed);
            return;
        }
        let wait = match error {
            // It says nothing of how often the server fails.
            Error::Net(NetError::Waiting { until: time }) => {
                until(*time, now).max(self.shared.backoff.first_delay)
            }
            // The next pull goes on by the timer; only the reader makes room.
            Error::PullEnded(_) => MAX_POLL_INTERVAL.min(self.shared.backoff.poll_interval),
            _ => backoff.after(error),
        };
        tracing::info!(source = self.id, %error, retry_in_s = wait.as_secs(), "the pull failed");
        if matches!(error, Error::Net(NetError::Unavailable { .. })) {
            // A restart of the program is no reason to ask a server earlier that can't answer.
            let id = self.id;
            let stored = with_replica(&self.shared.replica, move |r| r.postpone_polls(id, wait)).await;
            if let Err(error) = stored {
                tracing::warn!(source = self.id, %error, "the wait was not stored");
            }
        }
        self.shared
            .set_status(self.id, SourceStatus::Retrying { at: due_at(now, wait), trouble: error.trouble() });
        tokio::select! {
            () = sleep(wait) => {}
            () = self.requests.pull.notified() => {}
            _ = self.wake.changed() => {
                backoff.reset();
                return;
            }
        }
        self.is_pull_due.store(true, Ordering::Relaxed);
    }
}
