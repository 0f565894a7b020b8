//! Tasks that run for as long as the program does. One that panics is logged, counted and begun again after a wait that
//! grows; none ends in silence.

use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

/// The wait before a task is begun again; it doubles with each fault.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// The longest of these waits.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// A task that ran for so long without a fault waits the first wait again.
pub(crate) const SOUND: Duration = Duration::from_secs(10 * 60);

static FAULTS: AtomicU64 = AtomicU64::new(0);

/// How many tasks of this process have panicked so far.
pub fn faults() -> u64 {
    FAULTS.load(Ordering::Relaxed)
}

/// Counts and logs a fault.
pub(crate) fn count(task: &str) {
    let faults = FAULTS.fetch_add(1, Ordering::Relaxed) + 1;
    tracing::error!(task, faults, "a task panicked");
}

/// Runs a future; `false` where it panicked, which was logged and counted.
pub(crate) async fn caught(task: &str, work: impl Future<Output = ()>) -> bool {
    let sound = AssertUnwindSafe(work).catch_unwind().await.is_ok();
    if !sound {
        count(task);
    }
    sound
}

/// Starts a task that is begun again after each panic, until it ends by itself. `begin` is called for each beginning;
/// what it needs from the one before has to be shared.
pub fn keep<F, W>(task: &'static str, mut begin: F) -> JoinHandle<()>
where
    F: FnMut() -> W + Send + 'static,
    W: Future<Output = ()> + Send + 'static,
{
    tokio::spawn(async move {
        let mut wait = FIRST_WAIT;
        loop {
            let begun = Instant::now();
            if caught(task, begin()).await {
                return;
            }
            if begun.elapsed() >= SOUND {
                wait = FIRST_WAIT;
            }
            sleep(wait).await;
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    })
}

/// Starts a task that is done once: a panic is logged and counted.
pub fn once(task: &'static str, work: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    tokio::spawn(async move {
        caught(task, work).await;
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_task_that_panics_is_counted_and_begun_again_until_it_ends_by_itself() {
        let begun = Arc::new(AtomicU64::new(0));
        let (seen, before, start) = (begun.clone(), faults(), Instant::now());
        let task = keep("a test", move || {
            let nth = seen.fetch_add(1, Ordering::SeqCst);
            async move { assert!(nth >= 3, "a fault on purpose") }
        });
        task.await.unwrap();
        assert_eq!(begun.load(Ordering::SeqCst), 4);
        assert!(faults() >= before + 3);
        assert_eq!(start.elapsed(), FIRST_WAIT * 7, "each wait is twice the one before");
    }
}
