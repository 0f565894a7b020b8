//! A write in progress: its transaction, the stamps that it hands out, and the response that a repetition of it gets.

use std::sync::Arc;

use rusqlite::Transaction;
use tidings_model::{Catalog, Stamp};

use super::catalog_cache::{CatalogCache, CatalogVersion, VersionedCatalog};
use super::tables::{meta, stored_responses};
use crate::error::Error;
use crate::store::{Idempotency, Outcome};

/// A change in progress on the writer thread.
pub(crate) struct WriteTx<'t> {
    pub(crate) tx: &'t Transaction<'t>,
    /// The clock at the beginning.
    pub(crate) now: Stamp,
    last: Stamp,
    began: Stamp,
    cache: &'t CatalogCache,
    catalog_version: CatalogVersion,
    /// Read by this change; others may have it once the change is committed.
    catalog: Option<Arc<Catalog>>,
}

impl<'t> WriteTx<'t> {
    pub(crate) fn begin(tx: &'t Transaction<'t>, now: Stamp, cache: &'t CatalogCache) -> Result<Self, Error> {
        let (last, catalog_version) = meta::versions(tx)?;
        Ok(Self { tx, now, last, began: last, cache, catalog_version, catalog: None })
    }

    /// The next stamp: the clock, or one microsecond after the last one.
    pub(crate) fn next_stamp(&mut self) -> Stamp {
        self.last = self.last.next(self.now);
        self.last
    }

    /// Hands out consecutive stamps to as many rows as `write` changes, the first of which it is given. A row that it
    /// does not give one is not counted.
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

    /// The newest stamp handed out so far.
    pub(crate) fn last_stamp(&self) -> Stamp {
        self.last
    }

    /// The catalog in force.
    pub(crate) fn catalog(&mut self) -> Result<Arc<Catalog>, Error> {
        let known = self.catalog.take().or_else(|| self.cache.get(&self.catalog_version));
        let catalog = known.map_or_else(|| meta::catalog(self.tx), Ok)?;
        self.catalog = Some(Arc::clone(&catalog));
        Ok(catalog)
    }

    /// This change put another catalog in force.
    pub(crate) fn catalog_replaced(&mut self) {
        self.catalog_version.version += 1;
        self.catalog = None;
    }

    /// Keeps how far the stamps got; answers the catalog that was read, for when this is committed.
    pub(crate) fn end(self) -> Result<Option<VersionedCatalog>, Error> {
        if self.last != self.began {
            meta::set_last_stamp(self.tx, self.last)?;
        }
        Ok(self.catalog.map(|catalog| (self.catalog_version, catalog)))
    }

    /// Does something once: a repetition gets the first answer, and what is done now leaves its answer with it.
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
