//! Long writes as a sequence of portions. Each is a transaction of its own on the writer thread, queued behind what
//! arrived meanwhile, so that other writes go between two portions.
//!
//! Work that grows with an inbox runs so. A read mark moves forward in steps, each a legal mark. An operation
//! counts as applied with its last portion, so that a crash leaves a valid state and a repetition finishes the
//! work. A portion ends after 4,000 units (a row looked at is one, a row written four) or 10 ms of a monotonic
//! clock, whichever comes first. It writes batches of at most 100 rows, numbers their stamps from the first
//! free one, and looks at both bounds after each. A test reads the query plan of every statement of both databases and
//! names every search over one user's whole range.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tidings_store::Error;

use super::SqliteStore;
use super::write_tx::WriteTx;

/// Units of a short portion: most writes need no more, and share a commit with others.
const SHORT_UNITS: usize = 200;
/// The fewest units of a portion, so that each makes progress however slow the machine is.
const MIN_UNITS: usize = 16;
/// Units of a written row, which is in several indexes.
const UNITS_PER_WRITE: usize = 4;
/// Rows that one statement writes at most, about 1 ms; the elapsed time is tested after each statement.
const MAX_BATCH_ROWS: usize = 100;
/// A portion that has run for this long starts no further batch. With its last batch and the commit it occupies the
/// writer for at most about 20 ms, even if a row takes five times as long as expected.
const MAX_PORTION_TIME: Duration = Duration::from_millis(10);

/// Measures the running time of portions. It is monotonic, unlike the clock of stamps.
pub(crate) trait Stopwatch: Send + Sync + 'static {
    /// The time since a fixed moment.
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

/// The units and the time that a portion has left.
pub(crate) struct Budget {
    units: usize,
    used: usize,
    stopwatch: Arc<dyn Stopwatch>,
    deadline: Duration,
}

impl Budget {
    /// A budget of `units` whose time starts now.
    pub(crate) fn new(units: usize, stopwatch: Arc<dyn Stopwatch>) -> Self {
        let deadline = stopwatch.elapsed() + MAX_PORTION_TIME;
        Self { units: units.max(MIN_UNITS), used: 0, stopwatch, deadline }
    }

    /// Subtracts the units of rows that were read.
    pub(crate) fn charge_reads(&mut self, rows: usize) {
        self.units = self.units.saturating_sub(rows);
        self.used = self.used.saturating_add(rows);
    }

    /// Subtracts the units of rows that were written.
    pub(crate) fn charge_writes(&mut self, rows: usize) {
        self.charge_reads(rows.saturating_mul(UNITS_PER_WRITE));
    }

    /// Rows that the next statement may write; at least one, so that every portion makes progress.
    pub(crate) fn batch_rows(&self) -> usize {
        (self.units / UNITS_PER_WRITE).clamp(1, MAX_BATCH_ROWS)
    }

    /// Like [`Budget::batch_rows`], for rows that cause three writes each.
    pub(crate) fn batch_rows_of_three_writes(&self) -> usize {
        (self.units / UNITS_PER_WRITE).div_ceil(3).clamp(1, MAX_BATCH_ROWS)
    }

    /// Whether the portion has to end, because its units or its time are used up.
    pub(crate) fn is_spent(&self) -> bool {
        self.units == 0 || (self.used >= MIN_UNITS && self.stopwatch.elapsed() >= self.deadline)
    }
}

/// A write that may take several portions. Each portion leaves a valid state, because the next one may never run;
/// repeating an interrupted write has the same result as an uninterrupted one. Only what a reader wrote after the last
/// unread message may stay without a read mark if reading everything was interrupted: it is never unread.
pub(crate) trait LongWrite: Send + Sized + 'static {
    /// Units of the first portion: a short one by default, for writes that do not know their size.
    fn first_units(&self) -> usize {
        SHORT_UNITS
    }

    /// Continues until the budget is spent; true when everything is done.
    fn portion(&mut self, ctx: &mut WriteTx<'_>, budget: &mut Budget) -> Result<bool, Error>;
}

/// A deletion in batches, complete when a batch deletes fewer rows than it may.
pub(crate) struct DeleteInBatches<F>(pub(super) F);

impl<F> LongWrite for DeleteInBatches<F>
where
    F: FnMut(&mut WriteTx<'_>, usize) -> Result<usize, Error> + Send + 'static,
{
    fn portion(&mut self, ctx: &mut WriteTx<'_>, budget: &mut Budget) -> Result<bool, Error> {
        loop {
            let rows = budget.batch_rows();
            let deleted = (self.0)(ctx, rows)?;
            budget.charge_writes(deleted);
            if deleted < rows || budget.is_spent() {
                return Ok(deleted < rows);
            }
        }
    }
}

impl SqliteStore {
    /// Makes the budget of one portion; its time starts when the result is called, on the writer thread.
    pub(crate) fn budget(&self) -> impl Fn() -> Budget + Send + use<> {
        self.budget_of(self.bounds.portion_units)
    }

    fn budget_of(&self, units: usize) -> impl Fn() -> Budget + Send + use<> {
        let stopwatch = Arc::clone(&self.stopwatch);
        move || Budget::new(units, Arc::clone(&stopwatch))
    }

    /// The rows of one short write of a sequence.
    pub(crate) fn short_write_rows(&self) -> usize {
        self.bounds.portion_units.clamp(1, self.bounds.short_write_rows.max(1))
    }

    /// Runs a long write portion by portion; gives it back when the last one is committed.
    pub(crate) async fn in_portions<C: LongWrite>(&self, mut change: C) -> Result<C, Error> {
        let mut units = self.bounds.portion_units.min(change.first_units());
        loop {
            let budget = self.budget_of(units);
            let portion = move |ctx: &mut WriteTx<'_>| {
                let done = change.portion(ctx, &mut budget())?;
                Ok((change, done))
            };
            let result =
                if units <= SHORT_UNITS { self.write(portion).await } else { self.write_long(portion).await };
            let (after, done) = result?;
            if done {
                return Ok(after);
            }
            change = after;
            units = self.bounds.portion_units;
        }
    }
}

/// Units of the first portion of a write of this many rows; a full one if a short one is not enough.
pub(crate) fn units_for(rows: usize) -> usize {
    if rows.saturating_mul(UNITS_PER_WRITE) <= SHORT_UNITS { SHORT_UNITS } else { usize::MAX }
}

#[cfg(test)]
mod tests;
