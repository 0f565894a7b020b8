//! Validates a database file from elsewhere before it is used: undamaged, exactly the expected schema, every row as
//! its table demands. The crate that owns the tables checks what the rows mean.

use std::collections::BTreeSet;
use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::files::refuse_special;
use crate::{Error, Migration, log, migrate};

/// Validates a private copy of a database from elsewhere, migrates it, and leaves it as one file without a log.
///
/// # Errors
/// [`Error::Invalid`] with the reason for a file that is not of this program or is damaged, [`Error::Newer`] for a
/// later version, else SQLite's error.
pub fn validate(copy: &Path, migrations: &[Migration]) -> Result<(), Error> {
    // A damaged page may be met before the pages are checked.
    run_checks(copy, migrations).map_err(|e| match e {
        Error::Damaged(what) => invalid(&format!("it is damaged: {what}")),
        e if e.is_corrupt() => invalid(&format!("it is damaged: {e}")),
        e => e,
    })
}

fn run_checks(copy: &Path, migrations: &[Migration]) -> Result<(), Error> {
    refuse_special(copy)?;
    let mut conn = Connection::open_with_flags(
        copy,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    harden(&conn)?;
    conn.pragma_update(None, "cell_size_check", true)?;
    conn.pragma_update(None, "mmap_size", 0)?;
    migrate::refuse_newer(&conn, migrations)?;
    let version = migrate::found(&conn)?;
    if version < 1 {
        return Err(invalid("it holds no data of this program"));
    }
    drop_statistics(&conn)?;
    check_schema(&conn, migrations, version)?;
    check_layout(&conn)?;
    check_integrity(&conn)?;
    conn.pragma_update(None, "foreign_keys", true)?;
    migrate::run(&mut conn, migrations)?;
    check_schema(&conn, migrations, migrate::known(migrations))?;
    conn.pragma_update(None, "journal_mode", "DELETE")?;
    log::renumber(&conn)
}

/// Forbids functions with side effects in the schema, and writes to SQLite's own tables.
pub(crate) fn harden(conn: &Connection) -> Result<(), Error> {
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    Ok(())
}

/// Drops the query planner's statistics, which are not part of the schema, and returns whether there were any.
pub(crate) fn drop_statistics(conn: &Connection) -> Result<bool, Error> {
    let mut dropped = false;
    for table in ["sqlite_stat1", "sqlite_stat4"] {
        let exists = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1";
        if conn.query_row(exists, [table], |row| row.get::<_, i64>(0))? > 0 {
            conn.execute_batch(&format!("DROP TABLE {table}"))?;
            dropped = true;
        }
    }
    Ok(dropped)
}

/// Checks that the schema has exactly the tables, indexes, triggers and views of the migrations.
fn check_schema(conn: &Connection, migrations: &[Migration], version: i64) -> Result<(), Error> {
    let mut expected = Connection::open_in_memory()?;
    let steps: Vec<Migration> = migrations.iter().filter(|step| step.version <= version).copied().collect();
    migrate::run(&mut expected, &steps)?;
    let (expected, actual) = (schema(&expected)?, schema(conn)?);
    if let Some((kind, name, ..)) = actual.difference(&expected).next() {
        return Err(invalid(&format!("its {kind} `{name}` is not one of this program")));
    }
    match expected.difference(&actual).next() {
        Some((kind, name, ..)) => Err(invalid(&format!("the {kind} `{name}` is missing"))),
        None => Ok(()),
    }
}

/// Type, name, table and SQL text of every entry of a schema.
type Schema = BTreeSet<(String, String, String, String)>;

fn schema(conn: &Connection) -> Result<Schema, Error> {
    let mut rows = conn.prepare("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema")?;
    let rows = rows.query_map([], |row| {
        let sql: String = row.get(3)?;
        let sql = sql.split_whitespace().collect::<Vec<_>>().join(" ");
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, sql))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Checks that the page size and the text encoding are SQLite's defaults.
fn check_layout(conn: &Connection) -> Result<(), Error> {
    let expected = Connection::open_in_memory()?;
    let size = |conn: &Connection| conn.pragma_query_value(None, "page_size", |row| row.get::<_, i64>(0));
    let text = |conn: &Connection| conn.pragma_query_value(None, "encoding", |row| row.get::<_, String>(0));
    if size(conn)? == size(&expected)? && text(conn)? == text(&expected)? {
        Ok(())
    } else {
        Err(invalid("its pages or its text are laid out in another way"))
    }
}

/// Checks pages, indexes, the types of values and the foreign keys.
///
/// # Errors
/// [`Error::Damaged`] with what is wrong.
pub(crate) fn check_integrity(conn: &Connection) -> Result<(), Error> {
    let damage: String = conn.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if damage != "ok" {
        return Err(Error::Damaged(damage));
    }
    let mut orphans = conn.prepare("PRAGMA foreign_key_check")?;
    let mut orphans = orphans.query([])?;
    match orphans.next()? {
        Some(row) => Err(Error::Damaged(format!("a row of {} belongs to none", row.get::<_, String>(0)?))),
        None => Ok(()),
    }
}

fn invalid(reason: &str) -> Error {
    Error::Invalid(reason.to_owned())
}
