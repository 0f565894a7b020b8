//! Reads what can be read of a damaged file: a row that can't be read costs itself alone.

use std::path::Path;

use rusqlite::{Connection, Row, params};
use tidings_sqlite::open_damaged;

use crate::{FILE, MIGRATIONS, Result};

/// The most queries on one table that may fail, so that a file that is damaged everywhere ends in bounded time.
const MAX_FAILURES: u32 = 50_000;

/// A row id beyond those of any table, if the highest one can't be read.
const MAX_ROW_ID: i64 = 1 << 40;

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
        let mut failures = 0;
        // Ranges that are still to be read, the first one last.
        let mut ranges = vec![(0, last)];
        while let Some((from, to)) = ranges.pop() {
            let Err(next) = self.range(&sql, (from, to), &row, &mut found) else { continue };
            failures += 1;
            self.lost_any = true;
            if failures > MAX_FAILURES {
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
        found: &mut impl FnMut(T),
    ) -> Result<(), i64> {
        let mut next = from;
        let Ok(mut statement) = self.conn.prepare_cached(sql) else { return Err(to) };
        let Ok(mut rows) = statement.query(params![from, to]) else { return Err(next) };
        loop {
            match rows.next() {
                Ok(Some(r)) => {
                    next = r.get::<_, i64>(0).map_or(next, |id| id.saturating_add(1));
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

    /// The rows of a table without row ids, from both ends to what is damaged. `key` orders them.
    pub(super) fn by_key<T>(
        &mut self,
        (table, columns, key): (&str, &str, &str),
        row: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Vec<T> {
        let descending =
            key.split(", ").map(|column| format!("{column} DESC")).collect::<Vec<_>>().join(", ");
        let mut found = Vec::new();
        if !self.until_damage(&format!("SELECT {columns} FROM {table} ORDER BY {key}"), &row, &mut found) {
            self.lost_any = true;
            self.until_damage(
                &format!("SELECT {columns} FROM {table} ORDER BY {descending}"),
                &row,
                &mut found,
            );
        }
        found
    }

    /// Reads the rows of a query; `false` if it met damage.
    pub(super) fn until_damage<T>(
        &mut self,
        sql: &str,
        row: &impl Fn(&Row<'_>) -> rusqlite::Result<T>,
        found: &mut Vec<T>,
    ) -> bool {
        let Ok(mut statement) = self.conn.prepare(sql) else { return false };
        let Ok(mut rows) = statement.query([]) else { return false };
        loop {
            match rows.next() {
                Ok(Some(r)) => match row(r) {
                    Ok(one) => found.push(one),
                    Err(_) => self.lost_any = true,
                },
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    }
}
