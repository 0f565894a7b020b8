//! The writer thread: runs the short jobs that have arrived in one transaction, commits once, then answers all of
//! them. A long job is committed alone, and short jobs that wait run before the next long one. Each job of a shared
//! transaction has a savepoint, so that a failing job is rolled back alone. A sure job has none: it fails after its
//! first change only if the database does, and then the whole transaction is rolled back.
//!
//! There is one writer's connection per database, and one thread has it at a time. It is the writer thread, but for sure
//! jobs that come one by one: their callers commit them, see `writer/connection.rs`. Publishers whose jobs arrive together
//! share an fsync. Readers have their own connections, and each sees one moment.

mod commit;
mod connection;
mod jobs;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rusqlite::{Connection, Transaction};

use self::commit::{Queued, commit};
use self::connection::SharedConnection;
pub(crate) use self::jobs::{Job, job};
use crate::{Error, checkpoint};

/// Work on the writer's connection while no transaction is open.
pub(crate) type OutsideTransaction = Box<dyn FnOnce(&mut Connection) + Send>;

/// A message to the writer thread.
pub(crate) enum Work {
    /// A short job, which may share its transaction.
    Short(Job),
    /// A short job that fails after its first change only if the database does.
    Sure(Job),
    /// A job that takes milliseconds or more, in a transaction of its own.
    Long(Job),
    /// Work that SQLite refuses within a transaction, such as `VACUUM`.
    OutsideTransaction(OutsideTransaction),
}

/// The time without work after which the writer counts as idle.
const IDLE_TIMEOUT: Duration = Duration::from_secs(2);

/// The handle of the writer, whose thread ends when it is dropped.
pub(crate) struct Writer {
    /// The connection, dropped before the queue ends, so that the thread closes it.
    connection: Arc<SharedConnection>,
    jobs: Sender<Work>,
}

impl Writer {
    /// Starts the thread. `idle` is called once in each idle period.
    pub(crate) fn start(
        conn: Connection,
        idle: impl Fn() + Send + 'static,
    ) -> std::io::Result<(Self, JoinHandle<()>)> {
        let (jobs, queue) = channel();
        let connection = Arc::new(SharedConnection::new(conn));
        let shared = Arc::clone(&connection);
        let thread = thread::Builder::new()
            .name("sqlite-writer".to_owned())
            .spawn(move || run(&shared, &queue, &idle))?;
        Ok((Self { connection, jobs }, thread))
    }

    /// Sends work to the thread.
    pub(crate) fn send(&self, work: Work) -> Result<(), Error> {
        self.connection.work_comes();
        self.jobs.send(work).map_err(|_| Error::Closed)
    }

    /// Runs and commits a sure job on this thread, or gives it back if it must be sent.
    pub(crate) fn write_here<T, E, F>(&self, work: F) -> Result<Result<T, E>, F>
    where
        F: FnOnce(&Transaction<'_>) -> Result<T, E>,
        E: From<Error>,
    {
        self.connection.write(work)
    }
}

fn run(shared: &SharedConnection, queue: &Receiver<Work>, idle: &dyn Fn()) {
    while let Some(first) = next(shared, queue, idle) {
        run_all(shared, first, queue);
    }
    if let Err(e) = shared.lock().execute_batch("PRAGMA optimize") {
        tracing::debug!(error = %e, "could not refresh the planner's statistics");
    }
}

/// Runs work and what arrives meanwhile, until nothing waits.
fn run_all(shared: &SharedConnection, first: Work, queue: &Receiver<Work>) {
    let mut conn = shared.lock();
    let mut pending = PendingWork::default();
    pending.push(first);
    shared.work_is_taken();
    while !pending.is_empty() {
        pending.receive_all(queue, shared);
        let (began, alone) = (Instant::now(), pending.is_one_short_job());
        commit(&mut conn, &mut pending.short);
        // One long job at a time: short ones that arrive meanwhile go before the next.
        if let Some(long) = pending.long.pop_front() {
            commit(&mut conn, &mut VecDeque::from([Queued { job: long, is_sure: false }]));
        }
        if pending.has_no_jobs()
            && let Some(work) = pending.outside.take()
        {
            work(&mut conn);
        }
        shared.note(began, alone);
    }
}

/// The work that has arrived and not run, in the order of arrival.
#[derive(Default)]
struct PendingWork {
    short: VecDeque<Queued>,
    long: VecDeque<Job>,
    /// Runs after the jobs that arrived before it; work that arrives later waits for it.
    outside: Option<OutsideTransaction>,
}

impl PendingWork {
    fn has_no_jobs(&self) -> bool {
        self.short.is_empty() && self.long.is_empty()
    }

    fn is_empty(&self) -> bool {
        self.has_no_jobs() && self.outside.is_none()
    }

    fn is_one_short_job(&self) -> bool {
        self.short.len() == 1 && self.long.is_empty() && self.outside.is_none()
    }

    fn push(&mut self, work: Work) {
        match work {
            Work::Short(job) => self.short.push_back(Queued { job, is_sure: false }),
            Work::Sure(job) => self.short.push_back(Queued { job, is_sure: true }),
            Work::Long(job) => self.long.push_back(job),
            Work::OutsideTransaction(work) => self.outside = Some(work),
        }
    }

    /// Takes the work that has arrived, up to work that must run outside of a transaction.
    fn receive_all(&mut self, queue: &Receiver<Work>, shared: &SharedConnection) {
        while self.outside.is_none()
            && let Ok(work) = queue.try_recv()
        {
            self.push(work);
            shared.work_is_taken();
        }
    }
}

/// Waits for the next message; `None` when every sender is dropped. In an idle period it checkpoints the log and
/// frees page caches, because the programs run for days and mostly wait.
fn next(shared: &SharedConnection, queue: &Receiver<Work>, idle: &dyn Fn()) -> Option<Work> {
    loop {
        match queue.recv_timeout(IDLE_TIMEOUT) {
            Ok(work) => return Some(work),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => {}
        }
        let conn = shared.lock();
        if shared.begin_idle() {
            rest(&conn);
            break;
        }
    }
    idle();
    queue.recv().ok()
}

/// What is done with the connection in an idle period.
fn rest(conn: &Connection) {
    if let Err(e) = checkpoint::when_idle(conn) {
        tracing::debug!(error = %e, "the write-ahead log stays as it is");
    }
    if let Err(e) = conn.release_memory() {
        tracing::debug!(error = %e, "could not give memory back");
    }
}
