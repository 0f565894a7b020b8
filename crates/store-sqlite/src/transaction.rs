//! How a write transaction begins and ends, what it does once for a key, and the catalog that it or a snapshot reads.

use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, Transaction};
use tidings_model::{AgeHold, Catalog, Stamp};
use tidings_store::{Error, Idempotency, Outcome};

use super::catalog_cache::{CatalogCache, VersionedCatalog};
use super::tables::{meta, stored_responses};
use super::write_tx::WriteTx;

/// What a transaction has read and assigned, known to be true once it was committed.
pub(crate) struct Committed {
    pub(crate) newest_stamp: Stamp,
    /// Whether it has assigned stamps.
    pub(crate) has_new_stamps: bool,
    pub(crate) catalog: Option<VersionedCatalog>,
}

impl<'t> WriteTx<'t> {
    pub(crate) fn begin(tx: &'t Transaction<'t>, now: Stamp, cache: &'t CatalogCache) -> Result<Self, Error> {
        let last = meta::last_stamp(tx)?;
        Ok(Self { tx, now, last, initial_stamp: last, has_untold_stamps: false, cache, catalog: None })
    }

    /// The current catalog.
    pub(crate) fn catalog(&mut self) -> Result<Arc<Catalog>, Error> {
        if let Some((_, catalog)) = &self.catalog {
            return Ok(Arc::clone(catalog));
        }
        let version = meta::catalog_version(self.tx)?;
        let catalog = self.cache.get(&version).map_or_else(|| meta::catalog(self.tx), Ok)?;
        self.catalog = Some((version, Arc::clone(&catalog)));
        Ok(catalog)
    }

    /// Stores the newest stamp, unless publications tell it; gives what may be kept in memory after the commit.
    pub(crate) fn end(self) -> Result<Committed, Error> {
        let has_new_stamps = self.last != self.initial_stamp;
        if self.has_untold_stamps {
            meta::keep_last_stamp(&self)?;
        }
        if has_new_stamps {
            // These stamps hide from the next start that the clock jumped.
            let hold = AgeHold::at_start(Duration::ZERO, self.initial_stamp, self.now);
            if hold.is_in_force() {
                meta::set_age_hold(&self, hold.left())?;
            }
        }
        Ok(Committed { newest_stamp: self.last, has_new_stamps, catalog: self.catalog })
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

impl CatalogCache {
    /// The current catalog of a snapshot.
    pub(crate) fn current(&self, conn: &Connection) -> Result<Arc<Catalog>, Error> {
        let version = meta::catalog_version(conn)?;
        if let Some(catalog) = self.get(&version) {
            return Ok(catalog);
        }
        let catalog = meta::catalog(conn)?;
        self.set((version, Arc::clone(&catalog)));
        Ok(catalog)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SqliteStore;
    use tidings_store::PublishingStore;
    use tidings_testkit::clock::ManualClock;

    fn catalog(action: &str) -> Catalog {
        let mut catalog = Catalog::shipped();
        let rule = catalog.actions.remove("like").unwrap();
        catalog.actions.insert(action.to_owned(), rule);
        catalog
    }

    #[tokio::test]
    async fn a_catalog_that_was_not_committed_is_not_remembered() {
        let dir = tempfile::tempdir().unwrap();
        let store =
            SqliteStore::open(&dir.path().join("server.db"), Arc::new(ManualClock::default())).unwrap();
        let shipped = store.catalog().await.unwrap();
        let cache = Arc::clone(&store.catalog_cache);
        // Two jobs share a transaction whose commit fails: one replaces the catalog, the next one reads it.
        let failed: Result<(), Error> = store
            .write(move |ctx| {
                meta::replace_catalog(ctx, &catalog("lost"))?;
                let mut next = WriteTx::begin(ctx.tx, ctx.now, &cache)?;
                assert!(next.catalog()?.actions.contains_key("lost"));
                Err(Error::not_found("room"))
            })
            .await;
        assert!(failed.is_err());
        assert_eq!(store.catalog().await.unwrap(), shipped);
        // The next committed catalog gets the version number of the one that was rolled back.
        store.set_catalog(catalog("kept")).await.unwrap();
        let read = store.write(|ctx| ctx.catalog().map(|catalog| (*catalog).clone())).await.unwrap();
        assert!(read.actions.contains_key("kept"));
        assert!(store.catalog().await.unwrap().actions.contains_key("kept"));
    }

    #[tokio::test]
    async fn a_catalog_of_another_history_is_another_one() {
        let dir = tempfile::tempdir().unwrap();
        let store =
            SqliteStore::open(&dir.path().join("server.db"), Arc::new(ManualClock::default())).unwrap();
        store.catalog().await.unwrap();
        let other = serde_json::to_string(&catalog("restored")).unwrap();
        store
            .write(move |ctx| {
                ctx.tx.execute("UPDATE meta SET catalog = ?1, epoch = 'other' WHERE one = 1", [other])?;
                Ok(())
            })
            .await
            .unwrap();
        assert!(store.catalog().await.unwrap().actions.contains_key("restored"));
    }
}
