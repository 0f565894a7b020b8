//! The floor of a pull: the time that SQLite alone takes for the same rows, with the same tables, indexes and search
//! index.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, params_from_iter};
use tidings_replica::{MIGRATIONS, Replica, indexed};

use crate::Result;

/// How the rows are inserted.
pub(crate) struct Settings {
    /// Items in one transaction.
    items: usize,
    /// The page cache.
    cache_kib: i64,
    /// A commit that makes the log longer than this copies it, in pages of 4 KiB.
    log_pages: i64,
}

/// As SQLite does it on its own, with one transaction for each page of the protocol.
pub(crate) const USUAL: Settings = Settings { items: 5_000, cache_kib: 16 << 10, log_pages: 1_000 };
/// As a backlog is written: with the transactions, the cache and the log of a replica.
pub(crate) const AS_OURS: Settings = Settings { items: 25_000, cache_kib: 16 << 10, log_pages: 16 << 10 };

type Row = Vec<Value>;

/// All rows of a replica, in memory.
pub(crate) struct Rows {
    /// Each table but items and search: its name with its columns, and its rows.
    tables: Vec<(String, Vec<Row>)>,
    items: (String, Vec<Row>),
    search: Vec<Row>,
}

fn read_rows(conn: &Connection, sql: &str) -> Result<Vec<Row>> {
    let mut statement = conn.prepare(sql)?;
    let columns = statement.column_count();
    let rows =
        statement.query_map([], |r| (0..columns).map(|at| r.get(at)).collect::<rusqlite::Result<Row>>())?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// A table's name with its stored columns, as `items (id, source)`, and its rows.
fn read_table(conn: &Connection, name: &str) -> Result<(String, Vec<Row>)> {
    // Generated columns are left out: `pragma_table_info` does not list them.
    let mut columns = conn.prepare("SELECT name FROM pragma_table_info(?1)")?;
    let columns: Vec<String> = columns.query_map([name], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?;
    let columns = columns.join(", ");
    let rows = read_rows(conn, &format!("SELECT {columns} FROM {name} ORDER BY 1"))?;
    Ok((format!("{name} ({columns})"), rows))
}

impl Rows {
    /// Reads a whole replica.
    pub(crate) fn of(replica: &Replica, file: &Path) -> Result<Self> {
        let conn = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let mut tables = Vec::new();
        for name in ["sources", "views", "threads", "thread_actors", "people", "counters"] {
            tables.push(read_table(&conn, name)?);
        }
        let items = read_table(&conn, "items")?;
        let mut search: Vec<(i64, Row)> = Vec::with_capacity(items.1.len());
        replica.export(&mut |batch| {
            for item in batch {
                let mut row = vec![Value::from(item.id)];
                row.extend(
                    indexed(item.source, &item.notification)
                        .into_iter()
                        .map(|text| Value::from(text.into_owned())),
                );
                search.push((item.id, row));
            }
            true
        })?;
        search.sort_by_key(|(id, _)| *id);
        Ok(Self { tables, items, search: search.into_iter().map(|(_, row)| row).collect() })
    }

    /// The number of items.
    pub(crate) fn len(&self) -> usize {
        self.items.1.len()
    }

    /// Inserts all rows into an empty database, one transaction for each page as a pull does; gives the time it took.
    pub(crate) fn insert(&self, file: &Path, settings: &Settings) -> Result<Duration> {
        let mut conn = Connection::open(file)?;
        for (pragma, value) in [("journal_mode", "WAL"), ("synchronous", "NORMAL"), ("temp_store", "MEMORY")]
        {
            conn.pragma_update(None, pragma, value)?;
        }
        conn.pragma_update(None, "cache_size", -settings.cache_kib)?;
        conn.pragma_update(None, "wal_autocheckpoint", settings.log_pages)?;
        conn.pragma_update(None, "foreign_keys", true)?;
        for migration in MIGRATIONS {
            conn.execute_batch(migration.sql)?;
        }
        // SQLite merges the segments of the index as it would by itself; a replica merges its own.
        for (setting, value) in [("automerge", 4), ("crisismerge", 16)] {
            conn.execute("INSERT INTO search (search, rank) VALUES (?1, ?2)", (setting, value))?;
        }
        let started = Instant::now();
        let tx = conn.transaction()?;
        for (table, rows) in &self.tables {
            insert(&tx, table, rows)?;
        }
        tx.commit()?;
        let (items_table, items) = &self.items;
        for (items, search) in items.chunks(settings.items).zip(self.search.chunks(settings.items)) {
            let tx = conn.transaction()?;
            insert(&tx, items_table, items)?;
            insert(&tx, "search (rowid, title, body, actor, target)", search)?;
            tx.commit()?;
        }
        Ok(started.elapsed())
    }
}

fn insert(conn: &Connection, table: &str, rows: &[Row]) -> Result<()> {
    let Some(first) = rows.first() else { return Ok(()) };
    let placeholders = vec!["?"; first.len()].join(", ");
    let mut statement = conn.prepare_cached(&format!("INSERT INTO {table} VALUES ({placeholders})"))?;
    for row in rows {
        statement.execute(params_from_iter(row))?;
    }
    Ok(())
}
