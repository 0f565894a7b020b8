//! Writes to a database, each a job in a transaction.

use std::sync::mpsc::channel;

use rusqlite::Transaction;
use tokio::sync::oneshot;

use super::Database;
use crate::Error;
use crate::writer::{self, Job, Work};

impl Database {
    /// Runs a job in a transaction and waits until its changes are committed. Jobs that arrive together share one
    /// commit. A job that returns an error is rolled back alone. A started job runs to its end even if the future is
    /// dropped.
    ///
    /// # Errors
    /// The job's own error; [`Error::ReadOnly`], [`Error::Panicked`], [`Error::Closed`], or the error of the commit.
    pub async fn write<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnOnce(&Transaction<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.write_as(Work::Short, work).await
    }

    /// Like [`Database::write`], for a job that is sure: it returns an error after its first change only if the database
    /// fails. Then all jobs of its commit fail. It saves copying the pages that another job would be rolled back with.
    ///
    /// While writes are fast and come one by one, a worker of a runtime with several commits it itself.
    ///
    /// # Errors
    /// Those of [`Database::write`].
    pub async fn write_sure<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnOnce(&Transaction<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let work = match self.inner.writer.as_ref().map(|writer| writer.write_here(work)) {
            Some(Ok(done)) => return done,
            Some(Err(work)) => work,
            None => return Err(E::from(Error::ReadOnly)),
        };
        self.write_as(Work::Sure, work).await
    }

    /// Like [`Database::write`], for a job that takes milliseconds or more: it is committed alone, and short jobs
    /// that wait run before it.
    ///
    /// # Errors
    /// Those of [`Database::write`].
    pub async fn write_long<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnOnce(&Transaction<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.write_as(Work::Long, work).await
    }

    /// Sends a job of a kind to the writer thread, and waits for its outcome.
    async fn write_as<T, E, F>(&self, kind: fn(Job) -> Work, work: F) -> Result<T, E>
    where
        F: FnOnce(&Transaction<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (sender, answer) = oneshot::channel();
        self.send(kind(writer::job(work, move |result| drop(sender.send(result)))))?;
        answer.await.unwrap_or_else(|_| Err(E::from(Error::Closed)))
    }

    /// Like [`Database::write`], but blocks the thread.
    ///
    /// ```
    /// # use tidings_sqlite::*;
    /// # let options = Options { durability: Durability::Normal, readers: 1, migrations: &[] };
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = Database::open(&dir.path().join("notes.db"), &options)?;
    /// db.write_blocking(|tx| Ok::<_, Error>(tx.execute_batch("CREATE TABLE note(text TEXT) STRICT")?))?;
    /// # Ok::<_, tidings_sqlite::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Database::write`].
    pub fn write_blocking<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnOnce(&Transaction<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (sender, answer) = channel();
        self.send(Work::Short(writer::job(work, move |result| drop(sender.send(result)))))?;
        answer.recv().unwrap_or_else(|_| Err(E::from(Error::Closed)))
    }
}
