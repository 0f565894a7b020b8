//! The values of statements, and the columns of rows.

use tidings_model::Stamp;
use tidings_store::Error;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, ToSql, Type};

/// A value of a statement, which knows its type: no round trip asks the database for it.
pub(crate) trait Value: Sync {
    /// The type in the database.
    fn kind(&self) -> Type;
    /// The value for the client library.
    fn sql(&self) -> &(dyn ToSql + Sync);
}

macro_rules! values {
    ($($rust:ty => $kind:ident),* $(,)?) => {$(
        impl Value for $rust {
            fn kind(&self) -> Type {
                Type::$kind
            }

            fn sql(&self) -> &(dyn ToSql + Sync) {
                self
            }
        }
    )*};
}

values! {
    i64 => INT8, Option<i64> => INT8, Vec<i64> => INT8_ARRAY, Vec<Option<i64>> => INT8_ARRAY, &[i64] => INT8_ARRAY,
    i32 => INT4, Vec<i32> => INT4_ARRAY,
    i16 => INT2, Option<i16> => INT2, Vec<i16> => INT2_ARRAY,
    bool => BOOL, Option<bool> => BOOL, Vec<bool> => BOOL_ARRAY,
    String => TEXT, &str => TEXT, Option<String> => TEXT, Option<&str> => TEXT,
    Vec<String> => TEXT_ARRAY, Vec<&str> => TEXT_ARRAY, &[String] => TEXT_ARRAY, &[&str] => TEXT_ARRAY,
    Vec<u8> => BYTEA, &[u8] => BYTEA, Vec<Vec<u8>> => BYTEA_ARRAY,
}

/// The values of a statement, `&[&user.0, &name]`.
pub(crate) type Values<'a> = &'a [&'a dyn Value];

/// Reads the columns of a row by their positions.
pub(crate) trait Columns {
    /// The value of a column.
    fn at<'r, T: FromSql<'r>>(&'r self, column: usize) -> Result<T, Error>;

    /// A column with a time.
    fn stamp(&self, column: usize) -> Result<Stamp, Error> {
        Ok(Stamp::from_micros(self.at(column)?))
    }

    /// A column with a time, or NULL.
    fn time(&self, column: usize) -> Result<Option<Stamp>, Error> {
        Ok(self.at::<Option<i64>>(column)?.map(Stamp::from_micros))
    }

    /// A column with a time, in which 0 stands for none.
    fn stamp_or_none(&self, column: usize) -> Result<Option<Stamp>, Error> {
        Ok(Some(self.stamp(column)?).filter(|at| *at > Stamp::ZERO))
    }

    /// A column with a number that is never negative.
    fn count(&self, column: usize) -> Result<usize, Error> {
        Ok(usize::try_from(self.at::<i64>(column)?).unwrap_or_default())
    }
}

impl Columns for Row {
    fn at<'r, T: FromSql<'r>>(&'r self, column: usize) -> Result<T, Error> {
        Ok(self.try_get(column)?)
    }
}

/// A number of rows as the database takes it.
pub(crate) fn rows(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
