//! Conversions between columns and Rust values: times, kinds, places, counts, JSON.

use rusqlite::Row;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, Type, ValueRef};
use serde::Deserialize;
use tidings_model::{Kind, Stamp};

/// The value of the column `place`: the list that a thread is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadPlace {
    /// Some item is neither archived nor snoozed.
    Inbox = 0,
    /// Every item that is not archived is snoozed.
    Snoozed = 1,
    /// Every item is archived.
    Done = 2,
    /// The thread has no items and is kept only for its settings; no list shows it.
    Unlisted = 3,
}

impl ThreadPlace {
    /// The places that lists show.
    pub const LISTED: [Self; 3] = [Self::Inbox, Self::Snoozed, Self::Done];

    #[inline]
    pub(crate) const fn as_row(self) -> i64 {
        self as i64
    }
}

impl ToSql for ThreadPlace {
    #[inline]
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.as_row().into())
    }
}

impl FromSql for ThreadPlace {
    #[inline]
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value.as_i64()? {
            0 => Ok(Self::Inbox),
            1 => Ok(Self::Snoozed),
            2 => Ok(Self::Done),
            3 => Ok(Self::Unlisted),
            other => Err(FromSqlError::OutOfRange(other)),
        }
    }
}

/// The value of a column with a kind.
#[inline]
pub fn kind(row: &Row<'_>, at: usize) -> rusqlite::Result<Kind> {
    let n: i64 = row.get(at)?;
    Kind::from_row(n).ok_or(rusqlite::Error::IntegralValueOutOfRange(at, n))
}

/// The value of a column with a time.
#[inline]
pub fn stamp(row: &Row<'_>, at: usize) -> rusqlite::Result<Stamp> {
    Ok(Stamp::from_micros(row.get(at)?))
}

/// The value of a column with an optional time.
#[inline]
pub fn time(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<Stamp>> {
    Ok(row.get::<_, Option<i64>>(at)?.map(Stamp::from_micros))
}

/// The value of a column with a count.
#[inline]
pub fn count(row: &Row<'_>, at: usize) -> rusqlite::Result<u64> {
    let n: i64 = row.get(at)?;
    u64::try_from(n).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(at, n))
}

/// The value of a column with JSON.
pub fn json<T: for<'de> Deserialize<'de>>(row: &Row<'_>, at: usize) -> rusqlite::Result<T> {
    let text = row.get_ref(at)?.as_str()?;
    serde_json::from_str(text)
        .map_err(|e| rusqlite::Error::FromSqlConversionFailure(at, Type::Text, Box::new(e)))
}

/// The value of a column with optional JSON.
pub fn optional_json<T: for<'de> Deserialize<'de>>(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<T>> {
    row.get_ref(at)?.as_str_or_null()?.map(|_| json(row, at)).transpose()
}

/// A number of rows as the value of a `LIMIT`.
#[inline]
pub fn limit(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}
