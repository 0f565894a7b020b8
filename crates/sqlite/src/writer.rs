//! The one thread that writes: takes the short changes that have arrived, runs them in one transaction, commits once,
//! then answers everyone. A long change has its commit to itself, and between two of them the short ones go first. One
//! failing job never takes the others along.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::Error;

/// Tells whoever asked how it ended: with none once the commit is done, else with why the commit failed.
pub(crate) type Finish = Box<dyn FnOnce(Option<Error>) + Send>;

/// What a job left behind: whether its changes stay, and whom to tell.
pub(crate) struct Ran {
    pub(crate) keep: bool,
    pub(crate) finish: Finish,
}

/// A job as the writer sees it; none as transaction means that there is none to be had, and why.
pub(crate) type Job = Box<dyn FnOnce(Result<&Transaction<'_>, Error>) -> Ran + Send>;

/// What runs on the writer's connection with no transaction open.
pub(crate) type Alone = Box<dyn FnOnce(&mut Connection) + Send>;

/// What the thread is sent.
pub(crate) enum Work {
    /// A short change, in a transaction that it may share.
    Change(Job),
    /// A change that takes some milliseconds or more, in a transaction of its own.
    Long(Job),
    /// Something that no transaction may be open for.
    Alone(Alone),
}

/// At most so many jobs share a commit, so that the first one does not wait for ever.
const BATCH: usize = 1_024;

/// A commit that has lasted this long takes no further job: whoever is done waits for it, and so does whoever writes in
/// another process.
const LONG: Duration = Duration::from_millis(20);

/// A writer without work for this long is idle.
const IDLE: Duration = Duration::from_secs(2);

/// A write-ahead log longer than this, bytes, is folded into the database once the writer is idle: whoever opens the
/// file after a crash reads the whole log first.
const LONG_LOG: u64 = 4 * 1024 * 1024;

/// Starts the thread. It ends when every sender is gone.
/// After a pause it says that it is idle, once.
pub(crate) fn start(
    conn: Connection,
    idle: impl Fn() + Send + 'static,
) -> std::io::Result<(Sender<Work>, JoinHandle<()>)> {
    let (jobs, queue) = channel();
    let thread =
        thread::Builder::new().name("sqlite-writer".to_owned()).spawn(move || run(conn, &queue, &idle))?;
    Ok((jobs, thread))
}

fn run(mut conn: Connection, queue: &Receiver<Work>, idle: &dyn Fn()) {
    let mut waiting = Waiting::default();
    loop {
        if waiting.is_empty() {
            let Some(first) = next(&conn, queue, idle) else { break };
            waiting.take(first);
        }
        waiting.take_all(queue);
        commit(&mut conn, &mut waiting.short);
        // Who writes little and came meanwhile waits for one long change, however many of them there are.
        if let Some(long) = waiting.long.pop_front() {
            commit(&mut conn, &mut VecDeque::from([long]));
        }
        if waiting.has_no_changes()
            && let Some(work) = waiting.alone.take()
        {
            work(&mut conn);
        }
    }
    if let Err(e) = conn.execute_batch("PRAGMA optimize") {
        tracing::debug!(error = %e, "could not refresh the planner's statistics");
    }
}

/// What has arrived and did not run yet, in the order of its arrival.
#[derive(Default)]
struct Waiting {
    short: VecDeque<Job>,
    long: VecDeque<Job>,
    /// Runs when the changes that came before it are done; those that come after it wait for it.
    alone: Option<Alone>,
}

impl Waiting {
    fn has_no_changes(&self) -> bool {
        self.short.is_empty() && self.long.is_empty()
    }

    fn is_empty(&self) -> bool {
        self.has_no_changes() && self.alone.is_none()
    }

    fn take(&mut self, work: Work) {
        match work {
            Work::Change(job) => self.short.push_back(job),
            Work::Long(job) => self.long.push_back(job),
            Work::Alone(work) => self.alone = Some(work),
        }
    }

    /// Takes what has arrived, as far as it need not wait for what must run alone.
    fn take_all(&mut self, queue: &Receiver<Work>) {
        while self.alone.is_none()
            && let Ok(work) = queue.try_recv()
        {
            self.take(work);
        }
    }
}

/// The next job; none when every sender is gone. After a pause the page caches that a burst filled are given back:
/// programs that hold a database run for days and mostly wait.
fn next(conn: &Connection, queue: &Receiver<Work>, idle: &dyn Fn()) -> Option<Work> {
    match queue.recv_timeout(IDLE) {
        Ok(job) => return Some(job),
        Err(RecvTimeoutError::Disconnected) => return None,
        Err(RecvTimeoutError::Timeout) => {}
    }
    if let Err(e) = fold_log(conn) {
        tracing::debug!(error = %e, "the write-ahead log stays as it is");
    }
    if let Err(e) = conn.release_memory() {
        tracing::debug!(error = %e, "could not give memory back");
    }
    idle();
    queue.recv().ok()
}

/// Empties a long write-ahead log. Where somebody reads at this moment, or another process writes, it stays.
fn fold_log(conn: &Connection) -> rusqlite::Result<()> {
    let long = conn
        .path()
        .is_some_and(|path| std::fs::metadata(format!("{path}-wal")).is_ok_and(|log| log.len() > LONG_LOG));
    if long {
        // Nobody is made to wait for it.
        conn.busy_timeout(Duration::ZERO)?;
        let folded = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        conn.busy_timeout(crate::open::BUSY)?;
        folded?;
    }
    Ok(())
}

/// Runs jobs in one transaction until they are done, the transaction broke or has lasted long, and tells those that ran.
/// The others are for the next one.
fn commit(conn: &mut Connection, jobs: &mut VecDeque<Job>) {
    if jobs.is_empty() {
        return;
    }
    let alone = jobs.len() == 1;
    let tx = match conn.transaction_with_behavior(TransactionBehavior::Immediate) {
        Ok(tx) => tx,
        Err(e) => {
            let e = Error::from(e);
            for job in jobs.drain(..) {
                (job(Err(e.clone())).finish)(None);
            }
            return;
        }
    };
    let began = Instant::now();
    let mut told = Vec::with_capacity(jobs.len().min(BATCH));
    let mut broken = false;
    let mut keep_any = false;
    while let Some(job) = jobs.pop_front() {
        let ran = if alone { Ok(job(Ok(&tx))) } else { in_savepoint(&tx, job) };
        match ran {
            Ok(ran) => {
                keep_any |= ran.keep;
                told.push(ran.finish);
            }
            Err((e, finish)) => {
                tracing::error!(error = %e, "a savepoint failed");
                finish(Some(e));
                broken = true;
            }
        }
        // SQLite rolls the whole transaction back on its own after some errors, a full disk among them.
        broken |= tx.is_autocommit();
        if broken || told.len() == BATCH || began.elapsed() >= LONG {
            break;
        }
    }
    let failed = if broken {
        drop(tx);
        Some(Error::Sqlite(std::sync::Arc::new(rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_ABORT_ROLLBACK),
            Some("another change in the same commit failed; try again".to_owned()),
        ))))
    } else if keep_any {
        tx.commit().err().map(Error::from)
    } else {
        drop(tx);
        None
    };
    for finish in told {
        finish(failed.clone());
    }
}

/// Runs a job so that its changes can be undone without those of its neighbours.
fn in_savepoint(tx: &Transaction<'_>, job: Job) -> Result<Ran, (Error, Finish)> {
    if let Err(e) = tx.execute_batch("SAVEPOINT job") {
        let e = Error::from(e);
        return Err((e.clone(), job(Err(e)).finish));
    }
    let ran = job(Ok(tx));
    let end = if ran.keep { "RELEASE job" } else { "ROLLBACK TO job; RELEASE job" };
    match tx.execute_batch(end) {
        Ok(()) => Ok(ran),
        Err(_) if tx.is_autocommit() => Ok(ran),
        Err(e) => Err((e.into(), ran.finish)),
    }
}

/// Makes a job of a closure: `tell` hears its result once the commit is done, or why there was none.
pub(crate) fn job<T, E, F, Tell>(work: F, tell: Tell) -> Job
where
    F: FnOnce(&Transaction<'_>) -> Result<T, E> + Send + 'static,
    T: Send + 'static,
    E: From<Error> + Send + 'static,
    Tell: FnOnce(Result<T, E>) + Send + 'static,
{
    Box::new(move |tx| {
        let result = match tx {
            Ok(tx) => {
                catch_unwind(AssertUnwindSafe(|| work(tx))).unwrap_or_else(|_| Err(E::from(Error::Panicked)))
            }
            Err(e) => Err(E::from(e)),
        };
        Ran {
            keep: result.is_ok(),
            finish: Box::new(move |failed| {
                tell(match failed {
                    Some(e) if result.is_ok() => Err(E::from(e)),
                    _ => result,
                });
            }),
        }
    })
}
