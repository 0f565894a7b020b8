//! Runs SQL statements, which are prepared once for each connection.

use rusqlite::{Connection, Params, Row};
use serde::Serialize;
use tidings_store::{Error, ListPage};

/// A statement that both stores have, as this database takes it.
pub(crate) fn shared(sql: &str) -> String {
    sql.replace('$', "?").replace("user_key", "user")
}

/// Runs a statement without result rows, and returns the number of rows that it changed.
pub(crate) fn run(conn: &Connection, sql: &str, params: impl Params) -> Result<usize, Error> {
    Ok(conn.prepare_cached(sql)?.execute(params)?)
}

/// Whether a query has a row.
pub(crate) fn exists(conn: &Connection, sql: &str, params: impl Params) -> Result<bool, Error> {
    Ok(conn.prepare_cached(sql)?.exists(params)?)
}

/// The only row of a query.
pub(crate) fn one<T>(
    conn: &Connection,
    sql: &str,
    params: impl Params,
    row: impl FnOnce(&Row<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    first(conn, sql, params, row)?.ok_or_else(|| rusqlite::Error::QueryReturnedNoRows.into())
}

/// The first row of a query; `None` if it has no rows.
pub(crate) fn first<T>(
    conn: &Connection,
    sql: &str,
    params: impl Params,
    row: impl FnOnce(&Row<'_>) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    rows.next()?.map(row).transpose()
}

/// All rows of a query.
pub(crate) fn all<T>(
    conn: &Connection,
    sql: &str,
    params: impl Params,
    row: impl FnMut(&Row<'_>) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    conn.prepare_cached(sql)?.query_and_then(params, row)?.collect()
}

/// A page of at most `limit` elements, which the rows of a query are; rows that do not fit are not read.
pub(crate) fn page<T: Serialize>(
    conn: &Connection,
    sql: &str,
    params: impl Params,
    limit: usize,
    row: impl FnMut(&Row<'_>) -> Result<T, Error>,
) -> Result<ListPage, Error> {
    let mut statement = conn.prepare_cached(sql)?;
    ListPage::of(limit, statement.query_and_then(params, row)?)
}
