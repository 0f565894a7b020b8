//! One source's life: pull, listen, pull when told, and after a failure wait and begin again.
//! Refuses to give up for good: only a missing sign-in makes it wait for a person.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::{FutureExt, StreamExt};
use tidings_model::Stamp;
use tidings_replica::SourceId;
use tokio::{
    sync::{Notify, oneshot, watch},
    time::{Instant, sleep, sleep_until, timeout},
};

use crate::{
    Error, Result, Source, State, Trouble,
    disk::on_disk,
    engine::Shared,
    pace::Backoff,
    pull::{Pull, Report},
    source::{self, Hint, Live},
    supervise,
};

/// How long a live channel may take to open.
const OPEN: Duration = Duration::from_secs(20);
/// Hints that come within this time of the last pull are answered by one.
const GATHER: Duration = Duration::from_millis(50);
/// How often a source without a live channel is pulled.
const POLL: Duration = Duration::from_secs(60);
/// Pulls by time after a live channel that made no sense, before it is opened again.
const WITHOUT_CHANNEL: u32 = 10;
/// Hints that are taken together at most.
const HINTS: usize = 1_000;
/// Hints in a row that led to nothing, before they are answered ever more slowly.
const IDLE_HINTS: u32 = 8;
/// The longest wait after such a hint.
const LONGEST_GATHER: Duration = Duration::from_secs(2);

/// What others want of a runner; asking twice is asking once.
#[derive(Default)]
pub(crate) struct Asked {
    pub(crate) pull: Notify,
    pub(crate) flush: Notify,
    /// A conversation was left: nothing that was read in it is held back.
    pub(crate) left: Notify,
    tell: Mutex<Vec<oneshot::Sender<Result<(), Trouble>>>>,
}

impl Asked {
    /// Asks for a pull, and for its outcome.
    pub(crate) fn pull_and_tell(&self, answer: oneshot::Sender<Result<(), Trouble>>) {
        self.tell.lock().unwrap_or_else(PoisonError::into_inner).push(answer);
        self.pull.notify_one();
    }

    /// Nobody will answer what was asked for so far.
    fn refuse(&self, why: Trouble) {
        for who in self.take() {
            let _ = who.send(Err(why));
        }
    }

    fn take(&self) -> Vec<oneshot::Sender<Result<(), Trouble>>> {
        std::mem::take(&mut *self.tell.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Runs one source.
pub(crate) struct Runner {
    id: SourceId,
    shared: Shared,
    asked: Arc<Asked>,
    wake: watch::Receiver<u64>,
    /// Those who wait for the outcome of the pull that is under way.
    waiting: Mutex<Vec<oneshot::Sender<Result<(), Trouble>>>>,
}

/// Runs a source until it is dropped. A runner that panics is counted, shown, and begun again after a wait that grows.
pub(crate) async fn keep(begin: impl Fn() -> Runner) {
    let mut backoff: Option<Backoff> = None;
    loop {
        let runner = begin();
        let (id, shared) = (runner.id, runner.shared.clone());
        let (asked, begun) = (runner.asked.clone(), Instant::now());
        supervise::caught("a source", runner.run()).await;
        asked.refuse(Trouble::Fault);
        let mut waits = backoff.take().unwrap_or_else(|| Backoff::new(shared.pace));
        if begun.elapsed() >= supervise::SOUND {
            waits.reset();
        }
        let wait = waits.after(&Error::Panicked);
        backoff = Some(waits);
        let due = catch_unwind(AssertUnwindSafe(|| later(shared.clock.now(), wait))).unwrap_or(Stamp::ZERO);
        shared.show(id, State::Retrying { at: due, trouble: Trouble::Fault });
        sleep(wait).await;
    }
}

fn later(now: Stamp, wait: Duration) -> Stamp {
    now.plus_micros(i64::try_from(wait.as_micros()).unwrap_or(i64::MAX))
}

impl Runner {
    pub(crate) fn new(id: SourceId, shared: Shared, asked: Arc<Asked>, wake: watch::Receiver<u64>) -> Self {
        Self { id, shared, asked, wake, waiting: Mutex::default() }
    }

    /// Until it is dropped.
    pub(crate) async fn run(mut self) {
        let mut backoff = Backoff::new(self.shared.pace);
        loop {
            self.wake.mark_unchanged();
            let mut wake = self.wake.clone();
            let ended = tokio::select! {
                biased;
                // The sockets may be dead without knowing it: drop them, pull, then listen.
                Ok(()) = wake.changed() => continue,
                ended = self.work(&mut backoff) => ended,
            };
            if let Err(error) = ended {
                self.answer(Err(error.trouble()));
                self.rest(&error, &mut backoff).await;
            }
        }
    }

    /// Pulls and listens, until something fails.
    async fn work(&self, backoff: &mut Backoff) -> Result<()> {
        let source = self.open().await?;
        let (shared, id) = (self.shared.clone(), self.id);
        let pull = Pull {
            replica: shared.replica.clone(),
            id,
            source: source.clone(),
            news: shared.news.clone(),
            show: Box::new(move |state| shared.show(id, state)),
        };
        self.pull(&pull, true, false).await?;
        backoff.reset();
        let live = match timeout(OPEN, source.listen()).await.map_err(|_| Error::Slow)? {
            Err(Error::Refused(404..=406)) => None,
            answer => answer?,
        };
        let Some(live) = live else { return self.poll(&pull, None).await };
        match self.listen(&pull, live).await {
            // The channel makes no sense, though the pull does: it goes on without one for a while.
            Err(error @ (Error::AnswerTooLarge | Error::Garbled)) => {
                tracing::warn!(source = self.id, %error, "the live channel makes no sense");
                self.poll(&pull, Some(WITHOUT_CHANNEL)).await
            }
            ended => ended,
        }
    }

    async fn open(&self) -> Result<Arc<dyn Source>> {
        let (id, tokens) = (self.id, self.shared.tokens.clone());
        let (row, token) = on_disk(&self.shared.replica, move |r| {
            let row = r.source(id)?;
            let token = tokens.token(&row);
            Ok((row, token))
        })
        .await?;
        source::open(&row, token?, self.shared.clock.clone())
    }

    async fn listen(&self, pull: &Pull, mut live: Live) -> Result<()> {
        // What came between the pull and the opening of the channel has had no hint.
        self.pull(pull, false, true).await?;
        let mut idle = 0;
        loop {
            self.shared.show(self.id, State::Live);
            let pulled = Instant::now();
            tokio::select! {
                hint = live.next() => {
                    heard(pull, hint).await?;
                    if !self.gathered(pull, pulled + gather(idle)).await? {
                        continue;
                    }
                    for _ in 0..HINTS {
                        let Some(more) = live.next().now_or_never() else { break };
                        heard(pull, more).await?;
                    }
                    let report = self.pull(pull, false, true).await?;
                    idle = if report.fetched == 0 { idle + 1 } else { 0 };
                }
                () = self.asked.pull.notified() => drop(self.pull(pull, false, false).await?),
                () = self.asked.flush.notified() => drop(pull.flush(true).await?),
                () = self.asked.left.notified() => drop(pull.flush(false).await?),
                () = sleep(self.shared.pace.look) => drop(self.pull(pull, false, false).await?),
            }
        }
    }

    /// Waits for more hints until a moment; what is asked for here meanwhile does not wait. `false` where that was a
    /// pull, which answers the hint as well.
    async fn gathered(&self, pull: &Pull, until: Instant) -> Result<bool> {
        loop {
            tokio::select! {
                () = sleep_until(until) => return Ok(true),
                () = self.asked.pull.notified() => {
                    self.pull(pull, false, false).await?;
                    return Ok(false);
                }
                () = self.asked.flush.notified() => drop(pull.flush(true).await?),
                () = self.asked.left.notified() => drop(pull.flush(false).await?),
            }
        }
    }

    /// Pulls by time, for ever or so many times.
    async fn poll(&self, pull: &Pull, times: Option<u32>) -> Result<()> {
        let mut left = times;
        while left != Some(0) {
            self.shared.show(self.id, State::Idle);
            tokio::select! {
                () = self.asked.pull.notified() => drop(self.pull(pull, false, false).await?),
                () = self.asked.flush.notified() => drop(pull.flush(true).await?),
                () = self.asked.left.notified() => drop(pull.flush(false).await?),
                () = sleep(POLL.min(self.shared.pace.look)) => {
                    self.pull(pull, false, false).await?;
                    left = left.map(|left| left - 1);
                }
            }
        }
        Ok(())
    }

    /// One pull, for everybody who asked for one before it began.
    async fn pull(&self, pull: &Pull, first: bool, gather: bool) -> Result<Report> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).extend(self.asked.take());
        let report = pull.run(first, gather).await?;
        self.answer(Ok(()));
        Ok(report)
    }

    fn answer(&self, outcome: Result<(), Trouble>) {
        let waiting = std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        for who in waiting {
            // Whoever stopped waiting needs no answer.
            let _ = who.send(outcome);
        }
    }

    /// Waits for the next try: its time, a wake, or somebody who asks. Without a sign-in only the last counts.
    async fn rest(&mut self, error: &Error, backoff: &mut Backoff) {
        let now = self.shared.clock.now();
        if error.needs_sign_in() {
            tracing::warn!(source = self.id, "sign-in needed");
            self.shared.show(self.id, State::NeedsSignIn { since: now });
            self.asked.pull.notified().await;
            return;
        }
        let wait = backoff.after(error);
        tracing::info!(source = self.id, %error, retry_in_s = wait.as_secs(), "the pull failed");
        self.shared.show(self.id, State::Retrying { at: later(now, wait), trouble: error.trouble() });
        tokio::select! {
            () = sleep(wait) => {}
            () = self.asked.pull.notified() => {}
            _ = self.wake.changed() => backoff.reset(),
        }
    }
}

/// How long hints are gathered: longer where those before led to nothing.
fn gather(idle: u32) -> Duration {
    let over = idle.saturating_sub(IDLE_HINTS).min(10);
    (GATHER * 2_u32.pow(over)).min(LONGEST_GATHER)
}

/// What the live channel said: receipts are kept at once, and whatever it was, a pull follows.
async fn heard(pull: &Pull, hint: Option<Result<Hint>>) -> Result<()> {
    match hint.unwrap_or(Err(Error::Unreachable))? {
        Hint::Changed => Ok(()),
        Hint::Receipts(page) => pull.keep_receipts(page).await,
    }
}
