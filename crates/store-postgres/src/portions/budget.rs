//! The rows and the time that a portion has left.

use std::time::{Duration, Instant};

/// A portion that has run for this long starts no further batch, so that nobody waits long for the inbox.
const MAX_PORTION_TIME: Duration = Duration::from_millis(50);
/// Rows that one statement writes at most; the elapsed time is looked at after each.
const MAX_BATCH_ROWS: usize = 500;

/// The rows and the time that a portion has left.
pub(crate) struct Budget {
    rows: usize,
    started: Instant,
    /// Whether anything was done: a portion always makes some progress.
    used: bool,
}

impl Budget {
    /// A budget of `rows` whose time starts now.
    pub(crate) fn new(rows: usize) -> Self {
        Self { rows: rows.max(1), started: Instant::now(), used: false }
    }

    /// Subtracts rows that were written.
    pub(crate) fn charge(&mut self, rows: usize) {
        self.rows = self.rows.saturating_sub(rows.max(1));
        self.used = true;
    }

    /// Rows that the next statement may write; at least one.
    pub(crate) fn batch_rows(&self) -> usize {
        self.rows.clamp(1, MAX_BATCH_ROWS)
    }

    /// Like [`Budget::batch_rows`], for rows that cause three writes each.
    pub(crate) fn batch_rows_of_three_writes(&self) -> usize {
        self.rows.div_ceil(3).clamp(1, MAX_BATCH_ROWS)
    }

    /// Whether the portion has to end, because its rows or its time are used up.
    pub(crate) fn is_spent(&self) -> bool {
        self.rows == 0 || (self.used && self.started.elapsed() >= MAX_PORTION_TIME)
    }
}
