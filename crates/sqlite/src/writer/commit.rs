//! Runs jobs in a transaction, ends it, and answers them.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::jobs::{Finish, Job, JobResult};
use crate::Error;

/// The most jobs that share a commit.
const MAX_BATCH: usize = 1_024;

/// The time after which a transaction accepts no further job: finished jobs wait for its commit, and so do writers of
/// other processes.
const MAX_TRANSACTION_TIME: Duration = Duration::from_millis(20);

/// A job that has arrived and not run.
pub(super) struct Queued {
    pub(super) job: Job,
    /// Whether it needs no savepoint.
    pub(super) is_sure: bool,
}

/// Runs jobs in one transaction until all are done or the transaction has lasted too long, commits, and answers the
/// jobs that ran. The others stay in the queue.
pub(super) fn commit(conn: &mut Connection, jobs: &mut VecDeque<Queued>) {
    if jobs.is_empty() {
        return;
    }
    let alone = jobs.len() == 1;
    let tx = match conn.transaction_with_behavior(TransactionBehavior::Immediate) {
        Ok(tx) => tx,
        Err(e) => {
            let e = Error::from(e);
            for queued in jobs.drain(..) {
                ((queued.job)(Err(e.clone())).finish)(None);
            }
            return;
        }
    };
    let start_time = Instant::now();
    let mut finished = Vec::with_capacity(jobs.len().min(MAX_BATCH));
    let mut broken = false;
    let mut keep_any = false;
    while let Some(Queued { job, is_sure }) = jobs.pop_front() {
        let changes = tx.total_changes();
        let job_result = if alone || is_sure { Ok(job(Ok(&tx))) } else { in_savepoint(&tx, job) };
        match job_result {
            Ok(job_result) => {
                // Nothing else undoes what a sure job changed before it failed.
                broken |= is_sure && !alone && !job_result.keep && tx.total_changes() != changes;
                keep_any |= job_result.keep;
                finished.push(job_result.finish);
            }
            Err((e, finish)) => {
                tracing::error!(error = %e, "a savepoint failed");
                finish(Some(e));
                broken = true;
            }
        }
        // After some errors, such as a full disk, SQLite has rolled back the whole transaction by itself.
        broken |= tx.is_autocommit();
        if broken || finished.len() == MAX_BATCH || start_time.elapsed() >= MAX_TRANSACTION_TIME {
            break;
        }
    }
    let failed = end(tx, broken, keep_any);
    for finish in finished {
        finish(failed.clone());
    }
}

/// Commits a transaction that is not broken and has something to keep, else rolls it back. Gives the error that its jobs
/// get.
pub(super) fn end(tx: Transaction<'_>, broken: bool, keep: bool) -> Option<Error> {
    if broken {
        drop(tx);
        return Some(Error::Sqlite(Arc::new(rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_ABORT_ROLLBACK),
            Some("another change in the same commit failed; try again".to_owned()),
        ))));
    }
    let committed = if keep { execute(&tx, "COMMIT") } else { Ok(()) };
    // Rolls back what could not be committed.
    drop(tx);
    committed.err().map(Error::from)
}

/// Runs a job in a savepoint, which is rolled back if the job fails.
fn in_savepoint(tx: &Transaction<'_>, job: Job) -> Result<JobResult, (Error, Finish)> {
    if let Err(e) = execute(tx, "SAVEPOINT job") {
        let e = Error::from(e);
        return Err((e.clone(), job(Err(e)).finish));
    }
    let job_result = job(Ok(tx));
    let undone = if job_result.keep { Ok(()) } else { execute(tx, "ROLLBACK TO job") };
    match undone.and_then(|()| execute(tx, "RELEASE job")) {
        Ok(()) => Ok(job_result),
        Err(_) if tx.is_autocommit() => Ok(job_result),
        Err(e) => Err((e.into(), job_result.finish)),
    }
}

/// Runs a statement that is compiled once.
fn execute(tx: &Transaction<'_>, statement: &str) -> rusqlite::Result<()> {
    tx.prepare_cached(statement)?.execute([]).map(drop)
}
