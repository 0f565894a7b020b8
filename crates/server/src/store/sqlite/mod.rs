//! The store in one SQLite file. Refuses to decide anything: what an operation does and when something is unread is
//! asked of the domain.

mod accounts;
mod bring_in;
mod catalog;
mod counting;
mod groups;
mod marking;
mod ops;
mod posting;
mod reading;
mod receipts;
mod row;
mod sequences;
mod store;
mod subscriptions;
mod upkeep;
mod work;

use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;
use tidings_model::Clock;
use tidings_sqlite::{Database, Durability, Migration, Options};
use tokio::sync::Semaphore;

use crate::error::Error;
use catalog::CatalogCache;
use work::Work;

const MIGRATIONS: &[Migration] = &[
    Migration { version: 1, name: "accounts", sql: include_str!("../../../migrations/0001_accounts.sql") },
    Migration {
        version: 2,
        name: "notifications",
        sql: include_str!("../../../migrations/0002_notifications.sql"),
    },
    Migration { version: 3, name: "inbox", sql: include_str!("../../../migrations/0003_inbox.sql") },
    Migration {
        version: 4,
        name: "subscriptions",
        sql: include_str!("../../../migrations/0004_subscriptions.sql"),
    },
    Migration { version: 5, name: "groups", sql: include_str!("../../../migrations/0005_groups.sql") },
];

/// Reads that run at the same time; more wait their turn.
const READERS: usize = 8;

/// The server's data in a SQLite file.
#[derive(Clone)]
pub struct SqliteStore {
    db: Database,
    clock: Arc<dyn Clock>,
    catalog: Arc<CatalogCache>,
    readers: Arc<Semaphore>,
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteStore").field("path", &self.db.path()).finish_non_exhaustive()
    }
}

impl SqliteStore {
    /// Opens the file, creating it where it is missing, with the shipped catalog and an epoch of its own.
    pub fn open(path: &Path, clock: Arc<dyn Clock>) -> Result<Self, Error> {
        let options = Options { durability: Durability::Full, readers: READERS, migrations: MIGRATIONS };
        let db = Database::open(path, &options)?;
        let now = clock.now();
        db.write_blocking(move |tx| upkeep::begin(tx, now))?;
        Ok(Self { db, clock, catalog: Arc::default(), readers: Arc::new(Semaphore::new(READERS)) })
    }

    /// Runs a change on the writer thread, in one transaction that hands out stamps.
    async fn change<T, F>(&self, job: F) -> Result<T, Error>
    where
        F: FnOnce(&mut Work<'_>) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        let clock = Arc::clone(&self.clock);
        let catalog = Arc::clone(&self.catalog);
        self.db
            .write(move |tx| {
                let mut work = Work::begin(tx, clock.now(), &catalog)?;
                let done = job(&mut work)?;
                work.end()?;
                Ok(done)
            })
            .await
    }

    /// Runs a read in one snapshot, off the threads that serve connections.
    async fn look<T, F>(&self, job: F) -> Result<T, Error>
    where
        F: FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        let turn = Arc::clone(&self.readers).acquire_owned().await;
        let db = self.db.clone();
        let read = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            db.read(job)
        });
        match read.await {
            Ok(result) => result,
            Err(_) => Err(tidings_sqlite::Error::Panicked.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;
    use crate::store::conformance::StandingClock;

    /// A store in a folder of its own.
    fn make(clock: Arc<StandingClock>) -> std::future::Ready<(Arc<dyn Store>, tempfile::TempDir)> {
        let dir = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&dir.path().join("server.db"), clock).unwrap();
        std::future::ready((Arc::new(store), dir))
    }

    crate::store_conformance!(make);
}
