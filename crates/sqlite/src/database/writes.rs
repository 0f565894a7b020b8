//! Writes for which a task waits.

use rusqlite::Transaction;
use tokio::sync::oneshot::error::TryRecvError as NoAnswer;
use tokio::sync::oneshot::{self, Receiver};

use super::Database;
use crate::Error;
use crate::writer::{self, Job, Queue, Work, look_for};

impl Database {
    /// Runs a job on the writer thread and waits until its changes are committed. Jobs that arrive together share one
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
        self.write_short(Work::Short, work).await
    }

    /// Like [`Database::write`], for a job that is sure: it returns an error after its first change only if the database
    /// fails. Then all jobs of its commit fail. It saves copying the pages that another job would be rolled back with.
    ///
    /// # Errors
    /// Those of [`Database::write`].
    pub async fn write_sure<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnOnce(&Transaction<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.write_short(Work::Sure, work).await
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
        let answer = self.send_as(Work::Long, work)?;
        answer.await.unwrap_or_else(|_| Err(E::from(Error::Closed)))
    }

    /// Sends a short job of a kind to the writer thread, and waits for its outcome.
    async fn write_short<T, E, F>(&self, kind: fn(Job) -> Work, work: F) -> Result<T, E>
    where
        F: FnOnce(&Transaction<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let is_looked_out_for = self.inner.jobs.as_ref().is_some_and(Queue::is_looked_out_for);
        let mut answer = self.send_as(kind, work)?;
        if is_looked_out_for {
            // While the job runs, what else is ready on this thread goes first.
            tokio::task::yield_now().await;
            match look_for(&mut answer) {
                Err(NoAnswer::Empty) => {}
                found => return found.unwrap_or_else(|_| Err(E::from(Error::Closed))),
            }
        }
        answer.await.unwrap_or_else(|_| Err(E::from(Error::Closed)))
    }

    /// Sends a job of a kind to the writer thread; gives where its outcome arrives.
    fn send_as<T, E, F>(&self, kind: fn(Job) -> Work, work: F) -> Result<Receiver<Result<T, E>>, Error>
    where
        F: FnOnce(&Transaction<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (sender, answer) = oneshot::channel();
        self.send(kind(writer::job(work, move |result| drop(sender.send(result)))))?;
        Ok(answer)
    }
}
