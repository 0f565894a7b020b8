//! The attempts of a call, and the time that it has: a transaction that others interrupt runs again.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use tidings_store::Error;
use tidings_store::domain::account::UserKey;
use tidings_store::request_time::{REQUEST_TIME, StoreWait};
use tidings_store::user_locks::UserLocks;
use tokio::time::Instant;

use crate::PostgresStore;

/// No call waits longer than this for the database, its turn in this process included. A request may have several calls,
/// whose waits end with its time.
pub(crate) const CALL_TIME: Duration = REQUEST_TIME;

/// How long a change of one user waits for those before it; the rest of its time is for the database.
const USER_TURN: Duration = Duration::from_secs(8);

/// A database that was silent for this long may be so on all connections.
const SUSPICIOUS_SILENCE: Duration = Duration::from_secs(3);

/// How often a transaction is tried that others interrupt.
const ATTEMPTS: u32 = 3;

/// Why a call ends that ran out of time.
pub(crate) const LATE: &str = "the database takes too long";

/// The attempts of one call.
pub(crate) struct Attempts<'s> {
    store: &'s PostgresStore,
    left: u32,
    deadline: Instant,
    late: Error,
    _wait: StoreWait,
}

impl<'s> Attempts<'s> {
    pub(crate) fn to_read(store: &'s PostgresStore) -> Self {
        let wait = StoreWait::begin();
        let deadline = wait.end_within(CALL_TIME);
        Self { store, left: ATTEMPTS, deadline, late: Error::unavailable(LATE), _wait: wait }
    }

    /// One that ran out of time may have been committing.
    pub(crate) fn to_write(store: &'s PostgresStore) -> Self {
        Self { late: Error::OutcomeUnknown(Arc::from(LATE)), ..Self::to_read(store) }
    }

    /// Like [`Attempts::to_write`], for a call that was begun earlier and has to end by then.
    pub(crate) fn to_write_by(store: &'s PostgresStore, deadline: Instant) -> Self {
        Self { deadline, ..Self::to_write(store) }
    }

    /// Runs an attempt; `Continue` if another one is to be made.
    pub(crate) async fn run<T>(
        &mut self,
        attempt: impl Future<Output = Result<T, Error>>,
    ) -> ControlFlow<Result<T, Error>> {
        let began = Instant::now();
        if began >= self.deadline {
            return ControlFlow::Break(Err(Error::unavailable(LATE)));
        }
        let done = if let Ok(done) = tokio::time::timeout_at(self.deadline, attempt).await {
            done
        } else {
            if began.elapsed() >= SUSPICIOUS_SILENCE {
                self.store.distrust_connections();
            }
            Err(self.late.clone())
        };
        self.left = self.left.saturating_sub(1);
        match done {
            Err(e) if e.is_retryable() && self.left > 0 => ControlFlow::Continue(()),
            done => ControlFlow::Break(done),
        }
    }
}

/// Runs a job after the others of a user in this process, which would else wait for each other on connections.
pub(crate) async fn in_turn<T>(
    turns: &Arc<UserLocks>,
    user: UserKey,
    job: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    let wait = StoreWait::begin();
    let turn = tokio::time::timeout_at(wait.end_within(USER_TURN), turns.lock(user)).await;
    drop(wait);
    let _turn = turn.map_err(|_| Error::unavailable("too many changes of one user wait to be stored"))?;
    job.await
}
