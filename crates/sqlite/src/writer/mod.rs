//! The writer thread: runs the short jobs that have arrived in one transaction, commits once, then answers all of
//! them. A long job is committed alone, and short jobs that wait run before the next long one. Each job of a shared
//! transaction has a savepoint, so that a failing job is rolled back alone. A sure job has none: it fails after its
//! first change only if the database does, and then the whole transaction is rolled back. A durable job makes its commit
//! survive a loss of power, and with it those before. Each log says whose it is (see `log.rs`).
//!
//! There is one writer per database. Publishers whose jobs arrive together share an fsync. Readers have their own
//! connections, and each sees one moment.

mod waiting;

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use self::waiting::JobWait;
pub(crate) use self::waiting::{Queue, look_for};
use crate::log::Marking;
use crate::threads::{JoinHandle, Receiver, channel, thread};
use crate::{Bounds, Durability, Error};

/// Answers the caller: with `None` after the commit, else with the error of the commit.
pub(crate) type Finish = Box<dyn FnOnce(Option<Error>) + Send>;

/// The outcome of a job: whether to keep its changes, and the function that answers its caller.
pub(crate) struct JobResult {
    pub(crate) keep: bool,
    pub(crate) finish: Finish,
}

/// A job. It is called with an error if no transaction could be started.
pub(crate) type Job = Box<dyn FnOnce(Result<&Transaction<'_>, Error>) -> JobResult + Send>;

/// Work on the writer's connection while no transaction is open.
pub(crate) type OutsideTransaction = Box<dyn FnOnce(&mut Connection) + Send>;

/// A message to the writer thread.
pub(crate) enum Work {
    /// A short job, which may share its transaction.
    Short(Job),
    /// A short job that fails after its first change only if the database does.
    Sure(Job),
    /// A short job whose commit survives a loss of power, whatever the durability of the others is.
    Durable(Job),
    /// A job that takes milliseconds or more, in a transaction of its own.
    Long(Job),
    /// Work that SQLite refuses within a transaction, such as `VACUUM`.
    OutsideTransaction(OutsideTransaction),
}

/// How jobs are committed.
pub(crate) struct Commits {
    pub(crate) usual: Durability,
    /// What says whose log it is.
    pub(crate) marking: Option<Marking>,
    /// How many of them there are in one transaction.
    pub(crate) bounds: Bounds,
}

/// Starts the thread. `idle` is called once in each idle period.
pub(crate) fn start(
    conn: Connection,
    mut commits: Commits,
    idle: impl Fn() + Send + 'static,
) -> std::io::Result<(Queue, JoinHandle<()>)> {
    let (work, queue) = channel();
    let waiting = JobWait::new(commits.usual, commits.bounds);
    let work = waiting.queue(work);
    let thread = thread::Builder::new()
        .name("sqlite-writer".to_owned())
        .spawn(move || run(conn, &mut commits, &queue, waiting, &idle))?;
    Ok((work, thread))
}

fn run(
    mut conn: Connection,
    commits: &mut Commits,
    queue: &Receiver<Work>,
    mut waiting: JobWait,
    idle: &dyn Fn(),
) {
    let mut pending = PendingWork::default();
    loop {
        if pending.is_empty() {
            let Some(first) = waiting.next(&conn, queue, idle) else { break };
            pending.push(first);
        }
        pending.receive_all(queue);
        waiting.arrived(pending.is_one_short_job());
        commit_short(&mut conn, commits, &mut pending.short);
        // One long job at a time: short ones that arrive meanwhile go before the next.
        if let Some(long) = pending.long.pop_front() {
            commit(&mut conn, commits, &mut VecDeque::from([Queued::of(long)]));
        }
        if pending.has_no_jobs()
            && let Some(work) = pending.outside.take()
        {
            work(&mut conn);
        }
    }
}

/// A job that has arrived and not run.
struct Queued {
    job: Job,
    /// Whether it needs no savepoint.
    is_sure: bool,
    is_durable: bool,
}

impl Queued {
    fn of(job: Job) -> Self {
        Self { job, is_sure: false, is_durable: false }
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
            Work::Short(job) => self.short.push_back(Queued::of(job)),
            Work::Sure(job) => self.short.push_back(Queued { is_sure: true, ..Queued::of(job) }),
            Work::Durable(job) => self.short.push_back(Queued { is_durable: true, ..Queued::of(job) }),
            Work::Long(job) => self.long.push_back(job),
            Work::OutsideTransaction(work) => self.outside = Some(work),
        }
    }

    /// Takes the work that has arrived, up to work that must run outside of a transaction.
    fn receive_all(&mut self, queue: &Receiver<Work>) {
        while self.outside.is_none()
            && let Ok(work) = queue.try_recv()
        {
            self.push(work);
        }
    }
}

/// [`commit`], which survives a loss of power if one of the jobs is to.
fn commit_short(conn: &mut Connection, commits: &mut Commits, jobs: &mut VecDeque<Queued>) {
    let usual = commits.usual;
    if usual == Durability::Full || !jobs.iter().any(|queued| queued.is_durable) {
        return commit(conn, commits, jobs);
    }
    if let Err(e) = Durability::Full.set(conn) {
        return refuse(jobs, &e.into());
    }
    commit(conn, commits, jobs);
    if let Err(e) = usual.set(conn) {
        tracing::debug!(error = %e, "commits stay as durable as they can be");
    }
}

/// Answers jobs that can't run.
fn refuse(jobs: &mut VecDeque<Queued>, error: &Error) {
    for queued in jobs.drain(..) {
        ((queued.job)(Err(error.clone())).finish)(None);
    }
}

/// Runs jobs in one transaction until all are done or the transaction has lasted too long, commits, and answers the
/// jobs that ran. The others stay in the queue.
fn commit(conn: &mut Connection, commits: &mut Commits, jobs: &mut VecDeque<Queued>) {
    if jobs.is_empty() {
        return;
    }
    let alone = jobs.len() == 1;
    let tx = match conn.transaction_with_behavior(TransactionBehavior::Immediate) {
        Ok(tx) => tx,
        Err(e) => return refuse(jobs, &e.into()),
    };
    let changes_before = tx.total_changes();
    let start_time = Instant::now();
    let mut finished = Vec::with_capacity(jobs.len().min(commits.bounds.batch_jobs));
    let mut broken = false;
    let mut keep_any = false;
    while let Some(Queued { job, is_sure, .. }) = jobs.pop_front() {
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
        if broken || commits.bounds.is_reached(finished.len(), start_time.elapsed()) {
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
        let mut marking = commits.marking.as_mut().filter(|_| tx.total_changes() != changes_before);
        let due = marking.as_mut().and_then(|marking| marking.due());
        let committed = due.into_iter().chain(["COMMIT"]).try_for_each(|sql| execute(&tx, sql));
        if committed.is_err()
            && let Some(marking) = marking
        {
            marking.failed();
        }
        // Rolls back what could not be committed.
        drop(tx);
        committed.err().map(Error::from)
    } else {
        drop(tx);
        None
    };
    for finish in finished {
        finish(failed.clone());
    }
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
            Ok(tx) => {
                catch_unwind(AssertUnwindSafe(|| work(tx))).unwrap_or_else(|_| Err(E::from(Error::Panicked)))
            }
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
