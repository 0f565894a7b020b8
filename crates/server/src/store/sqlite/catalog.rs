//! The catalog as it is stored, and as it is kept in memory. Refuses a copy that is older than the stored one.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, params};
use tidings_model::{Catalog, Class, Kind};

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

/// Replaces the catalog. Where the class of an action changed, its items follow: an item of auto class is read by its
/// view's mark, one of manual class by its own.
pub(super) fn replace(work: &mut Work<'_>, catalog: &Catalog) -> Result<(), Error> {
    let before = work.catalog()?;
    let mut names: Vec<&String> = before.actions.keys().chain(catalog.actions.keys()).collect();
    names.sort();
    names.dedup();
    for action in names {
        let class = catalog.class(Kind::Reminder, Some(action));
        if class != before.class(Kind::Reminder, Some(action)) {
            reclass(work, action, class)?;
        }
    }
    work.tx.execute(
        "UPDATE head SET catalog = ?1, catalog_version = catalog_version + 1 WHERE one = 1",
        [serde_json::to_string(catalog)?],
    )?;
    Ok(())
}

fn reclass(work: &Work<'_>, action: &str, class: Class) -> Result<(), Error> {
    work.tx.execute(
        "UPDATE items SET auto = ?2 WHERE kind = 2 AND created_at IN (
             SELECT created_at FROM notifications WHERE kind = 2 AND action = ?1)",
        params![action, class == Class::Auto],
    )?;
    work.tx.execute(
        "UPDATE items SET unread = CASE
             WHEN own = 1 OR deleted = 1 OR read_at IS NOT NULL THEN 0
             WHEN auto = 1 AND created_at <= coalesce((SELECT v.mark FROM views v WHERE v.user = items.user
                 AND v.kind = items.kind AND v.view = items.view), -1) THEN 0
             WHEN archived_at IS NOT NULL THEN 2
             ELSE 1 END
         WHERE kind = 2 AND created_at IN (SELECT created_at FROM notifications WHERE kind = 2 AND action = ?1)",
        [action],
    )?;
    Ok(())
}
