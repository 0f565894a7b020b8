//! Writes that touch many rows, as a sequence of portions: each is a transaction of its own on the writer thread and
//! waits its turn behind what arrived meanwhile, so that others write in between.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::OwnedMutexGuard;

use super::SqliteStore;
use super::write_tx::WriteTx;
use crate::domain::account::UserKey;
use crate::error::Error;

/// Units of work in one portion: a row that is looked at is one, a row that is written four.
pub(crate) const UNITS: usize = 4_000;
/// Units of a short portion: most changes need no more, and share a commit with others.
const SHORT_UNITS: usize = 200;
/// No portion has less: each one gets on, however slow the machine is.
const MIN_UNITS: usize = 16;
/// Units of a written row: it stands in several indexes.
const UNITS_PER_WRITE: usize = 4;
/// Rows that one statement writes at most, about 1 ms: the time is looked at after each.
const MAX_BATCH: usize = 100;
/// A portion that has run for so long takes no further batch. With the last batch and the commit it holds the writer
/// for at most about 20 ms, also where a row takes five times as long as it should.
const MAX_TIME: Duration = Duration::from_millis(10);

/// Measures how long a portion runs. It never goes back, unlike the clock that stamps come from.
pub(crate) trait Stopwatch: Send + Sync + 'static {
    /// The time since some fixed moment.
    fn elapsed(&self) -> Duration;
}

/// A stopwatch over the system's monotonic clock.
pub(crate) struct Monotonic(Instant);

impl Default for Monotonic {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Stopwatch for Monotonic {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// What is left of a portion's work: units, and time.
pub(crate) struct Budget {
    units: usize,
    used: usize,
    watch: Arc<dyn Stopwatch>,
    until: Duration,
}

impl Budget {
    /// The time begins now.
    pub(crate) fn new(units: usize, watch: Arc<dyn Stopwatch>) -> Self {
        let until = watch.elapsed() + MAX_TIME;
        Self { units: units.max(MIN_UNITS), used: 0, watch, until }
    }

    /// Takes off rows that were looked at.
    pub(crate) fn charge_reads(&mut self, rows: usize) {
        self.units = self.units.saturating_sub(rows);
        self.used = self.used.saturating_add(rows);
    }

    /// Takes off rows that were written.
    pub(crate) fn charge_writes(&mut self, rows: usize) {
        self.charge_reads(rows.saturating_mul(UNITS_PER_WRITE));
    }

    /// Rows that the next statement may write; at least one, so that every portion gets on.
    pub(crate) fn batch_rows(&self) -> usize {
        (self.units / UNITS_PER_WRITE).clamp(1, MAX_BATCH)
    }

    /// The same where each row stands for three that are written.
    pub(crate) fn batch_rows_of_three_writes(&self) -> usize {
        (self.units / UNITS_PER_WRITE).div_ceil(3).clamp(1, MAX_BATCH)
    }

    /// Whether the portion ends here: its units are used up, or its time.
    pub(crate) fn is_spent(&self) -> bool {
        self.units == 0 || (self.used >= MIN_UNITS && self.watch.elapsed() >= self.until)
    }
}

/// A change that may take several portions. What one portion leaves behind is a valid state: the next may never come,
/// and a repetition of the whole change ends where an uninterrupted one would have.
pub(crate) trait LongWrite: Send + Sized + 'static {
    /// Units of the first portion. Who does not know how much there is to do begins with a short one.
    fn first_units(&self) -> usize {
        SHORT_UNITS
    }

    /// Goes on until the budget is spent; true once everything is done.
    fn portion(&mut self, ctx: &mut WriteTx<'_>, budget: &mut Budget) -> Result<bool, Error>;
}

/// A deletion that goes on, a few rows at a time, until fewer rows than asked for are left.
pub(crate) struct DeleteInBatches<F>(pub(super) F);

impl<F> LongWrite for DeleteInBatches<F>
where
    F: FnMut(&mut WriteTx<'_>, usize) -> Result<usize, Error> + Send + 'static,
{
    fn portion(&mut self, ctx: &mut WriteTx<'_>, budget: &mut Budget) -> Result<bool, Error> {
        loop {
            let rows = budget.batch_rows();
            let gone = (self.0)(ctx, rows)?;
            budget.charge_writes(gone);
            if gone < rows || budget.is_spent() {
                return Ok(gone < rows);
            }
        }
    }
}

impl SqliteStore {
    /// What one portion may use; its time begins when this is called, on the writer thread.
    pub(crate) fn budget(&self) -> impl Fn() -> Budget + Send + use<> {
        self.budget_of(self.units)
    }

    fn budget_of(&self, units: usize) -> impl Fn() -> Budget + Send + use<> {
        let watch = Arc::clone(&self.watch);
        move || Budget::new(units, Arc::clone(&watch))
    }

    /// Runs a change portion by portion, and answers it when the last one is committed.
    pub(crate) async fn in_portions<C: LongWrite>(&self, mut change: C) -> Result<C, Error> {
        let mut units = self.units.min(change.first_units());
        loop {
            let budget = self.budget_of(units);
            let portion = move |ctx: &mut WriteTx<'_>| {
                let done = change.portion(ctx, &mut budget())?;
                Ok((change, done))
            };
            let ran =
                if units <= SHORT_UNITS { self.write(portion).await } else { self.write_long(portion).await };
            let (after, done) = ran?;
            if done {
                return Ok(after);
            }
            change = after;
            units = self.units;
        }
    }
}

/// Units of the first portion of a change that writes so many rows.
pub(crate) fn units_for(rows: usize) -> usize {
    if rows.saturating_mul(UNITS_PER_WRITE) <= SHORT_UNITS { SHORT_UNITS } else { UNITS }
}

/// Lets each user run one long change at a time: whoever asks for many waits for its own, and keeps their order.
#[derive(Default)]
pub(crate) struct UserLocks(Mutex<HashMap<UserKey, Arc<tokio::sync::Mutex<()>>>>);

/// A user's turn; the next one begins when it is dropped.
pub(crate) struct UserLock {
    user_locks: Arc<UserLocks>,
    user: UserKey,
    guard: Option<OwnedMutexGuard<()>>,
}

impl UserLocks {
    /// Waits for the user's turn.
    pub(crate) async fn lock(self: &Arc<Self>, user: UserKey) -> UserLock {
        let mut turn = UserLock { user_locks: Arc::clone(self), user, guard: None };
        let mutex = {
            let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(waiting.entry(user).or_default())
        };
        turn.guard = Some(mutex.lock_owned().await);
        turn
    }
}

impl Drop for UserLock {
    fn drop(&mut self) {
        let mut waiting = self.user_locks.0.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.guard.take());
        if waiting.get(&self.user).is_some_and(|mutex| Arc::strong_count(mutex) == 1) {
            waiting.remove(&self.user);
        }
    }
}

#[cfg(test)]
mod stories;
