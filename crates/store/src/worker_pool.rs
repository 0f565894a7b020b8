//! Threads of lower priority for work that takes much processor time: reading pages, serializing them, parsing large
//! bodies. The threads that serve connections and the one that writes the database have precedence. Each user's work
//! waits in a queue of its own, the queues take turns, and no user has all threads at once.
//!
//! Short reads, of tokens or by key, have their own places, so that a small request never waits for a large one.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;

use crate::domain::account::UserKey;
use crate::threads::{Condvar, Mutex, MutexGuard, lower_priority, thread};

/// A thread without work ends after this, which frees the memory that its allocator has cached.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10);

/// The stack of a thread. Parsers and template engines may nest as deep as their bounds say, which take a fraction of it,
/// in debug builds too.
pub const STACK_BYTES: usize = 8 * 1024 * 1024;

type Job = Box<dyn FnOnce() + Send>;

/// The reason why work has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunError {
    /// It did not start within the timeout.
    Busy,
    /// It panicked, or no thread could be started.
    Failed,
}

/// A pool of threads, started on demand. Dropping it ends the threads after their current and queued work.
pub struct WorkerPool {
    shared: Arc<Shared>,
    name: &'static str,
    max_threads: usize,
}

struct Shared {
    queues: Mutex<Queues>,
    wake: Condvar,
    /// Threads that one user may have at once.
    share: usize,
}

/// The queued work and the state of the threads.
#[derive(Default)]
struct Queues {
    waiting: HashMap<UserKey, VecDeque<Job>>,
    /// Number of queued jobs.
    count: usize,
    /// The users whose turn is next, each once who has queued jobs.
    ready: VecDeque<UserKey>,
    /// How many threads work for each user.
    running: HashMap<UserKey, usize>,
    threads: usize,
    idle: usize,
    closed: bool,
}

impl Queues {
    fn add(&mut self, user: UserKey, job: Job) {
        let queue = self.waiting.entry(user).or_default();
        if queue.is_empty() {
            self.ready.push_back(user);
        }
        queue.push_back(job);
        self.count += 1;
    }

    /// The next job of a user who has fewer threads than `share`.
    fn next(&mut self, share: usize) -> Option<(UserKey, Job)> {
        let has_room = |user: &UserKey| self.running.get(user).is_none_or(|running| *running < share);
        let place = self.ready.iter().position(has_room)?;
        let user = self.ready.remove(place)?;
        let queue = self.waiting.get_mut(&user)?;
        let job = queue.pop_front();
        if queue.is_empty() {
            self.waiting.remove(&user);
        } else {
            self.ready.push_back(user);
        }
        let job = job?;
        self.count -= 1;
        *self.running.entry(user).or_default() += 1;
        Some((user, job))
    }

    fn end(&mut self, user: UserKey) {
        let running = self.running.get(&user).map_or(0, |running| running.saturating_sub(1));
        if running == 0 {
            self.running.remove(&user);
        } else {
            self.running.insert(user, running);
        }
    }
}

impl Shared {
    fn queues(&self) -> MutexGuard<'_, Queues> {
        self.queues.lock()
    }

    /// The next job; `None` when the thread has to end.
    fn next(&self) -> Option<(UserKey, Job)> {
        let mut queues = self.queues();
        loop {
            if let Some(job) = queues.next(self.share) {
                return Some(job);
            }
            if queues.closed {
                queues.threads -= 1;
                return None;
            }
            queues.idle += 1;
            let waited = self.wake.wait_for(&mut queues, IDLE_TIMEOUT);
            queues.idle -= 1;
            if waited.timed_out() && queues.ready.is_empty() {
                queues.threads -= 1;
                return None;
            }
        }
    }

    fn work(&self) {
        lower_priority();
        while let Some((user, job)) = self.next() {
            // The panic drops the sender, by which the caller gets [`RunError::Failed`].
            drop(catch_unwind(AssertUnwindSafe(job)));
            // A further job of this user, who may have had no room, is taken by this thread.
            self.queues().end(user);
        }
    }
}

impl WorkerPool {
    /// A pool of at most `max_threads` threads of this name. If there is more than one, one user never has the last.
    pub fn new(name: &'static str, max_threads: usize) -> Self {
        let share = max_threads.saturating_sub(1).max(1);
        let shared = Shared { queues: Mutex::default(), wake: Condvar::new(), share };
        Self { shared: Arc::new(shared), name, max_threads: max_threads.max(1) }
    }

    /// Runs work in the user's queue and waits for its result. Work whose caller stopped waiting before it started is
    /// not run.
    ///
    /// # Errors
    /// [`RunError::Failed`] if the work panicked or no thread could be started.
    pub async fn run<T: Send + 'static>(
        &self,
        user: UserKey,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, RunError> {
        self.start(user, || {}, work).await.map_err(|_| RunError::Failed)
    }

    /// Like [`WorkerPool::run`], with a timeout for the start of the work.
    ///
    /// # Errors
    /// [`RunError::Busy`] if it did not start in time, [`RunError::Failed`] if it panicked or no thread could be
    /// started.
    pub async fn run_within<T: Send + 'static>(
        &self,
        timeout: Duration,
        user: UserKey,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, RunError> {
        let (started_sender, started) = oneshot::channel();
        let done = self.start(
            user,
            move || {
                // The caller may have stopped waiting.
                let _ = started_sender.send(());
            },
            work,
        );
        tokio::pin!(done);
        tokio::select! {
            biased;
            done = &mut done => return done.map_err(|_| RunError::Failed),
            started = tokio::time::timeout(timeout, started) => if started.is_err() {
                return Err(RunError::Busy);
            }
        }
        done.await.map_err(|_| RunError::Failed)
    }

    fn start<T: Send + 'static>(
        &self,
        user: UserKey,
        on_start: impl FnOnce() + Send + 'static,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (sender, receiver) = oneshot::channel();
        self.add(
            user,
            Box::new(move || {
                if !sender.is_closed() {
                    on_start();
                    // A result that nobody waits for is dropped here, on this thread.
                    drop(sender.send(work()));
                }
            }),
        );
        receiver
    }

    fn add(&self, user: UserKey, job: Job) {
        let mut queues = self.shared.queues();
        queues.add(user, job);
        if queues.idle >= queues.count || queues.threads >= self.max_threads {
            drop(queues);
            self.shared.wake.notify_one();
            return;
        }
        queues.threads += 1;
        drop(queues);
        let shared = Arc::clone(&self.shared);
        let thread = thread::Builder::new().name(self.name.to_owned()).stack_size(STACK_BYTES);
        let started = thread.spawn(move || shared.work());
        if let Err(e) = started {
            tracing::error!(error = %e, "could not start a thread");
            let mut queues = self.shared.queues();
            queues.threads -= 1;
            if queues.threads == 0 {
                // No thread is left to run the queued jobs, so they are dropped and their callers get an error.
                (queues.waiting, queues.ready, queues.count) = Default::default();
            }
            drop(queues);
            // An idle one takes the job, instead of one that was not started.
            self.shared.wake.notify_one();
        }
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.shared.queues().closed = true;
        self.shared.wake.notify_all();
    }
}

#[cfg(test)]
#[path = "worker_pool_tests.rs"]
mod tests;
