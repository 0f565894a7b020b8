//! The handle of an open database: one writer thread, a pool of readers, backup and integrity check.

mod blocking;
mod copies;
mod upkeep;
mod writes;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;
use std::thread::{self, JoinHandle};

use parking_lot::Mutex;
use rusqlite::Connection;

use crate::files::{self, Lock};
use crate::log::Marking;
use crate::open::Sharing;
use crate::writer::{self, Commits, Queue, Work};
use crate::{Bounds, Error, Migration, Options, open, replace};

/// An open database. Clones share the writer and the readers; dropping the last clone closes the file.
#[derive(Clone)]
pub struct Database {
    inner: Arc<Inner>,
}

struct Inner {
    path: PathBuf,
    jobs: Option<Queue>,
    thread: Option<JoinHandle<()>>,
    readers: Readers,
    /// The most idle readers that are kept open for reuse.
    max_readers: usize,
    bounds: Bounds,
    /// How readers open the file.
    access: Access,
    /// Whether the write-ahead log is being copied beside the writes.
    is_log_copied: AtomicBool,
    /// The shared file lock; declared last, so that it is released after the last connection is closed.
    lock: Option<Lock>,
}

/// How a database is open.
#[derive(Debug, Clone, Copy)]
enum Access {
    /// For writing, shared with other processes or not.
    Writing(Sharing),
    /// For reading only: each reader checks the file's version against the migrations.
    ReadOnly(&'static [Migration]),
}

/// The pool of idle connections for reading.
type Readers = Arc<Mutex<Vec<Connection>>>;

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").field("path", &self.inner.path).finish_non_exhaustive()
    }
}

impl Database {
    /// Opens the file, creates it if it is missing, and applies the migrations that it lacks.
    ///
    /// # Errors
    /// [`Error::Newer`] for a file of a later version and [`Error::NotAFile`] for a path that is not a regular file;
    /// both stay untouched. [`Error::InUse`] while another process replaces the file. [`Error::Damaged`] if the log of
    /// another database is beside it, or if its own one is missing and the rest does not fit together.
    pub fn open(path: &Path, options: &Options) -> Result<Self, Error> {
        Self::open_within(path, options, Bounds::default())
    }

    /// Like [`Database::open`], with other bounds: for tests.
    ///
    /// # Errors
    /// Those of [`Database::open`].
    pub fn open_within(path: &Path, options: &Options, bounds: Bounds) -> Result<Self, Error> {
        files::refuse_special(path)?;
        open::look_at(path, options)?;
        let lock = Lock::shared(path)?;
        if lock.is_some() {
            replace::clean_up(path);
        }
        let (mut conn, sharing) = open::writer(path, options, &bounds)?;
        if let Some(lock) = &lock {
            replace::remove_rollback_journal(path);
            lock.note(true);
        }
        let commits = Commits { usual: options.durability, marking: Marking::of(&mut conn, path), bounds };
        let readers = Readers::default();
        let idle_readers = Arc::clone(&readers);
        let (jobs, thread) = writer::start(conn, commits, move || release_memory(&idle_readers))?;
        let access = Access::Writing(sharing);
        let readers_of = (options.readers, bounds);
        Ok(Self::new(path, Some(jobs), Some(thread), readers_of, access, readers, lock))
    }

    /// Opens an existing file in a folder that is not writable. Writes return [`Error::ReadOnly`].
    ///
    /// ```
    /// # use tidings_sqlite::*;
    /// # let options = Options { durability: Durability::Normal, readers: 1, migrations: &[] };
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = Database::open(&dir.path().join("notes.db"), &options)?;
    /// drop(db);
    /// let db = Database::open_read_only(&dir.path().join("notes.db"), &options)?;
    /// assert!(db.is_read_only());
    /// # Ok::<_, tidings_sqlite::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Newer`] and [`Error::NotAFile`], like [`Database::open`].
    pub fn open_read_only(path: &Path, options: &Options) -> Result<Self, Error> {
        let conn = open::immutable(path, options.migrations)?;
        let access = Access::ReadOnly(options.migrations);
        let readers_of = (options.readers, Bounds::default());
        let this = Self::new(path, None, None, readers_of, access, Readers::default(), None);
        this.return_reader(conn);
        Ok(this)
    }

    fn new(
        path: &Path,
        jobs: Option<Queue>,
        thread: Option<JoinHandle<()>>,
        (max_readers, bounds): (usize, Bounds),
        access: Access,
        readers: Readers,
        lock: Option<Lock>,
    ) -> Self {
        let path = path.to_owned();
        let max_readers = max_readers.max(1);
        Self {
            inner: Arc::new(Inner {
                path,
                jobs,
                thread,
                readers,
                max_readers,
                bounds,
                access,
                is_log_copied: AtomicBool::new(false),
                lock,
            }),
        }
    }

    /// The path of the database file.
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// Whether the file was opened with [`Database::open_read_only`].
    pub fn is_read_only(&self) -> bool {
        matches!(self.inner.access, Access::ReadOnly(_))
    }

    /// Runs a job on a reader's connection, in one snapshot: commits made meanwhile are not visible to it.
    ///
    /// ```
    /// # use tidings_sqlite::*;
    /// # let options = Options { durability: Durability::Normal, readers: 1, migrations: &[] };
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = Database::open(&dir.path().join("notes.db"), &options)?;
    /// let one: i64 = db.read(|conn| Ok::<_, Error>(conn.query_row("SELECT 1", [], |row| row.get(0))?))?;
    /// assert_eq!(one, 1);
    /// # Ok::<_, tidings_sqlite::Error>(())
    /// ```
    ///
    /// # Errors
    /// The job's own error, or the error of opening a connection.
    pub fn read<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnOnce(&Connection) -> Result<T, E>,
        E: From<Error>,
    {
        let conn = self.take_reader()?;
        let result = {
            let tx = conn.unchecked_transaction().map_err(Error::from)?;
            work(&tx)
        };
        self.return_reader(conn);
        result
    }

    /// Runs work on the writer's connection while no transaction is open, and waits for it.
    fn outside_transaction(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<(), Error> + Send + 'static,
    ) -> Result<(), Error> {
        let (sender, answer) = channel();
        self.send(Work::OutsideTransaction(Box::new(move |conn| drop(sender.send(work(conn))))))?;
        answer.recv().unwrap_or(Err(Error::Closed))
    }

    fn send(&self, work: Work) -> Result<(), Error> {
        self.inner.jobs.as_ref().ok_or(Error::ReadOnly)?.send(work)
    }

    fn take_reader(&self) -> Result<Connection, Error> {
        let reader = self.inner.readers.lock().pop();
        reader.map_or_else(|| self.open_reader(), Ok)
    }

    fn open_reader(&self) -> Result<Connection, Error> {
        match self.inner.access {
            Access::ReadOnly(migrations) => open::immutable(&self.inner.path, migrations),
            Access::Writing(sharing) => open::reader(&self.inner.path, sharing, &self.inner.bounds),
        }
    }

    fn return_reader(&self, conn: Connection) {
        let mut readers = self.inner.readers.lock();
        if readers.len() < self.inner.max_readers {
            readers.push(conn);
        }
    }
}

/// Empties the page caches of idle readers; their prepared statements are kept.
fn release_memory(readers: &Readers) {
    for conn in readers.lock().iter() {
        if let Err(e) = conn.release_memory() {
            tracing::debug!(error = %e, "could not give memory back");
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.readers.lock().clear();
        drop(self.jobs.take());
        // A job on the writer thread may drop the last handle, and a thread can't join itself.
        if let Some(thread) = self.thread.take().filter(|t| t.thread().id() != thread::current().id()) {
            drop(thread.join());
        }
        // The last one to close the file has removed its log.
        if let Some(lock) = &self.lock
            && !files::is_present(&files::with_suffix(&self.path, "-wal"))
        {
            lock.note(false);
        }
    }
}
