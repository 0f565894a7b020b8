//! How the writer thread waits for work. Who posts one thing after the other sends the next job a moment after the answer
//! to the last one. To wake a thread that sleeps takes a good part of the time of a commit, so the thread looks out for such
//! a job for a moment before it sleeps. It does so for a database whose every commit is waited for, on a machine with
//! another processor, and as long as jobs come one by one.

use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::Work;
use crate::{Durability, checkpoint};

/// The time without work after which the writer counts as idle.
const IDLE_TIMEOUT: Duration = Duration::from_secs(2);

/// The longest time for which the thread looks out for a job.
const LOOKOUT_TIME: Duration = Duration::from_micros(400);

/// What the writer thread expects.
pub(super) struct Waiting {
    /// Whether it ever looks out.
    looks_out: bool,
    /// Whether the next job is likely to come within [`LOOKOUT_TIME`], as the last one did.
    expects_one: bool,
}

impl Waiting {
    pub(super) fn new(usual: Durability) -> Self {
        let has_others = || thread::available_parallelism().is_ok_and(|processors| processors.get() > 1);
        Self { looks_out: usual == Durability::Full && has_others(), expects_one: false }
    }

    /// Waits for the next message; `None` when every sender is dropped.
    pub(super) fn next(
        &mut self,
        conn: &Connection,
        queue: &Receiver<Work>,
        idle: &dyn Fn(),
    ) -> Option<Work> {
        let since = Instant::now();
        let seen = if self.expects_one { look_out(queue, since) } else { None };
        let work = seen.or_else(|| sleep(conn, queue, idle))?;
        self.expects_one = self.looks_out && since.elapsed() < LOOKOUT_TIME;
        Some(work)
    }

    /// Notes whether the work that arrived is one short job. Where more come together the next are there soon enough.
    pub(super) fn arrived(&mut self, is_one_short_job: bool) {
        self.expects_one &= is_one_short_job;
    }
}

/// The next message, if it comes soon. Threads that wait for the processor go first.
fn look_out(queue: &Receiver<Work>, since: Instant) -> Option<Work> {
    while since.elapsed() < LOOKOUT_TIME {
        match queue.try_recv() {
            Ok(work) => return Some(work),
            Err(TryRecvError::Empty) => thread::yield_now(),
            Err(TryRecvError::Disconnected) => break,
        }
    }
    None
}

/// Sleeps until the next message. In an idle period it checkpoints the log and frees page caches, because the programs run
/// for days and mostly wait.
fn sleep(conn: &Connection, queue: &Receiver<Work>, idle: &dyn Fn()) -> Option<Work> {
    match queue.recv_timeout(IDLE_TIMEOUT) {
        Ok(job) => return Some(job),
        Err(RecvTimeoutError::Disconnected) => return None,
        Err(RecvTimeoutError::Timeout) => {}
    }
    if let Err(e) = checkpoint::when_idle(conn) {
        tracing::debug!(error = %e, "the write-ahead log stays as it is");
    }
    if let Err(e) = conn.release_memory() {
        tracing::debug!(error = %e, "could not give memory back");
    }
    idle();
    queue.recv().ok()
}
