//! A cache of the catalog. It is filled only by reads of committed rows.

use std::sync::Arc;

use parking_lot::Mutex;
use tidings_model::Catalog;
use tidings_store::Error;

use super::session::{Columns, Session};

/// A catalog with the epoch and the version that distinguish it from others. A version alone does not: after a restore
/// it may be that of another catalog.
struct Cached {
    epoch: String,
    version: i64,
    catalog: Arc<Catalog>,
}

/// The catalog that was read last.
#[derive(Default)]
pub(super) struct CatalogCache(Mutex<Option<Cached>>);

/// `$1` the epoch and `$2` the version that are known.
const CURRENT: &str = "SELECT epoch, catalog_version,
    CASE WHEN epoch = $1 AND catalog_version = $2 THEN NULL ELSE catalog END FROM meta";

impl CatalogCache {
    /// The current catalog, parsed only if it is another one than before.
    pub(super) async fn current(&self, session: &Session) -> Result<Arc<Catalog>, Error> {
        let (epoch, version) = {
            let cached = self.0.lock();
            cached.as_ref().map_or_else(|| (String::new(), 0), |c| (c.epoch.clone(), c.version))
        };
        let row = session.query_one(CURRENT, &[&epoch, &version]).await?;
        let known = || {
            let cached = self.0.lock();
            cached
                .as_ref()
                .filter(|c| c.epoch == epoch && c.version == version)
                .map(|c| Arc::clone(&c.catalog))
        };
        if let Some(text) = row.at::<Option<&str>>(2)? {
            let catalog: Arc<Catalog> = Arc::new(serde_json::from_str(text)?);
            let cached = Cached { epoch: row.at(0)?, version: row.at(1)?, catalog: Arc::clone(&catalog) };
            *self.0.lock() = Some(cached);
            return Ok(catalog);
        }
        if let Some(catalog) = known() {
            return Ok(catalog);
        }
        // Another read has replaced it meanwhile.
        let row = session.query_one("SELECT catalog FROM meta", &[]).await?;
        Ok(Arc::new(serde_json::from_str(row.at(0)?)?))
    }
}
