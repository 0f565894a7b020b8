//! One source's life: pull, listen, pull when told, and after a failure wait and begin again.
//! Refuses to give up for good: only a missing sign-in makes it wait for a person.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::{FutureExt, StreamExt};
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
    pull::Pull,
    source::{self, Hint, Live},
};

/// How long a live channel may take to open.
const OPEN: Duration = Duration::from_secs(20);
/// Hints that come within this time of the last pull are answered by one.
const GATHER: Duration = Duration::from_millis(50);
/// How often a source without a live channel is pulled.
const POLL: Duration = Duration::from_secs(60);

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
        match live {
            Some(live) => self.listen(&pull, live).await,
            None => self.poll(&pull).await,
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
        loop {
            self.shared.show(self.id, State::Live);
            let pulled = Instant::now();
            tokio::select! {
                hint = live.next() => {
                    heard(pull, hint).await?;
                    sleep_until(pulled + GATHER).await;
                    while let Some(more) = live.next().now_or_never() {
                        heard(pull, more).await?;
                    }
                    self.pull(pull, false, true).await?;
                }
                () = self.asked.pull.notified() => self.pull(pull, false, false).await?,
                () = self.asked.flush.notified() => drop(pull.flush(true).await?),
                () = self.asked.left.notified() => drop(pull.flush(false).await?),
                () = sleep(self.shared.pace.look) => self.pull(pull, false, false).await?,
            }
        }
    }

    async fn poll(&self, pull: &Pull) -> Result<()> {
        loop {
            self.shared.show(self.id, State::Idle);
            tokio::select! {
                () = self.asked.pull.notified() => self.pull(pull, false, false).await?,
                () = self.asked.flush.notified() => drop(pull.flush(true).await?),
                () = self.asked.left.notified() => drop(pull.flush(false).await?),
                () = sleep(POLL.min(self.shared.pace.look)) => self.pull(pull, false, false).await?,
            }
        }
    }

    /// One pull, for everybody who asked for one before it began.
    async fn pull(&self, pull: &Pull, first: bool, gather: bool) -> Result<()> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).extend(self.asked.take());
        pull.run(first, gather).await?;
        self.answer(Ok(()));
        Ok(())
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
        let micros = i64::try_from(wait.as_micros()).unwrap_or(i64::MAX);
        tracing::info!(source = self.id, %error, retry_in_s = wait.as_secs(), "the pull failed");
        self.shared.show(self.id, State::Retrying { at: now.plus_micros(micros), trouble: error.trouble() });
        tokio::select! {
            () = sleep(wait) => {}
            () = self.asked.pull.notified() => {}
            _ = self.wake.changed() => backoff.reset(),
        }
    }
}

/// What the live channel said: receipts are kept at once, and whatever it was, a pull follows.
async fn heard(pull: &Pull, hint: Option<Result<Hint>>) -> Result<()> {
    match hint.unwrap_or(Err(Error::Unreachable))? {
        Hint::Changed => Ok(()),
        Hint::Receipts(page) => pull.keep_receipts(page).await,
    }
}
