//! The catalog as it is stored, and as it is kept in memory. Refuses a copy that is older than the stored one.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use tidings_model::Catalog;

use super::work::Work;
use crate::error::Error;

/// The last catalog that was read, with its version.
#[derive(Default)]
pub(super) struct CatalogCache(Mutex<Option<(i64, Arc<Catalog>)>>);

impl CatalogCache {
    /// The catalog of this version: from memory, or read again where another process changed it.
    pub(super) fn get(&self, conn: &Connection, version: i64) -> Result<Arc<Catalog>, Error> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, catalog)) = kept.as_ref()
            && *known == version
        {
            return Ok(Arc::clone(catalog));
        }
        let text: String =
            conn.prepare_cached("SELECT catalog FROM head WHERE one = 1")?.query_row([], |r| r.get(0))?;
        let catalog: Arc<Catalog> = Arc::new(serde_json::from_str(&text)?);
        *kept = Some((version, Arc::clone(&catalog)));
        Ok(catalog)
    }

    /// The catalog in force in this snapshot.
    pub(super) fn current(&self, conn: &Connection) -> Result<Arc<Catalog>, Error> {
        let version = conn
            .prepare_cached("SELECT catalog_version FROM head WHERE one = 1")?
            .query_row([], |r| r.get(0))?;
        self.get(conn, version)
    }
}

/// Replaces the catalog. What is in an inbox keeps the class that it came with.
pub(super) fn replace(work: &mut Work<'_>, catalog: &Catalog) -> Result<(), Error> {
    work.tx.execute(
        "UPDATE head SET catalog = ?1, catalog_version = catalog_version + 1 WHERE one = 1",
        [serde_json::to_string(catalog)?],
    )?;
    Ok(())
}
