//! The size of a replica: bytes an item beside the JSON in which they came, and the tables and indexes that they are for.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use tidings_model::Notification;
use tidings_replica::Replica;

use crate::Result;
use crate::growth;
use crate::report::Report;

/// The most tables that are listed.
const MAX_PARTS: i64 = 8;
/// The rows of `threads` that a page of the file would hold without their actors, whom each new item changes.
const THREADS_A_PAGE: f64 = 48.0;

/// Bytes of each table, and of all indexes of one, the largest first. The tables of the search index are one.
const PARTS: &str = "SELECT CASE WHEN pages.name LIKE 'search%' THEN 'search'
                                 WHEN known.type = 'index' THEN 'indexes of ' || known.tbl_name
                                 ELSE pages.name END AS part, sum(pages.pgsize) AS bytes
     FROM dbstat pages LEFT JOIN sqlite_schema known ON known.name = pages.name
     WHERE pages.aggregate = TRUE GROUP BY part ORDER BY bytes DESC LIMIT ?1";

/// Rows of `threads` for each page of its table that has rows.
const ROWS_A_PAGE: &str =
    "SELECT sum(ncell) * 1.0 / count(*) FROM dbstat WHERE name = 'threads' AND pagetype = 'leaf'";

/// Bytes of a replica's file, and of the JSON in which its items came.
pub(crate) struct Size {
    file: i64,
    json: usize,
    /// Of its file, by what they are for.
    parts: Vec<(String, i64)>,
    threads_a_page: f64,
}

impl Size {
    /// Reads every page of the file.
    pub(crate) fn of(replica: &Replica, file: &Path) -> Result<Self> {
        let conn = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let pages = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
        let file = conn.query_row(pages, [], |row| row.get(0))?;
        let mut parts = conn.prepare(PARTS)?;
        let parts = parts.query_map([MAX_PARTS], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let parts = parts.collect::<rusqlite::Result<_>>()?;
        let threads_a_page =
            conn.query_row(ROWS_A_PAGE, [], |row| row.get::<_, Option<f64>>(0))?.unwrap_or_default();
        let mut json = 0;
        replica.export(&mut |batch| {
            json += batch.iter().map(|item| json_bytes(&item.notification)).sum::<usize>();
            true
        })?;
        Ok(Self { file, json, parts, threads_a_page })
    }

    /// Bytes of the file for each of so many items.
    pub(crate) fn bytes_each(&self, items: usize) -> f64 {
        each(self.file, items)
    }

    /// Adds the points of the plot: bytes an item, and the rate at which so many of them came in this time.
    pub(crate) fn point(&self, report: &mut Report, items: usize, (came, took): (usize, Duration)) {
        report.point(growth::BYTES, items, self.bytes_each(items));
        #[allow(clippy::cast_precision_loss)]
        let rate = came as f64 / took.as_secs_f64();
        report.point(growth::RATE, items, rate);
    }

    pub(crate) fn write_to(&self, report: &mut Report, items: usize) {
        report.section("Size of a replica", "bytes an item, with threads, counters and search");
        #[allow(clippy::cast_precision_loss)]
        let json = self.json as f64 / items as f64;
        let file = self.bytes_each(items);
        let text = |bytes: f64| format!("{bytes:.0} bytes");
        let share = file / json;
        report.row(&format!("a replica of {items}"), &text(file), &text(json), "its JSON", share);
        let holds = share <= 1.5;
        report.target("bytes of replica an item ≤ 1.5 × its JSON (goal 1.0)", holds, &format!("{share:.2}"));
        for (part, bytes) in &self.parts {
            let bytes = each(*bytes, items);
            report.rough_row(&format!("of these `{part}`"), &text(bytes), &text(file), "all", bytes / file);
        }
        let (rows, wanted) = (format!("{:.1}", self.threads_a_page), format!("{THREADS_A_PAGE:.0}"));
        let share = self.threads_a_page / THREADS_A_PAGE;
        report.rate_row("rows a page of `threads`", &rows, &wanted, "rows without actors", share);
    }
}

#[allow(clippy::cast_precision_loss)]
fn each(bytes: i64, items: usize) -> f64 {
    bytes as f64 / items as f64
}

fn json_bytes(item: &Notification) -> usize {
    serde_json::to_vec(item).map_or(0, |text| text.len())
}
