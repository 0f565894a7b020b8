//! One change in progress: the transaction, the stamps that it hands out, and what it answers to a repetition. Refuses
//! to hand out a stamp twice.

use std::sync::Arc;

use rusqlite::{OptionalExtension, Transaction, params};
use tidings_model::{Catalog, Stamp};

use super::catalog::{self, CatalogCache, CatalogVersion, VersionedCatalog};
use crate::domain::draft::stored_responses_expire;
use crate::error::Error;
use crate::store::{Idempotency, Outcome, StoredResponse};

/// A change in progress on the writer thread.
pub(super) struct WriteContext<'t> {
    pub(super) tx: &'t Transaction<'t>,
    /// The clock at the beginning.
    pub(super) now: Stamp,
    last: Stamp,
    began: Stamp,
    cache: &'t CatalogCache,
    catalog_version: CatalogVersion,
    /// Read by this change; others may have it once the change is committed.
    catalog: Option<Arc<Catalog>>,
}

impl<'t> WriteContext<'t> {
    pub(super) fn begin(tx: &'t Transaction<'t>, now: Stamp, cache: &'t CatalogCache) -> Result<Self, Error> {
        let (last, catalog_version) = tx
            .prepare_cached("SELECT last_stamp, epoch, catalog_version FROM head WHERE one = 1")?
            .query_row([], |r| {
                Ok((Stamp::from_micros(r.get(0)?), CatalogVersion { epoch: r.get(1)?, version: r.get(2)? }))
            })?;
        Ok(Self { tx, now, last, began: last, cache, catalog_version, catalog: None })
    }

    /// The next stamp: the clock, or one microsecond after the last one.
    pub(super) fn next_stamp(&mut self) -> Stamp {
        self.last = self.last.next(self.now);
        self.last
    }

    /// Hands out consecutive stamps to as many rows as `write` changes, the first of which it is given. A row that it
    /// does not give one is not counted.
    pub(super) fn assign_stamps(
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
    pub(super) fn last_stamp(&self) -> Stamp {
        self.last
    }

    /// The catalog in force.
    pub(super) fn catalog(&mut self) -> Result<Arc<Catalog>, Error> {
        let known = self.catalog.take().or_else(|| self.cache.get(&self.catalog_version));
        let catalog = known.map_or_else(|| catalog::read(self.tx), Ok)?;
        self.catalog = Some(Arc::clone(&catalog));
        Ok(catalog)
    }

    /// This change put another catalog in force.
    pub(super) fn catalog_replaced(&mut self) {
        self.catalog_version.version += 1;
        self.catalog = None;
    }

    /// Keeps how far the stamps got; answers the catalog that was read, for when this is committed.
    pub(super) fn end(self) -> Result<Option<VersionedCatalog>, Error> {
        if self.last != self.began {
            self.tx
                .prepare_cached("UPDATE head SET last_stamp = ?1 WHERE one = 1")?
                .execute([self.last.as_micros()])?;
        }
        Ok(self.catalog.map(|catalog| (self.catalog_version, catalog)))
    }

    /// Does something once: a repetition gets the first answer, and what is done now leaves its answer with it.
    pub(super) fn idempotent<T>(
        &mut self,
        idempotency: Option<Idempotency<T>>,
        job: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<Outcome<T>, Error> {
        let Some(idempotency) = idempotency else { return job(self).map(Outcome::Done) };
        if let Some(answer) = stored_response(self.tx, &idempotency.token, &idempotency.key, self.now)? {
            return Ok(Outcome::Replayed(answer));
        }
        let done = job(self)?;
        let answer = (idempotency.answer)(&done);
        self.tx
            .prepare_cached(
                "INSERT OR REPLACE INTO answers (token, key, at, status, body, seal) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![
                idempotency.token,
                idempotency.key,
                self.now.as_micros(),
                answer.status,
                answer.body,
                answer.token_salt
            ])?;
        Ok(Outcome::Done(done))
    }
}

/// The first answer under a key, if it is young enough.
pub(super) fn stored_response(
    conn: &rusqlite::Connection,
    token: &str,
    key: &str,
    now: Stamp,
) -> Result<Option<StoredResponse>, Error> {
    Ok(conn
        .prepare_cached("SELECT status, body, seal FROM answers WHERE token = ?1 AND key = ?2 AND at > ?3")?
        .query_row(params![token, key, stored_responses_expire(now).as_micros()], |r| {
            Ok(StoredResponse { status: r.get(0)?, body: r.get(1)?, token_salt: r.get(2)? })
        })
        .optional()?)
}
