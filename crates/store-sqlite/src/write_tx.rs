//! A write transaction with the stamps that it assigns and the catalog that it reads. How it begins and ends is in
//! [`super::transaction`].

use rusqlite::Transaction;
use tidings_model::Stamp;
use tidings_store::Error;

use super::catalog_cache::{CatalogCache, VersionedCatalog};

/// A write in progress on the writer thread.
pub(crate) struct WriteTx<'t> {
    pub(crate) tx: &'t Transaction<'t>,
    /// The clock at the start of the transaction.
    pub(crate) now: Stamp,
    pub(super) last: Stamp,
    pub(super) initial_stamp: Stamp,
    /// Whether a stamp was assigned that is not that of a new publication, which the row of it tells.
    pub(super) has_untold_stamps: bool,
    pub(super) cache: &'t CatalogCache,
    /// The catalog that this write has read, to be cached after the commit.
    pub(super) catalog: Option<VersionedCatalog>,
}

impl WriteTx<'_> {
    /// The next stamp: the clock, or one microsecond after the last stamp.
    pub(crate) fn next_stamp(&mut self) -> Stamp {
        self.has_untold_stamps = true;
        self.next_publication_stamp()
    }

    /// [`Self::next_stamp`] of a publication that is written with it and with no other row. It is read from that row, so
    /// nothing else is written for it.
    pub(crate) fn next_publication_stamp(&mut self) -> Stamp {
        self.last = self.last.next(self.now);
        self.last
    }

    /// Assigns consecutive stamps to as many rows as `write` changes; `write` gets the first stamp and returns the
    /// number of rows that got one.
    pub(crate) fn assign_stamps(
        &mut self,
        write: impl FnOnce(&Transaction<'_>, Stamp) -> Result<usize, Error>,
    ) -> Result<usize, Error> {
        let first = self.last.next(self.now);
        let rows = write(self.tx, first)?;
        if let Some(further) = i64::try_from(rows).unwrap_or(i64::MAX).checked_sub(1).filter(|n| *n >= 0) {
            self.has_untold_stamps = true;
            self.last = first.plus_micros(further);
        }
        Ok(rows)
    }

    /// The newest stamp, including those that this write has assigned.
    pub(crate) fn last_stamp(&self) -> Stamp {
        self.last
    }

    /// Records that this write replaced the catalog.
    pub(crate) fn catalog_replaced(&mut self) {
        self.catalog = None;
    }
}
