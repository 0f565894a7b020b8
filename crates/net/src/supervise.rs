//! Supervises the program's tasks: a task that panics is logged, counted and restarted after a growing wait. A test
//! ensures that no task is spawned elsewhere.
//!
//! The own server is begun again on the same listener, so that its port is never anybody else's.

use std::convert::Infallible;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

/// The wait before the first restart; it doubles with each fault.
const FIRST_RESTART_DELAY: Duration = Duration::from_millis(500);
/// The longest wait before a restart.
const MAX_RESTART_DELAY: Duration = Duration::from_secs(60);
/// The running time without a fault after which a task is restarted with the first wait again.
pub const STABLE_RUN_TIME: Duration = Duration::from_secs(10 * 60);

static FAULTS: AtomicU64 = AtomicU64::new(0);

/// The number of faults of this process: panics of its tasks, and errors of tasks that should not end.
pub fn faults() -> u64 {
    FAULTS.load(Ordering::Relaxed)
}

/// Counts and logs a panic.
pub fn count(task: &str) {
    let faults = FAULTS.fetch_add(1, Ordering::Relaxed) + 1;
    tracing::error!(task, faults, "a task panicked");
}

/// Counts and logs an error that ended a task.
fn count_error(task: &str, error: &dyn Display) {
    let faults = FAULTS.fetch_add(1, Ordering::Relaxed) + 1;
    tracing::error!(task, faults, %error, "a task ended");
}

/// Runs a future; `false` if it panicked, which is logged and counted.
pub async fn catch(task: &str, work: impl Future<Output = ()>) -> bool {
    let completed = AssertUnwindSafe(work).catch_unwind().await.is_ok();
    if !completed {
        count(task);
    }
    completed
}

/// Spawns a task that is restarted after each panic, until it ends by itself. `begin` makes the future of each run.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let task = tidings_net::supervise::keep("an example", || async {});
/// assert!(task.await.is_ok());
/// # }
/// ```
pub fn keep<F, W>(task: &'static str, mut begin: F) -> JoinHandle<()>
where
    F: FnMut() -> W + Send + 'static,
    W: Future<Output = ()> + Send + 'static,
{
    keep_serving(task, move || {
        let work = begin();
        async move {
            work.await;
            Ok::<(), Infallible>(())
        }
    })
}

/// Like [`keep`], for a task that can also end with an error, after which it is restarted too.
pub fn keep_serving<F, W, E>(task: &'static str, mut begin: F) -> JoinHandle<()>
where
    F: FnMut() -> W + Send + 'static,
    W: Future<Output = Result<(), E>> + Send + 'static,
    E: Display,
{
    tokio::spawn(async move {
        let mut wait = FIRST_RESTART_DELAY;
        loop {
            let started = Instant::now();
            // `begin` may panic as well.
            match AssertUnwindSafe(async { begin().await }).catch_unwind().await {
                Ok(Ok(())) => return,
                Ok(Err(error)) => count_error(task, &error),
                Err(_) => count(task),
            }
            if started.elapsed() >= STABLE_RUN_TIME {
                wait = FIRST_RESTART_DELAY;
            }
            sleep(wait).await;
            wait = (wait * 2).min(MAX_RESTART_DELAY);
        }
    })
}

/// Spawns a task that is not restarted; a panic is logged and counted.
pub fn once(task: &'static str, work: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    tokio::spawn(async move {
        catch(task, work).await;
    })
}

/// Runs blocking work once in tokio's pool; a panic is logged and counted.
pub fn once_blocking(task: &'static str, work: impl FnOnce() + Send + 'static) -> JoinHandle<()> {
    tokio::task::spawn_blocking(move || {
        if catch_unwind(AssertUnwindSafe(work)).is_err() {
            count(task);
        }
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_task_that_panics_is_counted_and_begun_again_until_it_ends_by_itself() {
        let runs = Arc::new(AtomicU64::new(0));
        let (seen, before, start) = (runs.clone(), faults(), Instant::now());
        let task = keep("a test", move || {
            let nth = seen.fetch_add(1, Ordering::SeqCst);
            async move { assert!(nth >= 3, "a fault on purpose") }
        });
        task.await.unwrap();
        assert_eq!(runs.load(Ordering::SeqCst), 4);
        assert!(faults() >= before + 3);
        assert_eq!(start.elapsed(), FIRST_RESTART_DELAY * 7, "each wait is twice the one before");
    }

    #[tokio::test(start_paused = true)]
    async fn a_task_that_may_not_end_is_begun_again_after_an_error_as_after_a_panic() {
        let runs = Arc::new(AtomicU64::new(0));
        let (seen, before) = (runs.clone(), faults());
        let task = keep_serving("a test", move || {
            let nth = seen.fetch_add(1, Ordering::SeqCst);
            assert!(nth != 0, "a fault on purpose, as it is begun");
            async move {
                assert!(nth != 1, "a fault on purpose, while it runs");
                if nth == 2 { Err("an error on purpose") } else { Ok(()) }
            }
        });
        task.await.unwrap();
        assert_eq!(runs.load(Ordering::SeqCst), 4);
        assert!(faults() >= before + 3);
    }

    #[tokio::test]
    async fn blocking_work_that_panics_is_counted() {
        let before = faults();
        once_blocking("a test", || panic!("a fault on purpose")).await.unwrap();
        assert!(faults() > before);
    }
}
