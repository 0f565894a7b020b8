//! A write transaction with the stamps that it assigns and the catalog that it reads.

use std::sync::Arc;
use std::time::Duration;

use rusqlite::Transaction;
use tidings_model::{AgeHold, Catalog, Stamp};

use super::catalog_cache::{CatalogCache, CatalogVersion, VersionedCatalog};
use super::tables::{meta, stored_responses};
use crate::error::Error;
use crate::store::{Idempotency, Outcome};

/// A write in progress on the writer thread.
pub(crate) struct WriteTx<'t> {
    pub(crate) tx: &'t Transaction<'t>,
    /// The clock at the start of the transaction.
    pub(crate) now: Stamp,
    last: Stamp,
    initial_stamp: Stamp,
    cache: &'t CatalogCache,
    catalog_version: CatalogVersion,
    /// The catalog that this write has read, to be cached after the commit.
    catalog: Option<Arc<Catalog>>,
}

/// What a transaction has read and assigned, known to be true once it was committed.
pub(crate) struct Committed {
    pub(crate) newest_stamp: Stamp,
    /// Whether it has assigned stamps.
    pub(crate) has_new_stamps: bool,
    pub(crate) catalog: Option<VersionedCatalog>,
}

impl<'t> WriteTx<'t> {
    pub(crate) fn begin(tx: &'t Transaction<'t>, now: Stamp, cache: &'t CatalogCache) -> Result<Self, Error> {
        let (last, catalog_version) = meta::versions(tx)?;
        Ok(Self { tx, now, last, initial_stamp: last, cache, catalog_version, catalog: None })
    }

    /// The next stamp: the clock, or one microsecond after the last stamp.
    pub(crate) fn next_stamp(&mut self) -> Stamp {
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
            self.last = first.plus_micros(further);
        }
        Ok(rows)
    }

    /// The newest stamp, including those that this write has assigned.
    pub(crate) fn last_stamp(&self) -> Stamp {
        self.last
    }

    /// The current catalog.
    pub(crate) fn catalog(&mut self) -> Result<Arc<Catalog>, Error> {
        let known = self.catalog.take().or_else(|| self.cache.get(&self.catalog_version));
        let catalog = known.map_or_else(|| meta::catalog(self.tx), Ok)?;
        self.catalog = Some(Arc::clone(&catalog));
        Ok(catalog)
    }

    /// Records that this write replaced the catalog.
    pub(crate) fn catalog_replaced(&mut self) {
        self.catalog_version.version += 1;
        self.catalog = None;
    }

    /// Stores the newest stamp; gives what may be kept in memory after the commit.
    pub(crate) fn end(self) -> Result<Committed, Error> {
        let has_new_stamps = self.last != self.initial_stamp;
        if has_new_stamps {
            meta::set_last_stamp(self.tx, self.last)?;
            // These stamps hide from the next start that the clock jumped.
            let hold = AgeHold::at_start(Duration::ZERO, self.initial_stamp, self.now);
            if hold.is_in_force() {
                meta::set_age_hold(&self, hold.left())?;
            }
        }
        let catalog = self.catalog.map(|catalog| (self.catalog_version, catalog));
        Ok(Committed { newest_stamp: self.last, has_new_stamps, catalog })
    }

    /// Runs a job once for a key: a repetition gets the stored response of the first time.
    pub(crate) fn idempotent<T>(
        &mut self,
        idempotency: Option<Idempotency<T>>,
        job: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<Outcome<T>, Error> {
        let Some(idempotency) = idempotency else { return job(self).map(Outcome::Done) };
        if let Some(answer) = stored_responses::get(self.tx, &idempotency.token, &idempotency.key, self.now)?
        {
            return Ok(Outcome::Replayed(answer));
        }
        let done = job(self)?;
        let answer = (idempotency.answer)(&done);
        stored_responses::put(self, &idempotency.token, &idempotency.key, &answer)?;
        Ok(Outcome::Done(done))
    }
}
