//! The store in one SQLite file. The rules of operations and of unread items are in [`tidings_store::domain`].

mod accounts;
mod bulk;
mod catalog_cache;
mod fan_in;
mod gotify;
mod groups;
mod in_time;
mod inbox;
mod migrations;
mod portions;
mod publishing;
mod read_state;
mod readiness;
mod revocation;
mod sql;
mod tables;
#[cfg(test)]
mod tests;
mod topics;
mod transaction;
mod upkeep;
mod write_tx;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use catalog_cache::CatalogCache;
use in_time::{Decision, in_time};
use migrations::MIGRATIONS;
use parking_lot::Mutex;
use portions::{Monotonic, Stopwatch};
use publishing::Sharing;
use rusqlite::{Connection, Transaction};
use tidings_model::Clock;
use tidings_sqlite::{Database, Durability, Options};
use tidings_store::domain::account::UserKey;
use tidings_store::request_time::StoreWait;
use tidings_store::room::Room;
use tidings_store::traces::Posting;
use tidings_store::user_locks::UserLocks;
use tidings_store::worker_pool::{RunError, WorkerPool};
use tidings_store::{Bounds, Error, Post, Store, StoredResponse, TokenStore};
use tokio::sync::Semaphore;
use tokio::time::Instant;
use transaction::Committed;
use write_tx::WriteTx;

/// The queue key of reads that are not about one user's data.
const SHARED_QUEUE: UserKey = UserKey(0);

pub use upkeep::mend::mend_file;
pub use upkeep::restore::{MendStamps, prepare_copy};

/// Short reads that run at the same time, and likewise long reads; more wait in a queue.
const READ_CONCURRENCY: usize = 8;

const OPTIONS: Options =
    Options { durability: Durability::Full, readers: READ_CONCURRENCY, migrations: MIGRATIONS };

/// The server's data in a SQLite file.
#[derive(Clone)]
pub struct SqliteStore {
    db: Database,
    clock: Arc<dyn Clock>,
    catalog_cache: Arc<CatalogCache>,
    /// The newest stamp that a write of this process has assigned or seen, microseconds.
    newest_stamp: Arc<AtomicI64>,
    read_permits: Arc<Semaphore>,
    /// Threads for reads whose work grows with a user's data.
    long_read_pool: Arc<WorkerPool>,
    user_locks: Arc<UserLocks>,
    /// How much one search, page or portion takes.
    bounds: Bounds,
    /// Measures the running time of a portion.
    stopwatch: Arc<dyn Stopwatch>,
    /// Whether the disk has room for what is written.
    room: Arc<Room>,
    /// Questions that readers ended because their time was over, and for which no hint was sent yet.
    ended: Arc<Mutex<Vec<Post>>>,
}

impl Store for SqliteStore {}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteStore").field("path", &self.db.path()).finish_non_exhaustive()
    }
}

impl SqliteStore {
    /// Opens the file. A missing one is created, with the shipped catalog and a new epoch.
    ///
    /// # Errors
    /// [`Error::Damaged`], and [`Error::Store`] if the file is of a newer version.
    pub fn open(path: &Path, clock: Arc<dyn Clock>) -> Result<Self, Error> {
        Self::with_file(Database::open(path, &OPTIONS)?, clock)
    }

    /// Like [`SqliteStore::open`], with other bounds of the file: for tests.
    ///
    /// # Errors
    /// Those of [`SqliteStore::open`].
    pub fn open_within(
        path: &Path,
        clock: Arc<dyn Clock>,
        of_file: tidings_sqlite::Bounds,
    ) -> Result<Self, Error> {
        Self::with_file(Database::open_within(path, &OPTIONS, of_file)?, clock)
    }

    fn with_file(db: Database, clock: Arc<dyn Clock>) -> Result<Self, Error> {
        db.write_blocking(tables::meta::init)?;
        let newest_stamp = db.read(tables::meta::get)?.last_stamp;
        Ok(Self {
            db,
            clock,
            catalog_cache: Arc::default(),
            newest_stamp: Arc::new(AtomicI64::new(newest_stamp.as_micros())),
            read_permits: Arc::new(Semaphore::new(READ_CONCURRENCY)),
            long_read_pool: Arc::new(WorkerPool::new("reader of pages", READ_CONCURRENCY)),
            user_locks: Arc::default(),
            bounds: Bounds::default(),
            stopwatch: Arc::new(Monotonic::default()),
            room: Arc::new(Room::on("the disk")),
            ended: Arc::default(),
        })
    }

    /// The same store with other bounds.
    #[must_use]
    pub fn with_bounds(self, bounds: Bounds) -> Self {
        Self { bounds, ..self }
    }

    /// Runs a write on the writer thread, in a transaction that assigns stamps.
    async fn write<T, F>(&self, job: F) -> Result<T, Error>
    where
        F: FnOnce(&mut WriteTx<'_>) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        let decision = Decision::default();
        let job = self.in_transaction(decision.clone(), job);
        Ok(self.committed(self.noted(decision.wait_for(self.db.write(job)).await)?))
    }

    /// Runs a write that posts so many drafts. A trace has its wait for the writer, and its transaction until the commit.
    async fn write_posts<T, F>(&self, drafts: usize, sharing: Sharing, job: F) -> Result<T, Error>
    where
        F: FnOnce(&mut WriteTx<'_>) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        let posting = Posting::waits();
        let job = move |w: &mut WriteTx<'_>| {
            let transaction = posting.begins(drafts, 1);
            Ok((job(w)?, transaction))
        };
        let stored = match sharing {
            Sharing::Alone => self.write_long(job).await,
            Sharing::Undone => self.write(job).await,
            Sharing::Sure => self.write_sure(job).await,
        };
        stored.map(|(done, _transaction)| done)
    }

    /// Wraps a write for the writer thread: it returns the write's result and what is kept in memory of it.
    fn in_transaction<T, F>(
        &self,
        decision: Decision,
        job: F,
    ) -> impl FnOnce(&Transaction<'_>) -> Result<(T, Committed), Error> + Send + use<T, F>
    where
        F: FnOnce(&mut WriteTx<'_>) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        let clock = Arc::clone(&self.clock);
        let cache = Arc::clone(&self.catalog_cache);
        move |tx| {
            decision.begin()?;
            let mut ctx = WriteTx::begin(tx, clock.now(), &cache)?;
            let done = job(&mut ctx)?;
            Ok((done, ctx.end()?))
        }
    }

    /// Keeps the newest stamp and the catalog of a committed write; gives the write's result.
    fn committed<T>(&self, (done, committed): (T, Committed)) -> T {
        self.newest_stamp.fetch_max(committed.newest_stamp.as_micros(), Ordering::AcqRel);
        if let Some(read) = committed.catalog {
            self.catalog_cache.set(read);
        }
        done
    }

    /// Notes from the outcome of a write whether there is room on the disk. A write without a stamp may have stored
    /// nothing.
    fn noted<T>(&self, written: Result<(T, Committed), Error>) -> Result<(T, Committed), Error> {
        match &written {
            Err(e) if e.is_of_disk() => self.room.note_lack(e),
            Ok((_, committed)) if committed.has_new_stamps => self.room.note_room(),
            _ => {}
        }
        written
    }

    /// The stored response of a request with this token and key.
    async fn stored_response_of(
        &self,
        named: Option<(String, String)>,
    ) -> Result<Option<StoredResponse>, Error> {
        match named {
            Some((token, key)) => self.stored_response(&token, &key).await,
            None => Ok(None),
        }
    }

    /// Like [`Self::write`], for a write of several milliseconds: it has a commit of its own, and short writes go
    /// first.
    async fn write_long<T, F>(&self, job: F) -> Result<T, Error>
    where
        F: FnOnce(&mut WriteTx<'_>) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        let decision = Decision::default();
        let job = self.in_transaction(decision.clone(), job);
        Ok(self.committed(self.noted(decision.wait_for(self.db.write_long(job)).await)?))
    }

    /// Like [`Self::write`], for a write that nothing refuses after its first change.
    async fn write_sure<T, F>(&self, job: F) -> Result<T, Error>
    where
        F: FnOnce(&mut WriteTx<'_>) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        let decision = Decision::default();
        let job = self.in_transaction(decision.clone(), job);
        Ok(self.committed(self.noted(decision.wait_for(self.db.write_sure(job)).await)?))
    }

    /// Runs a short read in one snapshot, on a blocking thread.
    async fn read<T, F>(&self, job: F) -> Result<T, Error>
    where
        F: FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        let _wait = StoreWait::begin();
        let permit = in_time(Arc::clone(&self.read_permits).acquire_owned()).await?;
        let db = self.db.clone();
        // The permit comes back with the result: the thread is idle by then, and the next read needs no other.
        let read = tokio::task::spawn_blocking(move || (db.read(job), permit));
        match read.await {
            Ok((result, _permit)) => result,
            Err(_) => Err(tidings_sqlite::Error::Panicked.into()),
        }
    }

    /// Runs a read whose work grows with a user's data, in one snapshot, on a thread of lower priority. Each user's
    /// reads wait in a queue of their own.
    async fn read_long<T, F>(&self, user: UserKey, job: F) -> Result<T, Error>
    where
        F: FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        let (db, wait) = (self.db.clone(), StoreWait::begin());
        let read = move || db.read(job);
        let done = match wait.end() {
            Some(end) => {
                let left = end.saturating_duration_since(Instant::now());
                self.long_read_pool.run_within(left, user, read).await
            }
            None => self.long_read_pool.run(user, read).await,
        };
        match done {
            Ok(done) => done,
            Err(RunError::Busy) => Err(in_time::late()),
            Err(RunError::Failed) => Err(tidings_sqlite::Error::Panicked.into()),
        }
    }
}
