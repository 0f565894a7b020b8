//! [`Replica`], the handle on the local inbox: what can be asked of it and done to it. How it is done stands in the other
//! folders.

mod marks;
mod notify;
mod pull;
mod read;
mod sources;
mod upkeep;

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use tidings_model::Clock;
use tidings_sqlite::{Database, Durability, Migration, Options};
use tokio::sync::broadcast;

use crate::aggregates::{Aggregates, inbox_counts};
use crate::marks::jobs::PORTION;
use crate::{Changed, Counts, Result};

/// The file in the data folder.
pub const FILE: &str = "replica.db";

/// What each version of the file added to the one before, the first first.
pub const MIGRATIONS: &[Migration] =
    &[Migration { version: 1, name: "replica", sql: include_str!("../../migrations/0001_replica.sql") }];

const OPTIONS: Options = Options { durability: Durability::Normal, readers: 2, migrations: MIGRATIONS };

/// Changes that a subscriber may fall behind.
const BEHIND: usize = 256;

/// The local inbox. Cheap to clone; every method blocks for as long as the database takes (writes wait for a commit),
/// so asynchronous callers go through `spawn_blocking`.
#[derive(Clone)]
pub struct Replica {
    database: Database,
    /// The data folder.
    pub(crate) folder: Arc<Path>,
    /// Rows that one transaction of a large mark writes.
    pub(crate) portion: usize,
    pub(crate) clock: Arc<dyn Clock>,
    subscribers: broadcast::Sender<Arc<Changed>>,
    /// How many changes were sent to subscribers.
    changes: Arc<AtomicU64>,
    /// The counts sent last; locked while a change is written, so that changes are sent in that order.
    last_counts: Arc<Mutex<Counts>>,
}

impl std::fmt::Debug for Replica {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Replica").field("database", &self.database).finish_non_exhaustive()
    }
}

impl Replica {
    /// Opens or creates `replica.db` in the folder, wakes what is due, and finishes what was interrupted in the background.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tidings_model::SystemClock;
    /// use tidings_replica::Replica;
    ///
    /// # let folder = tempfile::tempdir()?;
    /// let replica = Replica::open(folder.path(), Arc::new(SystemClock))?;
    /// assert_eq!(replica.counts()?.total, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::is_newer`](crate::Error::is_newer) where a later version of the program wrote the file, which is left as it
    /// is; [`Error::is_corrupt`](crate::Error::is_corrupt), [`Error::is_read_only`](crate::Error::is_read_only).
    pub fn open(data_dir: &Path, clock: Arc<dyn Clock>) -> Result<Self> {
        let replica = Self::with(data_dir, Database::open(&data_dir.join(FILE), &OPTIONS)?, clock)?;
        let now = replica.clock.now();
        // On a full disk everything can still be read; what is due wakes later.
        if replica.next_wake()?.is_some_and(|due| due <= now)
            && let Err(error) = replica.wake(now)
        {
            tracing::warn!(%error, "what is due could not be woken");
        }
        replica.finish_in_background()?;
        Ok(replica)
    }

    /// Finishes what was interrupted, on a thread of its own; what is left goes on at the next start.
    fn finish_in_background(&self) -> Result<()> {
        if !self.is_anything_unfinished()? {
            return Ok(());
        }
        let replica = self.clone();
        let finish = move || {
            if let Err(error) = replica.finish() {
                tracing::warn!(%error, "what was interrupted could not be finished");
            }
        };
        if let Err(error) = std::thread::Builder::new().name("unfinished".into()).spawn(finish) {
            tracing::warn!(%error, "what was interrupted could not be finished");
        }
        Ok(())
    }

    /// Opens a `replica.db` that cannot be written: everything can be read, and every change is an error.
    pub fn open_read_only(data_dir: &Path, clock: Arc<dyn Clock>) -> Result<Self> {
        Self::with(data_dir, Database::open_read_only(&data_dir.join(FILE), &OPTIONS)?, clock)
    }

    fn with(folder: &Path, database: Database, clock: Arc<dyn Clock>) -> Result<Self> {
        let counts = database.read(inbox_counts::read)?;
        Ok(Self {
            database,
            folder: folder.into(),
            portion: PORTION,
            clock,
            subscribers: broadcast::Sender::new(BEHIND),
            changes: Arc::new(AtomicU64::new(0)),
            last_counts: Arc::new(Mutex::new(counts)),
        })
    }

    /// The same inbox, in which a mark on more than so many rows is done in portions of these (500 by default): for tests
    /// of large marks on few items.
    #[must_use]
    pub fn with_portions_of(self, rows: usize) -> Self {
        Self { portion: rows.max(1), ..self }
    }

    /// Receives every change from now on. Whoever falls more than 256 changes behind gets `Lagged` and asks for everything
    /// anew.
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

    /// How many changes were sent to subscribers since this was opened. What is read after asking includes at least these; a change
    /// is among them once the call that made it has returned.
    pub fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// Runs a job in one transaction, and sends what changed to subscribers.
    pub(crate) fn write<T, F>(&self, job: F) -> Result<(T, Arc<Changed>)>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t Connection, &mut Aggregates<'t>) -> Result<T> + Send + 'static,
    {
        self.commit(move |tx| {
            let mut aggregates = Aggregates::new(tx);
            let done = job(tx, &mut aggregates)?;
            Ok((done, Arc::new(aggregates.finish(&|_| None)?)))
        })
    }

    /// Runs a query.
    pub(crate) fn read<T>(&self, query: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.database.read(query)
    }

    fn commit<T, F>(&self, job: F) -> Result<(T, Arc<Changed>)>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<(T, Arc<Changed>)> + Send + 'static,
    {
        let mut last = self.last_counts.lock().unwrap_or_else(PoisonError::into_inner);
        let (done, changed) = self.database.write_blocking(move |tx| job(tx))?;
        if !changed.is_empty() || changed.counts != *last {
            last.clone_from(&changed.counts);
            self.changes.fetch_add(1, Ordering::Release);
            // That nobody is subscribed is no error.
            drop(self.subscribers.send(changed.clone()));
        }
        Ok((done, changed))
    }
}
