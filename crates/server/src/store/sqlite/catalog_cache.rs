//! A cache of the catalog, filled only from snapshots and committed transactions, so that it never has a catalog that
//! is rolled back.

use std::sync::Arc;

use parking_lot::Mutex;
use rusqlite::Connection;
use tidings_model::Catalog;

use super::tables::meta;
use crate::error::Error;

/// Identifies a catalog by its epoch and version. A version alone does not: after a restore it may be that of another
/// catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CatalogVersion {
    pub(crate) epoch: String,
    pub(crate) version: i64,
}

/// A catalog with its version.
pub(crate) type VersionedCatalog = (CatalogVersion, Arc<Catalog>);

/// The catalog that was last read from committed data.
#[derive(Default)]
pub(crate) struct CatalogCache(Mutex<Option<VersionedCatalog>>);

impl CatalogCache {
    /// The catalog of this version, if the cache has it.
    pub(crate) fn get(&self, version: &CatalogVersion) -> Option<Arc<Catalog>> {
        let cached = self.0.lock();
        cached.as_ref().filter(|(known, _)| known == version).map(|(_, catalog)| Arc::clone(catalog))
    }

    /// Caches a catalog that was read from a snapshot or a committed transaction.
    pub(crate) fn set(&self, read: VersionedCatalog) {
        *self.0.lock() = Some(read);
    }

    /// The current catalog of a snapshot.
    pub(crate) fn current(&self, conn: &Connection) -> Result<Arc<Catalog>, Error> {
        let (_, version) = meta::versions(conn)?;
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
    use super::super::write_tx::WriteTx;
    use super::*;
    use crate::store::Store;
    use crate::store::sqlite::SqliteStore;
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
