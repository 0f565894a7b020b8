//! Writes for which a thread waits.

use std::sync::mpsc::channel;

use rusqlite::Transaction;

use super::Database;
use crate::Error;
use crate::writer::{self, Job, Work};

impl Database {
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
        self.write_blocking_as(Work::Short, work)
    }

    /// Like [`Database::write_blocking`], for what exists nowhere else. Once this returns, the change and all earlier ones
    /// survive a loss of power, whatever the [`Durability`](crate::Durability) of the database is.
    ///
    /// ```
    /// # use tidings_sqlite::*;
    /// # let options = Options { durability: Durability::Normal, readers: 1, migrations: &[] };
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = Database::open(&dir.path().join("notes.db"), &options)?;
    /// db.write_durable_blocking(|tx| Ok::<_, Error>(tx.execute_batch("CREATE TABLE note(text TEXT) STRICT")?))?;
    /// # Ok::<_, tidings_sqlite::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Database::write`].
    pub fn write_durable_blocking<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnOnce(&Transaction<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.write_blocking_as(Work::Durable, work)
    }

    /// Sends a job of a kind to the writer thread, and waits for its outcome.
    fn write_blocking_as<T, E, F>(&self, kind: fn(Job) -> Work, work: F) -> Result<T, E>
    where
        F: FnOnce(&Transaction<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (sender, answer) = channel();
        self.send(kind(writer::job(work, move |result| drop(sender.send(result)))))?;
        answer.recv().unwrap_or_else(|_| Err(E::from(Error::Closed)))
    }
}
