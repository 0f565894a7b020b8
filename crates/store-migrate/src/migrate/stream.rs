//! The stream from the reading task to the writing one: a few portions at a time, so that memory is bounded whatever
//! the database holds.

use super::cell::{Cell, Row};

/// Portions that are read ahead.
pub(super) const AHEAD: usize = 2;
/// The most rows of a portion.
const ROWS: usize = 512;
/// The bytes after which a portion ends.
const BYTES: usize = 256 * 1024;

/// A part of the stream.
pub(super) enum Part {
    /// Comes first.
    Whole(Whole),
    /// Rows of a table, by its place in the list. Those of one table come together.
    Rows(usize, Vec<Row>),
    /// Everything was read. If this does not come, nothing may be kept.
    End,
}

/// Numbers and texts of a whole database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Whole {
    pub(super) epoch: String,
    /// The newest stamp of any order, microseconds.
    pub(super) last_stamp: i64,
    pub(super) forgotten_before: i64,
    pub(super) catalog: String,
    pub(super) catalog_version: i64,
    pub(super) auth_version: i64,
    pub(super) user_count: i64,
    pub(super) file_bytes: i64,
    pub(super) age_hold_secs: i64,
    /// When the first publication was created; `None` if there is none.
    pub(super) oldest: Option<i64>,
    /// The last number that each counted table has given.
    pub(super) counters: Vec<(&'static str, i64)>,
}

/// Rows that are gathered until they are a portion.
#[derive(Default)]
pub(super) struct Portion {
    rows: Vec<Row>,
    bytes: usize,
}

impl Portion {
    /// Adds a row; gives the portion when it is complete.
    pub(super) fn push(&mut self, row: Row) -> Option<Vec<Row>> {
        self.bytes += row.iter().map(Cell::size).sum::<usize>();
        self.rows.push(row);
        (self.rows.len() >= ROWS || self.bytes >= BYTES).then(|| self.take())
    }

    /// The rows so far.
    pub(super) fn take(&mut self) -> Vec<Row> {
        self.bytes = 0;
        std::mem::take(&mut self.rows)
    }
}

/// Says how far a migration is: a table and how many of its rows were written.
pub type Progress<'a> = &'a (dyn Fn(&'static str, u64) + Send + Sync);

/// The rows that were written, by table.
pub(super) struct Written {
    counts: Vec<u64>,
}

impl Written {
    pub(super) fn none() -> Self {
        Self { counts: vec![0; super::tables::TABLES.len()] }
    }

    /// Adds rows; gives the number of the table's rows so far.
    pub(super) fn add(&mut self, table: usize, rows: usize) -> u64 {
        let Some(count) = self.counts.get_mut(table) else { return 0 };
        *count += rows as u64;
        *count
    }

    pub(super) fn of(&self, table: usize) -> u64 {
        self.counts.get(table).copied().unwrap_or_default()
    }
}
