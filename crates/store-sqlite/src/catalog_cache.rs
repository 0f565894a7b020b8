//! A cache of the catalog, filled only from snapshots and committed transactions, so that it never has a catalog that
//! is rolled back.

use std::sync::Arc;

use parking_lot::Mutex;
use tidings_model::Catalog;

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
}
