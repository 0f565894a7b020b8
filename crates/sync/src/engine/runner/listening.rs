//! Listens to the live channel, or pulls on a timer, and serves requests meanwhile.

use std::time::Duration;

use futures_util::{FutureExt, StreamExt};
use tidings_sources::{Hint, Live};
use tokio::time::{Instant, sleep, sleep_until};

use super::Runner;
use crate::pull::Pull;
use crate::{Result, SourceStatus};

/// Hints that arrive within this time after a pull share the next one.
const HINT_WINDOW: Duration = Duration::from_millis(50);
/// The number of consecutive hints without new items after which the window grows.
const IDLE_HINTS: u32 = 8;
/// The longest window of hints.
const MAX_HINT_WINDOW: Duration = Duration::from_secs(2);

impl Runner {
    pub(super) async fn listen(&self, pull: &Pull, mut live: Live) -> Result<()> {
        // Changes between the pull and the opening of the channel caused no hint.
        self.pull(pull, false, true).await?;
        let mut idle = 0;
        loop {
            self.shared.set_status(self.id, SourceStatus::Live);
            let pulled = Instant::now();
            tokio::select! {
                hint = live.next() => {
                    handle_hint(pull, hint).await?;
                    if !self.wait_for_hints(pull, pulled + hint_window(idle)).await? {
                        continue;
                    }
                    for _ in 1..pull.source.bounds().hints {
                        let Some(more) = live.next().now_or_never() else { break };
                        handle_hint(pull, more).await?;
                    }
                    let report = self.pull(pull, false, true).await?;
                    idle = if report.fetched == 0 { idle + 1 } else { 0 };
                }
                () = self.requests.pull.notified() => drop(self.pull(pull, false, false).await?),
                () = self.requests.flush.notified() => drop(pull.flush(true).await?),
                () = self.requests.conversation_left.notified() => drop(pull.flush(false).await?),
                () = sleep(self.shared.backoff.poll_interval) => drop(self.pull(pull, false, false).await?),
            }
        }
    }

    /// Waits for more hints until a time, but handles local requests at once. `false` if one of these was a pull,
    /// which covers the hints too.
    async fn wait_for_hints(&self, pull: &Pull, until: Instant) -> Result<bool> {
        loop {
            tokio::select! {
                () = sleep_until(until) => return Ok(true),
                () = self.requests.pull.notified() => {
                    self.pull(pull, false, false).await?;
                    return Ok(false);
                }
                () = self.requests.flush.notified() => drop(pull.flush(true).await?),
                () = self.requests.conversation_left.notified() => drop(pull.flush(false).await?),
            }
        }
    }

    /// Pulls on a timer: this many times, or without end with `None`.
    pub(super) async fn poll(&self, pull: &Pull, times: Option<u32>) -> Result<()> {
        let (mut polls_left, mut due) = (times, self.next_poll(pull).await?);
        while polls_left != Some(0) {
            self.shared.set_status(self.id, SourceStatus::Idle);
            tokio::select! {
                () = self.requests.pull.notified() => {
                    self.pull(pull, false, false).await?;
                    due = self.next_poll(pull).await?;
                }
                () = self.requests.flush.notified() => drop(pull.flush(true).await?),
                () = self.requests.conversation_left.notified() => drop(pull.flush(false).await?),
                () = sleep_until(due) => {
                    self.pull(pull, false, false).await?;
                    due = self.next_poll(pull).await?;
                    polls_left = polls_left.map(|polls_left| polls_left - 1);
                }
            }
        }
        Ok(())
    }
}

/// The time to wait for more hints: longer if the previous ones brought no items.
fn hint_window(idle: u32) -> Duration {
    let doublings = idle.saturating_sub(IDLE_HINTS).min(10);
    (HINT_WINDOW * 2_u32.pow(doublings)).min(MAX_HINT_WINDOW)
}

/// Handles a hint: stores receipts at once. The caller pulls in any case.
async fn handle_hint(pull: &Pull, hint: Option<tidings_net::Result<Hint>>) -> Result<()> {
    match hint.unwrap_or(Err(tidings_net::Error::Unreachable))? {
        Hint::Changed => Ok(()),
        Hint::Receipts(page) => pull.store_receipts(page).await,
    }
}
