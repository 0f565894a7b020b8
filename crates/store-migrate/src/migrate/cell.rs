//! One value on its way from one database to the other.

use std::error::Error as StdError;

use bytes::BytesMut;
use rusqlite::types::{FromSqlError, FromSqlResult, ToSqlOutput, Value, ValueRef};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

/// A value of any column. SQLite has whole numbers for PostgreSQL's booleans and numbers of several sizes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cell {
    Null,
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
}

/// The values of a row, in the order of its columns.
pub(super) type Row = Vec<Cell>;

impl Cell {
    /// Bytes that it takes, about.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Null | Self::Int(_) => 8,
            Self::Text(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }
}

impl ToSql for Cell {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(n) if *kind == Type::INT2 => i16::try_from(*n)?.to_sql(kind, out),
            Self::Int(n) if *kind == Type::INT4 => i32::try_from(*n)?.to_sql(kind, out),
            Self::Int(n) if *kind == Type::BOOL => (*n != 0).to_sql(kind, out),
            Self::Int(n) if *kind == Type::INT8 => n.to_sql(kind, out),
            Self::Text(text) if *kind == Type::TEXT => text.to_sql(kind, out),
            Self::Bytes(bytes) if *kind == Type::BYTEA => bytes.to_sql(kind, out),
            other => Err(format!("{} can't hold this {}", kind.name(), other.name()).into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Cell {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        match *kind {
            Type::INT2 => Ok(Self::Int(i64::from(i16::from_sql(kind, raw)?))),
            Type::INT4 => Ok(Self::Int(i64::from(i32::from_sql(kind, raw)?))),
            Type::INT8 => Ok(Self::Int(i64::from_sql(kind, raw)?)),
            Type::BOOL => Ok(Self::Int(i64::from(bool::from_sql(kind, raw)?))),
            Type::TEXT => Ok(Self::Text(String::from_sql(kind, raw)?)),
            Type::BYTEA => Ok(Self::Bytes(Vec::from_sql(kind, raw)?)),
            _ => Err(format!("a column of type {} is not carried", kind.name()).into()),
        }
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Self::Null)
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

impl Cell {
    fn name(&self) -> &'static str {
        match self {
            Self::Null => "NULL",
            Self::Int(_) => "number",
            Self::Text(_) => "text",
            Self::Bytes(_) => "bytes",
        }
    }
}

impl rusqlite::types::FromSql for Cell {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value {
            ValueRef::Null => Ok(Self::Null),
            ValueRef::Integer(n) => Ok(Self::Int(n)),
            ValueRef::Text(_) => value.as_str().map(|text| Self::Text(text.to_owned())),
            ValueRef::Blob(bytes) => Ok(Self::Bytes(bytes.to_owned())),
            ValueRef::Real(_) => Err(FromSqlError::InvalidType),
        }
    }
}

impl rusqlite::ToSql for Cell {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Owned(Value::Null),
            Self::Int(n) => ToSqlOutput::Owned(Value::Integer(*n)),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Self::Bytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_goes_into_the_column_that_can_hold_it() {
        let written = |cell: Cell, kind: Type| {
            let mut out = BytesMut::new();
            ToSql::to_sql(&cell, &kind, &mut out).map(|_| out.to_vec()).ok()
        };
        assert_eq!(written(Cell::Int(1), Type::BOOL), Some(vec![1]));
        assert_eq!(written(Cell::Int(1), Type::INT2), Some(vec![0, 1]));
        assert_eq!(written(Cell::Int(1 << 20), Type::INT2), None, "it is refused and not cut");
        assert_eq!(written(Cell::Text("1".into()), Type::INT8), None);
        assert_eq!(<Cell as FromSql<'_>>::from_sql(&Type::BOOL, &[1]).unwrap(), Cell::Int(1));
    }
}
