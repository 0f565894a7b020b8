//! Keeps tasks running for as long as the server does. A task that panics or ends is logged, counted, and restarted
//! after a growing pause.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use tidings_server_core::task_failures::TaskFailures;
use tokio::time::{Instant, sleep};

use crate::core_dumps::panic_message;

/// The first pause before a restart, and the longest one.
const RESTART_DELAYS: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(60));
/// A task that ran for this long restarts after the first pause.
const DELAY_RESET_AFTER: Duration = Duration::from_secs(300);

/// Runs a task forever, and restarts it when it ends or panics.
pub(super) async fn supervise<F: Future<Output = ()>>(
    name: &'static str,
    task_failures: &TaskFailures,
    task: impl Fn() -> F,
) {
    let (first, longest) = RESTART_DELAYS;
    let mut delay = first;
    loop {
        let started = Instant::now();
        let ended = AssertUnwindSafe(task()).catch_unwind().await;
        task_failures.record(name);
        let reason = ended.map_or_else(|panic| panic_message(&*panic), |()| "it ended");
        tracing::error!(task = name, reason, "a task of the server is started again");
        if started.elapsed() >= DELAY_RESET_AFTER {
            delay = first;
        }
        sleep(delay).await;
        delay = delay.saturating_mul(2).min(longest);
    }
}
