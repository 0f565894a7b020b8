//! Reads what can be read of a damaged file: a row that can't be read costs itself alone.
//!
//! A damaged tree may name one of its pages in several places, level by level, so that its rows come again almost without
//! end. Each row is handed over once, and a bounded number of those that come again is passed over.

use std::collections::HashSet;
use std::hash::Hash;
use std::path::Path;

use rusqlite::{Connection, Row};
use tidings_sqlite::open_damaged;

use crate::{FILE, MIGRATIONS, Result};

/// The most faults of one table, so that a file that is damaged everywhere ends in bounded time.
const MAX_FAULTS: u32 = 50_000;

/// How far the reading of a table has come. `K` is what names a row.
struct Progress<K> {
    /// The rows that were read.
    read: HashSet<K>,
    /// The queries that failed, and the rows that came again.
    faults: u32,
    /// Whether the last thing that was met is a fault.
    in_damage: bool,
    /// The damaged places: faults one after the other are one of them.
    places: u64,
}

impl<K: Hash + Eq> Progress<K> {
    fn begin() -> Self {
        Self { read: HashSet::new(), faults: 0, in_damage: false, places: 0 }
    }

    /// Whether a row was not read before; it is from now on.
    fn is_new(&mut self, row: K) -> bool {
        let is_new = self.read.insert(row);
        if is_new {
            self.in_damage = false;
        } else {
            self.fault();
        }
        is_new
    }

    /// Notes a query that failed, or a row that came again.
    fn fault(&mut self) {
        self.faults += 1;
        self.places += u64::from(!std::mem::replace(&mut self.in_damage, true));
    }

    /// Whether so much is damaged that the rest of the table is left.
    fn is_over(&self) -> bool {
        self.faults > MAX_FAULTS
    }
}

/// A damaged file, opened for reading.
pub(super) struct Damaged {
    conn: Connection,
    /// The rows that could not be read, and the damaged places with any number of them.
    pub(super) lost: u64,
}

/// The queries of a table by its row ids.
struct ById {
    /// The rows from the id `?1` on. The table itself is read and no index, which may be damaged as well.
    rows: String,
    /// Whether the row of the id `?1` is found by it.
    place: String,
}

impl Damaged {
    /// Opens the file of a folder, which no process may write meanwhile. `is_open` if this process has it open.
    pub(super) fn open(folder: &Path, is_open: bool) -> Result<Self> {
        Ok(Self { conn: open_damaged(&folder.join(FILE), MIGRATIONS, is_open)?, lost: 0 })
    }

    /// A number that differs after a commit of somebody else; `None` if it can't be read.
    pub(super) fn version(&self) -> Option<i64> {
        self.conn.query_row("PRAGMA data_version", [], |r| r.get(0)).ok()
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
        let sql = ById {
            rows: format!("SELECT {columns} FROM {table} NOT INDEXED WHERE rowid >= ?1 ORDER BY rowid"),
            place: format!("SELECT 1 FROM {table} NOT INDEXED WHERE rowid = ?1"),
        };
        let mut progress = Progress::begin();
        // Ranges that are still to be read, the first one last. A damaged id may be any, so the first range has all.
        let mut ranges = vec![(i64::MIN, i64::MAX)];
        while let Some((from, to)) = ranges.pop() {
            let Err(next) = self.range(&sql, (from, to), &row, &mut progress, &mut found) else {
                continue;
            };
            progress.fault();
            if progress.is_over() {
                tracing::warn!(table, "so much of a table is damaged that the rest of it is left");
                break;
            }
            // What is damaged lies between here and the end of the range: its halves are read alone, down to one row.
            let next = next.max(0);
            if next < to {
                let middle = next + (to - next) / 2;
                ranges.push((middle + 1, to));
                ranges.push((next, middle));
            }
        }
        self.lost += progress.places;
    }

    /// Reads a range.
    ///
    /// # Errors
    /// The id after the last row that was read in its place, if the next row can't be read.
    fn range<T>(
        &mut self,
        sql: &ById,
        (from, to): (i64, i64),
        row: &impl Fn(&Row<'_>) -> rusqlite::Result<T>,
        progress: &mut Progress<i64>,
        found: &mut impl FnMut(T),
    ) -> Result<(), i64> {
        // The ids after the last row and after the one before it.
        let (mut before, mut next) = (from, from);
        let Ok(mut statement) = self.conn.prepare_cached(&sql.rows) else { return Err(to) };
        let Ok(mut rows) = statement.query([from]) else { return Err(next) };
        loop {
            let r = match rows.next() {
                Ok(Some(r)) => r,
                Ok(None) => return Ok(()),
                // An id that is damaged says nothing about how far this came.
                Err(_) if next == from || is_in_place(&self.conn, sql, next.saturating_sub(1)) => {
                    return Err(next);
                }
                Err(_) => return Err(before),
            };
            let id = r.get(0).unwrap_or(next);
            // The range ends before a row of the next one. A row whose id is damaged is not found by that id: it has come
            // too early, and rows of this range may follow.
            if id > to && is_in_place(&self.conn, sql, id) {
                return Ok(());
            }
            if !progress.is_new(id) {
                if progress.is_over() {
                    return Err(next);
                }
                continue;
            }
            // This id is damaged, or that of the row before it.
            self.lost += u64::from(id < next);
            (before, next) = (next, id.saturating_add(1).max(from));
            match row(r) {
                Ok(one) => found(one),
                Err(_) => self.lost += 1,
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
            progress.fault();
            self.until_damage(&ordered(&descending), key_columns, &row, &mut progress, &mut found);
        }
        self.lost += progress.places;
        found
    }

    /// The rows of a query up to what is damaged. Its first column has their ids.
    pub(super) fn by_index<T>(&mut self, sql: &str, row: impl Fn(&Row<'_>) -> rusqlite::Result<T>) -> Vec<T> {
        let (mut found, mut progress) = (Vec::new(), Progress::begin());
        self.until_damage(sql, 1, &row, &mut progress, &mut found);
        self.lost += progress.places;
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
                        if progress.is_over() {
                            return false;
                        }
                        continue;
                    }
                    match row(r) {
                        Ok(one) => found.push(one),
                        Err(_) => self.lost += 1,
                    }
                }
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    }
}

/// Whether the row of an id is found by it. That of a damaged id is elsewhere than the pages above it say.
fn is_in_place(conn: &Connection, sql: &ById, id: i64) -> bool {
    conn.prepare_cached(&sql.place).and_then(|mut place| place.exists([id])).unwrap_or(false)
}

/// The first columns of a row, as texts that can be compared.
fn first_columns(r: &Row<'_>, count: usize) -> Vec<String> {
    (0..count).map(|at| format!("{:?}", r.get_ref(at))).collect()
}
