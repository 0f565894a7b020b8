//! The handle that programs hold: one writer thread, a pool of readers, backup and check. Refuses SQL of its own about
//! anybody's tables.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use rusqlite::{Connection, Transaction, backup};
use tokio::sync::oneshot;

use crate::files::{self, Lock};
use crate::writer::{self, Work};
use crate::{Error, Migration, Options, open, replace};

/// An open database. Clones share the writer and the readers; the last one to go closes the file.
#[derive(Clone)]
pub struct Database {
    inner: Arc<Inner>,
}

struct Inner {
    path: PathBuf,
    jobs: Option<Sender<Work>>,
    thread: Option<JoinHandle<()>>,
    idle: Idle,
    keep: usize,
    frozen: Option<&'static [Migration]>,
    /// Given back after the last connection.
    _lock: Option<Lock>,
}

/// Connections for reading that nobody uses right now.
type Idle = Arc<Mutex<Vec<Connection>>>;

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").field("path", &self.inner.path).finish_non_exhaustive()
    }
}

impl Database {
    /// Opens the file, creating it where it is missing, and brings it to the newest version.
    ///
    /// # Errors
    /// [`Error::Newer`] for a file of a later version and [`Error::NotAFile`] for what is no file, which stay
    /// untouched; [`Error::InUse`] while the file is being replaced; what SQLite says otherwise.
    pub fn open(path: &Path, options: &Options) -> Result<Self, Error> {
        files::refuse_special(path)?;
        let lock = Lock::shared(path)?;
        if lock.is_some() {
            replace::tidy(path);
        }
        let conn = open::writer(path, options)?;
        if lock.is_some() {
            replace::forget_journal(path);
        }
        let idle = Idle::default();
        let readers = Arc::clone(&idle);
        let (jobs, thread) = writer::start(conn, move || give_back(&readers))?;
        Ok(Self::new(path, Some(jobs), Some(thread), options.readers, None, idle, lock))
    }

    /// Opens an existing file where nothing can be written, for reading what is there. Writes answer
    /// [`Error::ReadOnly`].
    pub fn open_read_only(path: &Path, options: &Options) -> Result<Self, Error> {
        let conn = open::frozen(path, options.migrations)?;
        let this =
            Self::new(path, None, None, options.readers, Some(options.migrations), Idle::default(), None);
        this.put_back(conn);
        Ok(this)
    }

    fn new(
        path: &Path,
        jobs: Option<Sender<Work>>,
        thread: Option<JoinHandle<()>>,
        keep: usize,
        frozen: Option<&'static [Migration]>,
        idle: Idle,
        lock: Option<Lock>,
    ) -> Self {
        let path = path.to_owned();
        Self { inner: Arc::new(Inner { path, jobs, thread, idle, keep: keep.max(1), frozen, _lock: lock }) }
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// Whether the file was opened with [`Database::open_read_only`].
    pub fn is_read_only(&self) -> bool {
        self.inner.frozen.is_some()
    }

    /// Runs a job on the writer thread and waits until its changes are committed. What arrives together shares one
    /// commit; a job that answers an error leaves nothing behind.
    ///
    /// Once sent, a job runs to its end even when the future is dropped.
    pub async fn write<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnOnce(&Transaction<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (tell, told) = oneshot::channel();
        self.send(Work::Change(writer::job(work, move |result| drop(tell.send(result)))))?;
        told.await.unwrap_or_else(|_| Err(E::from(Error::Closed)))
    }

    /// The same as [`Database::write`] for a change that takes some milliseconds or more. It has a commit to itself, and
    /// short changes that arrive before it began go first.
    pub async fn write_long<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnOnce(&Transaction<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (tell, told) = oneshot::channel();
        self.send(Work::Long(writer::job(work, move |result| drop(tell.send(result)))))?;
        told.await.unwrap_or_else(|_| Err(E::from(Error::Closed)))
    }

    /// The same as [`Database::write`] for a thread that may wait.
    pub fn write_blocking<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnOnce(&Transaction<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (tell, told) = channel();
        self.send(Work::Change(writer::job(work, move |result| drop(tell.send(result)))))?;
        told.recv().unwrap_or_else(|_| Err(E::from(Error::Closed)))
    }

    /// Runs a job on a connection of its own, in one snapshot: what is committed meanwhile is not seen.
    pub fn read<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnOnce(&Connection) -> Result<T, E>,
        E: From<Error>,
    {
        let conn = self.take()?;
        let result = {
            let tx = conn.unchecked_transaction().map_err(Error::from)?;
            work(&tx)
        };
        self.put_back(conn);
        result
    }

    /// Copies the database as it is at this moment, while it stays in use, to a new file. The file appears whole or not
    /// at all; one that is there already is replaced.
    pub fn backup(&self, to: &Path) -> Result<(), Error> {
        let part = to.with_extension("part");
        let result = self.copy(&part).and_then(|()| {
            std::fs::rename(&part, to)?;
            Ok(files::sync_folder_of(to)?)
        });
        if result.is_err() {
            drop(std::fs::remove_file(&part));
        }
        result
    }

    fn copy(&self, part: &Path) -> Result<(), Error> {
        files::remove(part)?;
        // For its owner alone.
        drop(files::private().create_new(true).open(part)?);
        let source = self.take()?;
        let mut copy = Connection::open(part)?;
        backup::Backup::new(&source, &mut copy)?.step(-1)?;
        // A copy is one file that opens anywhere: no write-ahead log beside it.
        copy.pragma_update(None, "journal_mode", "DELETE")?;
        drop(copy);
        std::fs::File::open(part)?.sync_all()?;
        self.put_back(source);
        Ok(())
    }

    /// Puts the contents of another file in the place of what is here, in one transaction, while the database stays in
    /// use: readers see the one or the other, whole, and so does who opens it after a crash. The file must have passed
    /// [`crate::vet()`]; it is not changed.
    pub fn take_in(&self, from: &Path, options: &Options) -> Result<(), Error> {
        let from = open::frozen(from, options.migrations)?;
        self.alone(move |conn| {
            backup::Backup::new(&from, conn)?.step(-1)?;
            // The copy brings the journal mode of its file along.
            Ok(conn.pragma_update(None, "journal_mode", "WAL")?)
        })?;
        // What readers remember of the file before is of no use.
        self.inner.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
        Ok(())
    }

    /// Bytes in the file that hold nothing: what [`Database::compact`] would give back.
    pub fn spare(&self) -> Result<u64, Error> {
        self.read(|conn| {
            let pragma = |name: &str| conn.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
            let bytes = pragma("freelist_count")?.saturating_mul(pragma("page_size")?);
            Ok(u64::try_from(bytes).unwrap_or(0))
        })
    }

    /// Writes the file anew without what it does not need. Takes as much room again as the file has, for as long as it
    /// lasts; changes wait meanwhile.
    pub fn compact(&self) -> Result<(), Error> {
        self.alone(|conn| {
            // The copy is as large as the file: not into memory.
            conn.pragma_update(None, "temp_store", "FILE")?;
            let done = conn.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
            conn.pragma_update(None, "temp_store", "MEMORY")?;
            Ok(done?)
        })
    }

    /// Runs work on the writer's connection with no transaction open, and waits for it.
    fn alone(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<(), Error> + Send + 'static,
    ) -> Result<(), Error> {
        let (tell, told) = channel();
        self.send(Work::Alone(Box::new(move |conn| drop(tell.send(work(conn))))))?;
        told.recv().unwrap_or(Err(Error::Closed))
    }

    /// Everything that SQLite finds wrong with the file: damaged pages, indexes that disagree with their table, rows
    /// whose parent is missing. Empty when all is well.
    pub fn integrity_check(&self) -> Result<Vec<String>, Error> {
        // On a connection of its own: a search index that was read before is checked against what the connection
        // remembers of it, and what was written since then is taken for damage.
        let conn = self.fresh()?;
        let mut found: Vec<String> = Vec::new();
        let mut rows = conn.prepare("PRAGMA integrity_check(100)")?;
        for line in rows.query_map([], |row| row.get::<_, String>(0))? {
            let line = line?;
            if line != "ok" {
                found.push(line);
            }
        }
        let mut rows = conn.prepare("PRAGMA foreign_key_check")?;
        for line in rows.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(2)?)))? {
            let (table, parent) = line?;
            found.push(format!("a row of {table} names a row of {parent} that is not there"));
        }
        Ok(found)
    }

    fn send(&self, work: Work) -> Result<(), Error> {
        let jobs = self.inner.jobs.as_ref().ok_or(Error::ReadOnly)?;
        jobs.send(work).map_err(|_| Error::Closed)
    }

    fn take(&self) -> Result<Connection, Error> {
        let idle = self.inner.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.map_or_else(|| self.fresh(), Ok)
    }

    fn fresh(&self) -> Result<Connection, Error> {
        match self.inner.frozen {
            Some(migrations) => open::frozen(&self.inner.path, migrations),
            None => open::reader(&self.inner.path),
        }
    }

    fn put_back(&self, conn: Connection) {
        let mut idle = self.inner.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < self.inner.keep {
            idle.push(conn);
        }
    }
}

/// Empties the page caches of readers that nobody uses; what they prepared stays.
fn give_back(idle: &Idle) {
    for conn in idle.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        if let Err(e) = conn.release_memory() {
            tracing::debug!(error = %e, "could not give memory back");
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
        drop(self.jobs.take());
        // A job may hold the last handle; the writer then ends by itself.
        if let Some(thread) = self.thread.take().filter(|t| t.thread().id() != thread::current().id()) {
            drop(thread.join());
        }
    }
}
