//! The writer's connection, which one thread has at a time: the writer thread, or a caller that commits a sure job on its
//! own thread.
//!
//! A job that goes to the writer thread, and its answer that comes back, cost two switches between threads. For a small
//! commit on a fast disk that is as much as the commit. So a caller commits itself while the writes are calm: the latest ones
//! were fast, came one by one, and nothing waits. Whoever comes meanwhile sends its job to the writer thread, which shares
//! commits again. After one slow commit it also has the next ones, so that a slow disk holds a caller once.
//!
//! A caller waits for nobody: neither for the connection nor for another process's lock. It is a worker of a runtime that
//! has others, and it wakes one of them, which looks after sockets and timers meanwhile. A runtime of one thread, which
//! would stand still, never commits itself.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};
use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::runtime::{Handle, RuntimeFlavor};

use super::commit::end;
use super::jobs::caught;
use crate::Error;
use crate::open::BUSY_TIMEOUT;

/// So many calm transactions in a row let a caller commit itself.
const CALM_TRANSACTIONS: u32 = 4;

/// A transaction that takes longer is not calm.
const FAST_TRANSACTION: Duration = Duration::from_micros(500);

/// The writer's connection, and what says whether a caller may take it.
pub(crate) struct SharedConnection {
    conn: Mutex<Connection>,
    /// The work that was sent to the writer thread, and that it has not taken up.
    waiting: AtomicUsize,
    /// The latest transactions in a row that were calm.
    calm: AtomicU32,
    /// Whether a caller has written since the writer thread asked.
    has_written: AtomicBool,
}

impl SharedConnection {
    pub(super) fn new(conn: Connection) -> Self {
        Self {
            conn: Mutex::new(conn),
            waiting: AtomicUsize::new(0),
            calm: AtomicU32::new(0),
            has_written: AtomicBool::new(false),
        }
    }

    /// Takes the connection for the writer thread.
    pub(super) fn lock(&self) -> MutexGuard<'_, Connection> {
        self.conn.lock()
    }

    /// To be called before work is sent to the writer thread: no caller overtakes it.
    pub(super) fn work_comes(&self) {
        self.waiting.fetch_add(1, Ordering::AcqRel);
    }

    /// To be called by the writer thread, which has the connection, for each work that it takes up.
    pub(super) fn work_is_taken(&self) {
        self.waiting.fetch_sub(1, Ordering::AcqRel);
    }

    /// Notes a transaction that has ended; `alone` if it had one short job.
    pub(super) fn note(&self, began: Instant, alone: bool) {
        if alone && began.elapsed() < FAST_TRANSACTION && !self.has_work() {
            self.calm.fetch_add(1, Ordering::Relaxed);
        } else {
            self.calm.store(0, Ordering::Relaxed);
        }
    }

    /// Begins an idle period, unless a caller has written since the last call. The writer thread, which has the connection,
    /// waits for work afterwards: the next writes go to it, so that it sees the end of the period.
    pub(super) fn begin_idle(&self) -> bool {
        if self.has_written.swap(false, Ordering::Relaxed) {
            return false;
        }
        self.calm.store(0, Ordering::Relaxed);
        true
    }

    /// Runs and commits a sure job on this thread, or gives it back if it must go to the writer thread.
    pub(super) fn write<T, E, F>(&self, work: F) -> Result<Result<T, E>, F>
    where
        F: FnOnce(&Transaction<'_>) -> Result<T, E>,
        E: From<Error>,
    {
        if !self.is_calm() {
            return Err(work);
        }
        let Some(runtime) = runtime_of_many() else { return Err(work) };
        let Some(conn) = self.conn.try_lock() else {
            self.calm.store(0, Ordering::Relaxed);
            return Err(work);
        };
        // What is asked here holds until the connection is given back.
        if !self.is_calm() || self.has_work() {
            return Err(work);
        }
        let began = Instant::now();
        let Ok(tx) = begin_at_once(&conn) else { return Err(work) };
        wake_another(&runtime);
        let result = caught(work, &tx);
        let is_broken = tx.is_autocommit();
        let failed = end(tx, is_broken, result.is_ok());
        self.has_written.store(true, Ordering::Relaxed);
        self.note(began, true);
        drop(conn);
        Ok(match failed {
            Some(e) if result.is_ok() => Err(E::from(e)),
            _ => result,
        })
    }

    fn is_calm(&self) -> bool {
        self.calm.load(Ordering::Relaxed) >= CALM_TRANSACTIONS
    }

    fn has_work(&self) -> bool {
        self.waiting.load(Ordering::Acquire) > 0
    }
}

/// The runtime of this thread, if it has several workers.
fn runtime_of_many() -> Option<Handle> {
    let runtime = Handle::try_current().ok()?;
    let has_many =
        runtime.runtime_flavor() == RuntimeFlavor::MultiThread && runtime.metrics().num_workers() > 1;
    has_many.then_some(runtime)
}

/// Wakes another worker. For the first task of a worker the runtime wakes none, and for the second it does.
fn wake_another(runtime: &Handle) {
    for _ in 0..2 {
        drop(runtime.spawn(async {}));
    }
}

/// Begins a transaction, unless another process has the write lock.
fn begin_at_once(conn: &Connection) -> rusqlite::Result<Transaction<'_>> {
    conn.busy_timeout(Duration::ZERO)?;
    let begun = Transaction::new_unchecked(conn, TransactionBehavior::Immediate);
    conn.busy_timeout(BUSY_TIMEOUT)?;
    begun
}
