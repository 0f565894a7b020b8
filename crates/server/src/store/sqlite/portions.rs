//! Changes that touch many rows, done as a sequence of portions: each is a transaction of its own on the writer thread
//! and waits its turn behind what arrived meanwhile, so that the others write in between.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::OwnedMutexGuard;

use super::SqliteStore;
use super::work::Work;
use crate::domain::account::UserKey;
use crate::error::Error;

/// Units of work in one portion: a row that is looked at is one, a row that is written four.
pub(super) const UNITS: usize = 4_000;
/// Units of a short portion: most changes need no more, and share a commit with others.
const SHORT: usize = 200;
/// No portion has less: each one gets on, however slow the machine is.
const LEAST: usize = 16;
/// Units of a written row: it stands in several indexes.
const WRITTEN: usize = 4;
/// Rows that one statement writes at most, about 1 ms: the time is looked at after each.
const BATCH: usize = 100;
/// A portion that has run for so long takes no further batch. With the last batch and the commit it holds the writer
/// for at most about 20 ms, also where a row takes five times as long as it should.
const TIME: Duration = Duration::from_millis(10);

/// Measures how long a portion runs. It never goes back, unlike the clock that stamps come from.
pub(super) trait Stopwatch: Send + Sync + 'static {
    /// The time since some fixed moment.
    fn elapsed(&self) -> Duration;
}

/// A stopwatch over the system's monotonic clock.
pub(super) struct Monotonic(Instant);

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
pub(super) struct Budget {
    units: usize,
    used: usize,
    watch: Arc<dyn Stopwatch>,
    until: Duration,
}

impl Budget {
    /// The time begins now.
    pub(super) fn new(units: usize, watch: Arc<dyn Stopwatch>) -> Self {
        let until = watch.elapsed() + TIME;
        Self { units: units.max(LEAST), used: 0, watch, until }
    }

    /// Takes off rows that were looked at.
    pub(super) fn looked(&mut self, rows: usize) {
        self.units = self.units.saturating_sub(rows);
        self.used = self.used.saturating_add(rows);
    }

    /// Takes off rows that were written.
    pub(super) fn wrote(&mut self, rows: usize) {
        self.looked(rows.saturating_mul(WRITTEN));
    }

    /// Rows that the next statement may write; at least one, so that every portion gets on.
    pub(super) fn rows(&self) -> usize {
        (self.units / WRITTEN).clamp(1, BATCH)
    }

    /// The same where each row stands for three that are written.
    pub(super) fn thrice_written(&self) -> usize {
        (self.units / WRITTEN).div_ceil(3).clamp(1, BATCH)
    }

    /// Whether the portion ends here: its units are used up, or its time.
    pub(super) fn is_spent(&self) -> bool {
        self.units == 0 || (self.used >= LEAST && self.watch.elapsed() >= self.until)
    }
}

/// A change that may take several portions. What one portion leaves behind is a valid state: the next may never come,
/// and a repetition of the whole change ends where an uninterrupted one would have.
pub(super) trait LongChange: Send + Sized + 'static {
    /// Units of the first portion. Who does not know how much there is to do begins with a short one.
    fn begins_with(&self) -> usize {
        SHORT
    }

    /// Goes on until the budget is spent; true once everything is done.
    fn portion(&mut self, work: &mut Work<'_>, budget: &mut Budget) -> Result<bool, Error>;
}

/// A deletion that goes on, a few rows at a time, until fewer rows than asked for are left.
pub(super) struct Deleting<F>(pub(super) F);

impl<F> LongChange for Deleting<F>
where
    F: FnMut(&mut Work<'_>, usize) -> Result<usize, Error> + Send + 'static,
{
    fn portion(&mut self, work: &mut Work<'_>, budget: &mut Budget) -> Result<bool, Error> {
        loop {
            let rows = budget.rows();
            let gone = (self.0)(work, rows)?;
            budget.wrote(gone);
            if gone < rows || budget.is_spent() {
                return Ok(gone < rows);
            }
        }
    }
}

impl SqliteStore {
    /// What one portion may use; its time begins when this is called, on the writer thread.
    pub(super) fn budget(&self) -> impl Fn() -> Budget + Send + use<> {
        self.budget_of(self.units)
    }

    fn budget_of(&self, units: usize) -> impl Fn() -> Budget + Send + use<> {
        let watch = Arc::clone(&self.watch);
        move || Budget::new(units, Arc::clone(&watch))
    }

    /// Runs a change portion by portion, and answers it when the last one is committed.
    pub(super) async fn in_portions<C: LongChange>(&self, mut change: C) -> Result<C, Error> {
        let mut units = self.units.min(change.begins_with());
        loop {
            let budget = self.budget_of(units);
            let portion = move |work: &mut Work<'_>| {
                let done = change.portion(work, &mut budget())?;
                Ok((change, done))
            };
            let ran =
                if units <= SHORT { self.change(portion).await } else { self.change_much(portion).await };
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
pub(super) fn units_for(rows: usize) -> usize {
    if rows.saturating_mul(WRITTEN) <= SHORT { SHORT } else { UNITS }
}

/// Lets each user run one long change at a time: whoever asks for many waits for its own, and keeps their order.
#[derive(Default)]
pub(super) struct Turns(Mutex<HashMap<UserKey, Arc<tokio::sync::Mutex<()>>>>);

/// A user's turn; the next one begins when it is dropped.
pub(super) struct Turn {
    turns: Arc<Turns>,
    user: UserKey,
    guard: Option<OwnedMutexGuard<()>>,
}

impl Turns {
    /// Waits for the user's turn.
    pub(super) async fn of(self: &Arc<Self>, user: UserKey) -> Turn {
        let mut turn = Turn { turns: Arc::clone(self), user, guard: None };
        let mutex = {
            let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(waiting.entry(user).or_default())
        };
        turn.guard = Some(mutex.lock_owned().await);
        turn
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut waiting = self.turns.0.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.guard.take());
        if waiting.get(&self.user).is_some_and(|mutex| Arc::strong_count(mutex) == 1) {
            waiting.remove(&self.user);
        }
    }
}

#[cfg(test)]
mod stories;
