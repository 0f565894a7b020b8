//! Runs SQL statements, which are prepared once for each connection.

use rusqlite::{Connection, OptionalExtension, Params, Row};

use crate::Result;

/// Runs a statement without result rows, and returns the number of rows that it changed.
pub fn run(conn: &Connection, sql: &str, params: impl Params) -> Result<usize> {
    Ok(conn.prepare_cached(sql)?.execute(params)?)
}

/// The only row of a query.
pub fn one<T>(
    conn: &Connection,
    sql: &str,
    params: impl Params,
    row: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<T> {
    Ok(conn.prepare_cached(sql)?.query_row(params, row)?)
}

/// The first row of a query; `None` if it has no rows.
pub fn first<T>(
    conn: &Connection,
    sql: &str,
    params: impl Params,
    row: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Option<T>> {
    Ok(conn.prepare_cached(sql)?.query_row(params, row).optional()?)
}

/// All rows of a query.
pub fn all<T>(
    conn: &Connection,
    sql: &str,
    params: impl Params,
    row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>> {
    Ok(conn.prepare_cached(sql)?.query_map(params, row)?.collect::<rusqlite::Result<_>>()?)
}
