//! [`Replica`], the handle on the local inbox: its file, its transactions, and the subscribers of its changes. The
//! folders above have its queries and changes.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use parking_lot::{Mutex, MutexGuard};
use rusqlite::Connection;
use tidings_model::Clock;
use tidings_replica_tables::aggregates::{Aggregates, KEEP_ON, inbox_counts};
use tidings_sqlite::{Database, Durability, Options};
use tokio::sync::broadcast;

use crate::{Bounds, Changed, Counts, MIGRATIONS, Result};

/// The name of the replica's file in the data folder.
pub const FILE: &str = "replica.db";

pub(crate) const OPTIONS: Options =
    Options { durability: Durability::Normal, readers: 2, migrations: MIGRATIONS };

/// The most changes that a subscriber may be behind.
const MAX_CHANGES_BEHIND: usize = 256;

/// The local inbox. Cheap to clone. Every method blocks for as long as the database takes (writes wait for a commit),
/// so asynchronous callers use `spawn_blocking`.
#[derive(Clone)]
pub struct Replica {
    pub(crate) database: Database,
    /// The data folder.
    pub(crate) folder: Arc<Path>,
    /// How many rows one transaction of long work takes.
    pub(crate) bounds: Bounds,
    pub(crate) clock: Arc<dyn Clock>,
    subscribers: broadcast::Sender<Arc<Changed>>,
    /// The number of changes that were sent to subscribers.
    changes: Arc<AtomicU64>,
    /// The counts that were sent last. Locked while a change is written, so that changes are sent in the order of
    /// their commits.
    last_counts: Arc<Mutex<Counts>>,
    /// The number of short writes that wait for that lock: a large page is rolled back for them.
    pub(crate) waiting: Arc<AtomicUsize>,
}

impl std::fmt::Debug for Replica {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Replica").field("database", &self.database).finish_non_exhaustive()
    }
}

impl Replica {
    /// The data folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Wraps an open file.
    pub(crate) fn with(folder: &Path, database: Database, clock: Arc<dyn Clock>) -> Result<Self> {
        let counts = database.read(inbox_counts::read)?;
        Ok(Self {
            database,
            folder: folder.into(),
            bounds: Bounds::default(),
            clock,
            subscribers: broadcast::Sender::new(MAX_CHANGES_BEHIND),
            changes: Arc::new(AtomicU64::new(0)),
            last_counts: Arc::new(Mutex::new(counts)),
            waiting: Arc::new(AtomicUsize::new(0)),
        })
    }

    /// The same replica with other bounds: for tests of long work with few items.
    #[must_use]
    pub fn with_bounds(self, bounds: Bounds) -> Self {
        Self { bounds, ..self }
    }

    /// Receives every change from now on. A receiver that falls more than 256 changes behind gets `Lagged` and must
    /// query everything again.
    ///
    /// ```no_run
    /// # use tidings_replica::Replica;
    /// # async fn follow(replica: &Replica) {
    /// let mut changes = replica.subscribe();
    /// while let Ok(changed) = changes.recv().await {
    ///     println!("{} unread, {} threads changed", changed.counts.total, changed.threads.len());
    /// }
    /// # }
    /// ```
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<Changed>> {
        self.subscribers.subscribe()
    }

    /// The number of changes that were sent to subscribers since this replica was opened. A query made afterwards
    /// sees at least these changes; a change is counted once the call that made it has returned.
    pub fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// Runs a job in one transaction, and sends its changes to subscribers.
    pub(crate) fn write<T, F>(&self, job: F) -> Result<(T, Arc<Changed>)>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t Connection, &mut Aggregates<'t>) -> Result<T> + Send + 'static,
    {
        self.commit(counting(job))
    }

    /// Like [`Replica::write`], for what the reader wrote and no source has: it survives a loss of power.
    pub(crate) fn write_durable<T, F>(&self, job: F) -> Result<(T, Arc<Changed>)>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t Connection, &mut Aggregates<'t>) -> Result<T> + Send + 'static,
    {
        self.commit_locked(self.wait_for_counts(), Durability::Full, counting(job))
    }

    /// Runs a query.
    pub(crate) fn read<T>(&self, query: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.database.read(query)
    }

    /// Runs a job in one transaction that has made its list of changes itself, and sends them to subscribers.
    pub(crate) fn commit<T, F>(&self, job: F) -> Result<(T, Arc<Changed>)>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<(T, Arc<Changed>)> + Send + 'static,
    {
        self.commit_locked(self.wait_for_counts(), Durability::Normal, job)
    }

    /// Waits for the lock of a short write.
    fn wait_for_counts(&self) -> MutexGuard<'_, Counts> {
        self.waiting.fetch_add(1, Ordering::AcqRel);
        let last = self.last_counts.lock();
        self.waiting.fetch_sub(1, Ordering::AcqRel);
        last
    }

    /// Like [`Replica::commit`], for a job that gives way to short writes; nothing gives way to it.
    pub(crate) fn commit_backlog<T, F>(&self, job: F) -> Result<(T, Arc<Changed>)>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<(T, Arc<Changed>)> + Send + 'static,
    {
        self.commit_locked(self.last_counts.lock(), Durability::Normal, job)
    }

    fn commit_locked<T, F>(
        &self,
        mut last: MutexGuard<'_, Counts>,
        durability: Durability,
        job: F,
    ) -> Result<(T, Arc<Changed>)>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<(T, Arc<Changed>)> + Send + 'static,
    {
        let written = match durability {
            Durability::Full => self.database.write_durable_blocking(move |tx| job(tx)),
            Durability::Normal => self.database.write_blocking(move |tx| job(tx)),
        };
        if let Ok((_, changed)) = &written
            && (!changed.is_empty() || changed.counts != *last)
        {
            last.clone_from(&changed.counts);
            self.changes.fetch_add(1, Ordering::Release);
            // Sending fails only if nobody is subscribed, which is no error.
            drop(self.subscribers.send(Arc::clone(changed)));
        }
        // The next part of a backlog does not overtake who waits.
        MutexGuard::unlock_fair(last);
        written
    }
}

/// A job with its list of changes.
fn counting<T, F>(job: F) -> impl FnOnce(&Connection) -> Result<(T, Arc<Changed>)> + Send + 'static
where
    T: Send + 'static,
    F: for<'t> FnOnce(&'t Connection, &mut Aggregates<'t>) -> Result<T> + Send + 'static,
{
    move |tx: &Connection| {
        let mut aggregates = Aggregates::new(tx, KEEP_ON);
        let done = job(tx, &mut aggregates)?;
        Ok((done, Arc::new(aggregates.finish()?)))
    }
}
