//! Waiting for a condition, with a bound.

use std::fmt::Debug;
use std::future::Future;
use std::time::{Duration, Instant};

/// The bound for everything that should happen soon on a busy machine.
pub const TEST_TIMEOUT: Duration = Duration::from_secs(90);

/// How long to watch that something does *not* happen.
pub const QUIET_PERIOD: Duration = Duration::from_millis(1_500);

/// The shortest and the longest pause between two looks.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
const MAX_POLL_INTERVAL: Duration = Duration::from_millis(100);
/// The longest pause after a look that itself took long.
const MAX_REST: Duration = Duration::from_millis(250);

/// The pause before the next look: a fifth of the time so far, and as long as the last look, which began at `look`. Each look
/// takes of the processor, which what is awaited needs too.
fn pause(start: Instant, look: Instant, shortest: Duration) -> Duration {
    let rest = look.elapsed().min(MAX_REST);
    (start.elapsed() / 5).clamp(shortest, MAX_POLL_INTERVAL).max(rest)
}

/// The answer of a probe: a `bool` that says whether the condition holds, or an `Option` with the awaited value.
pub trait Probe {
    /// The value of a condition that holds.
    type Found;
    /// The value, or `None` while the condition does not hold.
    fn found(self) -> Option<Self::Found>;
}

impl Probe for bool {
    type Found = ();

    fn found(self) -> Option<()> {
        self.then_some(())
    }
}

impl<T> Probe for Option<T> {
    type Found = T;

    fn found(self) -> Self {
        self
    }
}

/// Calls `probe` until its condition holds, at most [`TEST_TIMEOUT`]. On timeout the test fails naming `what`.
pub async fn until<P: Probe, F: Future<Output = P>>(what: &str, probe: impl FnMut() -> F) -> P::Found {
    within(TEST_TIMEOUT, what, probe).await
}

/// Calls `probe` until its condition holds, at most `bound`. On timeout the test fails naming `what`.
pub async fn within<P: Probe, F: Future<Output = P>>(
    bound: Duration,
    what: &str,
    mut probe: impl FnMut() -> F,
) -> P::Found {
    let start = Instant::now();
    loop {
        let look = Instant::now();
        if let Some(found) = probe().await.found() {
            return found;
        }
        assert!(start.elapsed() < bound, "waited {:.1} s in vain for {what}", bound.as_secs_f32());
        tokio::time::sleep(pause(start, look, POLL_INTERVAL)).await;
    }
}

/// [`until`] for synchronous probes; blocks the thread.
pub fn until_blocking<P: Probe>(what: &str, mut probe: impl FnMut() -> P) -> P::Found {
    let start = Instant::now();
    loop {
        let look = Instant::now();
        if let Some(found) = probe().found() {
            return found;
        }
        assert!(
            start.elapsed() < TEST_TIMEOUT,
            "waited {:.1} s in vain for {what}",
            TEST_TIMEOUT.as_secs_f32()
        );
        std::thread::sleep(pause(start, look, POLL_INTERVAL / 10));
    }
}

/// Calls `probe` until it returns `expected`, at most [`TEST_TIMEOUT`]. On timeout the test fails with the last value.
pub async fn until_equal<T: PartialEq + Debug, F: Future<Output = T>>(
    what: &str,
    expected: T,
    mut probe: impl FnMut() -> F,
) {
    let start = Instant::now();
    loop {
        let look = Instant::now();
        let answer = probe().await;
        if answer == expected {
            return;
        }
        assert!(
            start.elapsed() < TEST_TIMEOUT,
            "waited {:.1} s for {what} to be {expected:?}; it is {answer:?}",
            TEST_TIMEOUT.as_secs_f32()
        );
        tokio::time::sleep(pause(start, look, POLL_INTERVAL)).await;
    }
}

/// Asserts that `probe` returns `expected` for the whole of `span`.
pub async fn stays<T: PartialEq + Debug, F: Future<Output = T>>(
    span: Duration,
    what: &str,
    expected: T,
    mut probe: impl FnMut() -> F,
) {
    let start = Instant::now();
    while start.elapsed() < span {
        assert_eq!(probe().await, expected, "{what} did not stay");
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// Awaits `future`, at most [`TEST_TIMEOUT`]. On timeout the test fails naming `what`.
pub async fn within_timeout<T>(what: &str, future: impl Future<Output = T>) -> T {
    let done = tokio::time::timeout(TEST_TIMEOUT, future).await;
    done.unwrap_or_else(|_| panic!("waited {:.1} s in vain for {what}", TEST_TIMEOUT.as_secs_f32()))
}
