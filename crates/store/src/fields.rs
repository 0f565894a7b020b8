//! The values that the stores read from a row of either database, so that the meaning of a row is written once.
//!
//! What a row means and where a page ends is written once for both stores: in the modules `item_row`,
//! `pull_builder` and those beside them. They read a row by this small trait of its fields.

use tidings_model::{Kind, Stamp};
use tokio_postgres::types::Type;

use crate::Error;

/// The fields of a row, by their positions.
pub trait Fields {
    /// A number.
    fn int(&self, column: usize) -> Result<i64, Error>;

    /// A number, or NULL.
    fn int_or_null(&self, column: usize) -> Result<Option<i64>, Error>;

    /// A number that is never negative.
    fn size(&self, column: usize) -> Result<u64, Error> {
        Ok(u64::try_from(self.int(column)?).unwrap_or_default())
    }

    /// Yes or no.
    fn flag(&self, column: usize) -> Result<bool, Error>;

    /// A text, without copying it.
    fn text(&self, column: usize) -> Result<&str, Error>;

    /// A text, or NULL.
    fn text_or_null(&self, column: usize) -> Result<Option<&str>, Error>;

    /// A text that outlives the row.
    fn string(&self, column: usize) -> Result<String, Error> {
        Ok(self.text(column)?.to_owned())
    }

    /// A time.
    fn stamp(&self, column: usize) -> Result<Stamp, Error> {
        Ok(Stamp::from_micros(self.int(column)?))
    }

    /// A time, or NULL.
    fn time(&self, column: usize) -> Result<Option<Stamp>, Error> {
        Ok(self.int_or_null(column)?.map(Stamp::from_micros))
    }

    /// A time; 0 stands for none.
    fn stamp_or_none(&self, column: usize) -> Result<Option<Stamp>, Error> {
        Ok(Some(self.stamp(column)?).filter(|at| *at > Stamp::ZERO))
    }

    /// A counter that is never negative, or NULL.
    fn counter(&self, column: usize) -> Result<Option<u32>, Error> {
        Ok(self.int_or_null(column)?.map(|n| u32::try_from(n).unwrap_or_default()))
    }

    /// The kind of an item.
    fn kind(&self, column: usize) -> Result<Kind, Error> {
        Ok(Kind::from_row(self.int(column)?).unwrap_or(Kind::Reminder))
    }
}

impl Fields for rusqlite::Row<'_> {
    fn int(&self, column: usize) -> Result<i64, Error> {
        Ok(self.get(column)?)
    }

    fn int_or_null(&self, column: usize) -> Result<Option<i64>, Error> {
        Ok(self.get(column)?)
    }

    fn flag(&self, column: usize) -> Result<bool, Error> {
        Ok(self.get(column)?)
    }

    fn text(&self, column: usize) -> Result<&str, Error> {
        Ok(self.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?)
    }

    fn text_or_null(&self, column: usize) -> Result<Option<&str>, Error> {
        Ok(self.get_ref(column)?.as_str_or_null().map_err(rusqlite::Error::from)?)
    }
}

impl Fields for tokio_postgres::Row {
    fn int(&self, column: usize) -> Result<i64, Error> {
        // Kinds are small numbers, and so are constants.
        let kind = self.columns().get(column).map(tokio_postgres::Column::type_);
        if kind == Some(&Type::INT2) {
            return Ok(self.try_get::<_, i16>(column)?.into());
        }
        if kind == Some(&Type::INT4) {
            return Ok(self.try_get::<_, i32>(column)?.into());
        }
        Ok(self.try_get(column)?)
    }

    fn int_or_null(&self, column: usize) -> Result<Option<i64>, Error> {
        Ok(self.try_get(column)?)
    }

    fn flag(&self, column: usize) -> Result<bool, Error> {
        Ok(self.try_get(column)?)
    }

    fn text(&self, column: usize) -> Result<&str, Error> {
        Ok(self.try_get(column)?)
    }

    fn text_or_null(&self, column: usize) -> Result<Option<&str>, Error> {
        Ok(self.try_get(column)?)
    }
}
