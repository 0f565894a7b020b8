//! Changes that touch many rows, done as a sequence of portions: each is a transaction of its own on the writer thread
//! and waits its turn behind what arrived meanwhile, so that the others write in between.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OwnedMutexGuard;

use super::SqliteStore;
use super::work::Work;
use crate::domain::account::UserKey;
use crate::error::Error;

/// Units of work in one portion, about 10 ms of the writer: a row that is looked at is one, a row that is written four.
pub(super) const UNITS: usize = 2_000;
/// No portion has less: each one gets on.
const LEAST: usize = 16;
/// Units of a written row: it stands in several indexes.
const WRITTEN: usize = 4;

/// What is left of a portion's work.
pub(super) struct Budget {
    units: usize,
}

impl Budget {
    pub(super) fn new(units: usize) -> Self {
        Self { units: units.max(LEAST) }
    }

    /// Takes off rows that were looked at.
    pub(super) fn looked(&mut self, rows: usize) {
        self.units = self.units.saturating_sub(rows);
    }

    /// Takes off rows that were written.
    pub(super) fn wrote(&mut self, rows: usize) {
        self.looked(rows.saturating_mul(WRITTEN));
    }

    /// Rows that may still be written in this portion; at least one, so that every portion gets on.
    pub(super) fn rows(&self) -> usize {
        (self.units / WRITTEN).max(1)
    }

    pub(super) fn is_spent(&self) -> bool {
        self.units == 0
    }
}

/// A change that may take several portions. What one portion leaves behind is a valid state: the next may never come,
/// and a repetition of the whole change ends where an uninterrupted one would have.
pub(super) trait LongChange: Send + Sized + 'static {
    /// Goes on until the budget is spent; true once everything is done.
    fn portion(&mut self, work: &mut Work<'_>, budget: &mut Budget) -> Result<bool, Error>;
}

impl SqliteStore {
    /// Runs a change portion by portion, and answers it when the last one is committed.
    pub(super) async fn in_portions<C: LongChange>(&self, mut change: C) -> Result<C, Error> {
        let units = self.units;
        loop {
            let (after, done) = self
                .change(move |work| {
                    let done = change.portion(work, &mut Budget::new(units))?;
                    Ok((change, done))
                })
                .await?;
            if done {
                return Ok(after);
            }
            change = after;
        }
    }
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
