//! Jobs: what a caller wants done in a transaction, and how it gets the outcome.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rusqlite::Transaction;

use crate::Error;

/// Answers the caller: with `None` after the commit, else with the error of the commit.
pub(crate) type Finish = Box<dyn FnOnce(Option<Error>) + Send>;

/// The outcome of a job: whether to keep its changes, and the function that answers its caller.
pub(crate) struct JobResult {
    pub(super) keep: bool,
    pub(super) finish: Finish,
}

/// A job. It is called with an error if no transaction could be started.
pub(crate) type Job = Box<dyn FnOnce(Result<&Transaction<'_>, Error>) -> JobResult + Send>;

/// Makes a job of a closure. `answer` is called with the closure's result after the commit, or with the error of the
/// commit.
pub(crate) fn job<T, E, F, Answer>(work: F, answer: Answer) -> Job
where
    F: FnOnce(&Transaction<'_>) -> Result<T, E> + Send + 'static,
    T: Send + 'static,
    E: From<Error> + Send + 'static,
    Answer: FnOnce(Result<T, E>) + Send + 'static,
{
    Box::new(move |tx| {
        let result = match tx {
            Ok(tx) => caught(work, tx),
            Err(e) => Err(E::from(e)),
        };
        JobResult {
            keep: result.is_ok(),
            finish: Box::new(move |failed| {
                answer(match failed {
                    Some(e) if result.is_ok() => Err(E::from(e)),
                    _ => result,
                });
            }),
        }
    })
}

/// Runs a job; one that panics has failed.
pub(super) fn caught<T, E, F>(work: F, tx: &Transaction<'_>) -> Result<T, E>
where
    F: FnOnce(&Transaction<'_>) -> Result<T, E>,
    E: From<Error>,
{
    catch_unwind(AssertUnwindSafe(|| work(tx))).unwrap_or_else(|_| Err(E::from(Error::Panicked)))
}
