//! How the writer thread waits for work, and who waits for it.
//!
//! Who posts one thing after the other sends the next job a moment after the answer to the last one. To wake a thread that
//! sleeps takes a good part of the time of a commit. So the thread looks out for such a job for a moment before it sleeps.
//! The task that sends it looks out for the answer, if the last one was quick. Neither lasts longer than its bound,
//! whatever the disk does. They do so for a database whose every commit is waited for, on a machine with another
//! processor, and as long as jobs come one by one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::oneshot;
use tokio::sync::oneshot::error::TryRecvError as NoAnswer;

use super::Work;
use crate::threads::{
    AtomicBool, Ordering, Receiver, RecvTimeoutError, Sender, TryRecvError, are_parallel, thread,
};
use crate::{Bounds, Durability, Error, checkpoint};

/// The longest time for which the thread looks out for a job.
const JOB_TIME: Duration = Duration::from_micros(400);

/// The longest time for which a task looks out for an answer. Others on its thread wait meanwhile.
const ANSWER_TIME: Duration = Duration::from_micros(250);

/// The way of work to the thread, which ends when this is dropped.
pub(crate) struct Queue {
    work: Sender<Work>,
    /// Whether the thread looks out for a job, and will be done with it soon.
    lookout: Arc<AtomicBool>,
}

impl Queue {
    pub(crate) fn send(&self, work: Work) -> Result<(), Error> {
        self.work.send(work).map_err(|_| Error::Closed)
    }

    /// Whether the thread looks out for one job, which it will be done with soon. It is true for one who asks.
    pub(crate) fn is_looked_out_for(&self) -> bool {
        self.lookout.load(Ordering::Relaxed) && self.lookout.swap(false, Ordering::AcqRel)
    }
}

/// How the writer thread waits for its next job.
pub(super) struct JobWait {
    /// Whether it ever looks out.
    looks_out: bool,
    /// Whether the next job is likely to come within [`JOB_TIME`], as the last one did.
    expects_one: bool,
    /// When the last work arrived.
    arrived_at: Instant,
    lookout: Arc<AtomicBool>,
    bounds: Bounds,
}

impl JobWait {
    pub(super) fn new(usual: Durability, bounds: Bounds) -> Self {
        let looks_out = usual == Durability::Full && are_parallel();
        Self { looks_out, expects_one: false, arrived_at: Instant::now(), lookout: Arc::default(), bounds }
    }

    /// The queue of those who send work.
    pub(super) fn queue(&self, work: Sender<Work>) -> Queue {
        Queue { work, lookout: Arc::clone(&self.lookout) }
    }

    /// Waits for the next message; `None` when every sender is dropped.
    pub(super) fn next(
        &mut self,
        conn: &Connection,
        queue: &Receiver<Work>,
        idle: &dyn Fn(),
    ) -> Option<Work> {
        let done_at = Instant::now();
        let seen = if self.expects_one { self.look_out(queue, done_at) } else { None };
        let work = seen.or_else(|| sleep(conn, queue, idle, &self.bounds))?;
        self.arrived_at = Instant::now();
        self.expects_one = self.looks_out && self.arrived_at.duration_since(done_at) < JOB_TIME;
        Some(work)
    }

    /// Notes whether the work that arrived is one short job. If more come together, the next are there soon enough.
    pub(super) fn arrived(&mut self, is_one_short_job: bool) {
        self.expects_one &= is_one_short_job;
    }

    /// The next message, if it comes soon. Threads that wait for the processor go first.
    fn look_out(&self, queue: &Receiver<Work>, done_at: Instant) -> Option<Work> {
        let was_quick = done_at.duration_since(self.arrived_at) < ANSWER_TIME;
        self.lookout.store(was_quick, Ordering::Release);
        let mut seen = None;
        while done_at.elapsed() < JOB_TIME {
            match queue.try_recv() {
                Err(TryRecvError::Empty) => thread::yield_now(),
                found => {
                    seen = found.ok();
                    break;
                }
            }
        }
        self.lookout.store(false, Ordering::Release);
        seen
    }
}

/// Sleeps until the next message. In an idle period it checkpoints the log and frees page caches, because the programs run
/// for days and mostly wait.
fn sleep(conn: &Connection, queue: &Receiver<Work>, idle: &dyn Fn(), bounds: &Bounds) -> Option<Work> {
    match queue.recv_timeout(bounds.idle_time()) {
        Ok(job) => return Some(job),
        Err(RecvTimeoutError::Disconnected) => return None,
        Err(RecvTimeoutError::Timeout) => {}
    }
    if let Err(e) = checkpoint::when_idle(conn, bounds) {
        tracing::debug!(error = %e, "the write-ahead log stays as it is");
    }
    if let Err(e) = conn.release_memory() {
        tracing::debug!(error = %e, "could not give memory back");
    }
    idle();
    queue.recv().ok()
}

/// The answer to a job that was looked out for, if it comes soon.
pub(crate) fn look_for<T>(answer: &mut oneshot::Receiver<T>) -> Result<T, NoAnswer> {
    let sent_at = Instant::now();
    loop {
        let found = answer.try_recv();
        if !matches!(found, Err(NoAnswer::Empty)) || sent_at.elapsed() >= ANSWER_TIME {
            return found;
        }
        thread::yield_now();
    }
}
