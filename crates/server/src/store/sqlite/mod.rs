//! The store in one SQLite file. What an operation does and when an item is unread is decided in [`crate::domain`].

mod catalog_cache;
mod fan_in;
mod groups;
mod inbox;
mod portions;
mod publishing;
mod read_state;
mod store;
mod tables;
#[cfg(test)]
mod tests;
mod upkeep;
mod write_tx;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use catalog_cache::{CatalogCache, VersionedCatalog};
use portions::{Monotonic, Stopwatch, UserLocks};
use rusqlite::{Connection, Transaction};
use tidings_model::Clock;
use tidings_sqlite::{Database, Durability, Migration, Options};
use tokio::sync::Semaphore;
use write_tx::WriteTx;

use crate::domain::account::UserKey;
use crate::error::Error;
use crate::store::{Store, StoredResponse};
use crate::worker_pool::WorkerPool;

const MIGRATIONS: &[Migration] =
    &[Migration { version: 1, name: "server", sql: include_str!("../../../migrations/0001_server.sql") }];

pub(crate) use upkeep::restore::ready;

/// Reads of each sort that run at the same time; more wait their turn.
const READ_CONCURRENCY: usize = 8;

const OPTIONS: Options =
    Options { durability: Durability::Full, readers: READ_CONCURRENCY, migrations: MIGRATIONS };

/// The server's data in a SQLite file.
#[derive(Clone)]
pub struct SqliteStore {
    db: Database,
    clock: Arc<dyn Clock>,
    catalog: Arc<CatalogCache>,
    readers: Arc<Semaphore>,
    /// Reads whose work is in proportion to somebody's data.
    long_reads: Arc<WorkerPool>,
    user_locks: Arc<UserLocks>,
    /// Units of work in a portion of a long change.
    units: usize,
    /// Measures how long a portion runs.
    watch: Arc<dyn Stopwatch>,
    /// Whether it was said that the disk is full.
    full: Arc<AtomicBool>,
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteStore").field("path", &self.db.path()).finish_non_exhaustive()
    }
}

impl SqliteStore {
    /// Opens the file, creating it where it is missing, with the shipped catalog and an epoch of its own.
    pub fn open(path: &Path, clock: Arc<dyn Clock>) -> Result<Self, Error> {
        let db = Database::open(path, &OPTIONS)?;
        db.write_blocking(tables::meta::init)?;
        Ok(Self {
            db,
            clock,
            catalog: Arc::default(),
            readers: Arc::new(Semaphore::new(READ_CONCURRENCY)),
            long_reads: Arc::new(WorkerPool::new("reader of pages", READ_CONCURRENCY)),
            user_locks: Arc::default(),
            units: portions::UNITS,
            watch: Arc::new(Monotonic::default()),
            full: Arc::default(),
        })
    }

    /// The same with portions so small that little takes several.
    #[cfg(test)]
    pub(crate) fn with_small_portions(mut self) -> Self {
        self.units = 0;
        self
    }

    /// Runs a change on the writer thread, in one transaction that hands out stamps.
    async fn write<T, F>(&self, job: F) -> Result<T, Error>
    where
        F: FnOnce(&mut WriteTx<'_>) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        let job = self.in_transaction(job);
        Ok(self.kept(self.db.write(job).await?))
    }

    /// A change as the writer runs it: what it answers, and the catalog that it read.
    fn in_transaction<T, F>(
        &self,
        job: F,
    ) -> impl FnOnce(&Transaction<'_>) -> Result<(T, Option<VersionedCatalog>), Error> + Send + use<T, F>
    where
        F: FnOnce(&mut WriteTx<'_>) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        let clock = Arc::clone(&self.clock);
        let cache = Arc::clone(&self.catalog);
        move |tx| {
            let mut ctx = WriteTx::begin(tx, clock.now(), &cache)?;
            let done = job(&mut ctx)?;
            Ok((done, ctx.end()?))
        }
    }

    /// What a committed change answered; others may have the catalog that it read.
    fn kept<T>(&self, (done, catalog): (T, Option<VersionedCatalog>)) -> T {
        if let Some(read) = catalog {
            self.catalog.keep(read);
        }
        done
    }

    /// Lets a read go on where what it would have written found no room: what is there is shown. Said once, until there
    /// is room again.
    fn ok_if_disk_full<T>(&self, written: Result<T, Error>, instead: T) -> Result<T, Error> {
        match written {
            Err(Error::Full) => {
                if !self.full.swap(true, Ordering::Relaxed) {
                    tracing::error!("the disk is full: nothing new is stored, what is there can be read");
                }
                Ok(instead)
            }
            written => {
                if written.is_ok() && self.full.swap(false, Ordering::Relaxed) {
                    tracing::info!("there is room on the disk again");
                }
                written
            }
        }
    }

    /// The first answer to a request that was made before, where it is named so.
    async fn stored_response_of(
        &self,
        named: Option<(String, String)>,
    ) -> Result<Option<StoredResponse>, Error> {
        match named {
            Some((token, key)) => self.stored_response(&token, &key).await,
            None => Ok(None),
        }
    }

    /// The same for a change of some milliseconds or more: it has its commit to itself, and shorter changes go first.
    async fn write_long<T, F>(&self, job: F) -> Result<T, Error>
    where
        F: FnOnce(&mut WriteTx<'_>) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        let job = self.in_transaction(job);
        Ok(self.kept(self.db.write_long(job).await?))
    }

    /// Runs a short read in one snapshot, off the threads that serve connections.
    async fn read<T, F>(&self, job: F) -> Result<T, Error>
    where
        F: FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        let turn = Arc::clone(&self.readers).acquire_owned().await;
        let db = self.db.clone();
        let read = tokio::task::spawn_blocking(move || {
            let _lock = turn;
            db.read(job)
        });
        match read.await {
            Ok(result) => result,
            Err(_) => Err(tidings_sqlite::Error::Panicked.into()),
        }
    }

    /// Runs a read whose work is in proportion to a user's data, in one snapshot, on a thread of lower priority. Each
    /// user's reads wait in a line of their own.
    async fn read_long<T, F>(&self, user: UserKey, job: F) -> Result<T, Error>
    where
        F: FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        let db = self.db.clone();
        let read = self.long_reads.run(user, move || db.read(job)).await;
        read.unwrap_or_else(|_| Err(tidings_sqlite::Error::Panicked.into()))
    }
}
