//! Reads what can be read of a damaged file: a row that can't be read costs itself alone.
//!
//! A damaged tree may name one of its pages in several places, level by level, so that its rows come again almost without
//! end. Each row is handed over once, and a bounded number of those that come again is passed over.

use std::collections::HashSet;
use std::hash::Hash;
use std::path::Path;

use rusqlite::{Connection, Row, params};
use tidings_sqlite::open_damaged;

use crate::{FILE, MIGRATIONS, Result};

/// The most faults of one table, so that a file that is damaged everywhere ends in bounded time.
const MAX_FAULTS: u32 = 50_000;

/// A row id beyond those of any table, if the highest one can't be read.
const MAX_ROW_ID: i64 = 1 << 40;

/// How far the reading of a table has come. `K` is what names a row.
struct Progress<K> {
    /// The rows that were read.
    read: HashSet<K>,
    /// The queries that failed, and the rows that came again.
    faults: u32,
}

impl<K: Hash + Eq> Progress<K> {
    fn begin() -> Self {
        Self { read: HashSet::new(), faults: 0 }
    }

    /// Whether a row was not read before; it is from now on.
    fn is_new(&mut self, row: K) -> bool {
        let is_new = self.read.insert(row);
        self.faults += u32::from(!is_new);
        is_new
    }

    /// Whether so much is damaged that the rest of the table is left.
    fn is_over(&self) -> bool {
        self.faults > MAX_FAULTS
    }
}

/// A damaged file, opened for reading.
pub(super) struct Damaged {
    conn: Connection,
    /// Whether a row or a table could not be read.
    pub(super) lost_any: bool,
}

impl Damaged {
    /// Opens the file of a folder, which no process may write meanwhile. `is_open` if this process has it open.
    pub(super) fn open(folder: &Path, is_open: bool) -> Result<Self> {
        Ok(Self { conn: open_damaged(&folder.join(FILE), MIGRATIONS, is_open)?, lost_any: false })
    }

    /// The rows of a table by their ids. `columns` are those that `row` reads; the first one is the id.
    pub(super) fn by_id<T>(
        &mut self,
        table: &str,
        columns: &str,
        row: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Vec<T> {
        let mut found = Vec::new();
        self.each_by_id(table, columns, row, |one| found.push(one));
        found
    }

    /// Hands over the rows of [`Damaged::by_id`] one by one.
    pub(super) fn each_by_id<T>(
        &mut self,
        table: &str,
        columns: &str,
        row: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
        mut found: impl FnMut(T),
    ) {
        let newest = self
            .conn
            .query_row(&format!("SELECT max(rowid) FROM {table}"), [], |r| r.get::<_, Option<i64>>(0));
        let last = newest.map_or(MAX_ROW_ID, |newest| newest.unwrap_or(0));
        // The table itself is read and no index, which may be damaged as well.
        let sql =
            format!("SELECT {columns} FROM {table} NOT INDEXED WHERE rowid BETWEEN ?1 AND ?2 ORDER BY rowid");
        let mut progress = Progress::begin();
        // Ranges that are still to be read, the first one last.
        let mut ranges = vec![(0, last)];
        while let Some((from, to)) = ranges.pop() {
            let Err(next) = self.range(&sql, (from, to), &row, &mut progress, &mut found) else {
                continue;
            };
            progress.faults += 1;
            self.lost_any = true;
            if progress.is_over() {
                tracing::warn!(table, "so much of a table is damaged that the rest of it is left");
                break;
            }
            // What is damaged lies between here and the end of the range: its halves are read alone, down to one row.
            if next < to {
                let middle = next + (to - next) / 2;
                ranges.push((middle + 1, to));
                ranges.push((next, middle));
            }
        }
    }

    /// Reads a range.
    ///
    /// # Errors
    /// The id after the last row that was read, if the next one can't be.
    fn range<T>(
        &mut self,
        sql: &str,
        (from, to): (i64, i64),
        row: &impl Fn(&Row<'_>) -> rusqlite::Result<T>,
        progress: &mut Progress<i64>,
        found: &mut impl FnMut(T),
    ) -> Result<(), i64> {
        let mut next = from;
        let Ok(mut statement) = self.conn.prepare_cached(sql) else { return Err(to) };
        let Ok(mut rows) = statement.query(params![from, to]) else { return Err(next) };
        loop {
            match rows.next() {
                Ok(Some(r)) => {
                    if let Ok(id) = r.get::<_, i64>(0) {
                        if !progress.is_new(id) {
                            self.lost_any = true;
                            if progress.is_over() {
                                return Err(next);
                            }
                            continue;
                        }
                        // A damaged id may be below the range.
                        next = id.saturating_add(1).max(from);
                    }
                    match row(r) {
                        Ok(one) => found(one),
                        Err(_) => self.lost_any = true,
                    }
                }
                Ok(None) => return Ok(()),
                Err(_) => return Err(next),
            }
        }
    }

    /// The rows of a table without row ids, from both ends to what is damaged. `key` orders them, and is the beginning of
    /// `columns`.
    pub(super) fn by_key<T>(
        &mut self,
        (table, columns, key): (&str, &str, &str),
        row: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Vec<T> {
        let descending =
            key.split(", ").map(|column| format!("{column} DESC")).collect::<Vec<_>>().join(", ");
        let ordered = |order: &str| format!("SELECT {columns} FROM {table} ORDER BY {order}");
        let key_columns = key.split(", ").count();
        let (mut found, mut progress) = (Vec::new(), Progress::begin());
        if !self.until_damage(&ordered(key), key_columns, &row, &mut progress, &mut found) {
            self.lost_any = true;
            self.until_damage(&ordered(&descending), key_columns, &row, &mut progress, &mut found);
        }
        found
    }

    /// The rows of a query up to what is damaged. Its first column has their ids.
    pub(super) fn by_index<T>(&mut self, sql: &str, row: impl Fn(&Row<'_>) -> rusqlite::Result<T>) -> Vec<T> {
        let mut found = Vec::new();
        self.until_damage(sql, 1, &row, &mut Progress::begin(), &mut found);
        found
    }

    /// Reads the rows of a query, whose first columns name each; `false` if it met damage.
    fn until_damage<T>(
        &mut self,
        sql: &str,
        key_columns: usize,
        row: &impl Fn(&Row<'_>) -> rusqlite::Result<T>,
        progress: &mut Progress<Vec<String>>,
        found: &mut Vec<T>,
    ) -> bool {
        let Ok(mut statement) = self.conn.prepare(sql) else { return false };
        let Ok(mut rows) = statement.query([]) else { return false };
        loop {
            match rows.next() {
                Ok(Some(r)) => {
                    if !progress.is_new(first_columns(r, key_columns)) {
                        self.lost_any = true;
                        if progress.is_over() {
                            return false;
                        }
                        continue;
                    }
                    match row(r) {
                        Ok(one) => found.push(one),
                        Err(_) => self.lost_any = true,
                    }
                }
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    }
}

/// The first columns of a row, as texts that can be compared.
fn first_columns(r: &Row<'_>, count: usize) -> Vec<String> {
    (0..count).map(|at| format!("{:?}", r.get_ref(at))).collect()
}
