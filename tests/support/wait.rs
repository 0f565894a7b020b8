//! Waiting for a condition, with a bound.
//! Refuses to sleep for a fixed time and hope.

use std::{
    fmt::Debug,
    future::Future,
    time::{Duration, Instant},
};

/// How long anything that should happen "soon" may take on a busy machine.
pub const SOON: Duration = Duration::from_secs(90);

/// How long to watch that something does *not* happen.
pub const A_WHILE: Duration = Duration::from_millis(1_500);

const STEP: Duration = Duration::from_millis(25);

/// Asks `probe` until it has an answer, at most [`SOON`]. Fails the test naming `what`.
pub async fn until<T, P, F>(what: &str, probe: P) -> T
where
    P: FnMut() -> F,
    F: Future<Output = Option<T>>,
{
    within(SOON, what, probe).await
}

/// Asks `probe` until it has an answer, at most `bound`. Fails the test naming `what`.
pub async fn within<T, P, F>(bound: Duration, what: &str, mut probe: P) -> T
where
    P: FnMut() -> F,
    F: Future<Output = Option<T>>,
{
    let start = Instant::now();
    loop {
        if let Some(answer) = probe().await {
            return answer;
        }
        assert!(start.elapsed() < bound, "waited {:.1} s in vain for {what}", bound.as_secs_f32());
        tokio::time::sleep(STEP).await;
    }
}

/// Asks `probe` until it answers `expected`, at most [`SOON`]; on failure says what it answered last.
pub async fn until_equal<T, P, F>(what: &str, expected: T, mut probe: P)
where
    T: PartialEq + Debug,
    P: FnMut() -> F,
    F: Future<Output = T>,
{
    let start = Instant::now();
    loop {
        let answer = probe().await;
        if answer == expected {
            return;
        }
        assert!(
            start.elapsed() < SOON,
            "waited {:.1} s for {what} to be {expected:?}; it is {answer:?}",
            SOON.as_secs_f32()
        );
        tokio::time::sleep(STEP).await;
    }
}

/// Watches for `span` that `probe` keeps answering `expected`.
pub async fn stays<T, P, F>(span: Duration, what: &str, expected: T, mut probe: P)
where
    T: PartialEq + Debug,
    P: FnMut() -> F,
    F: Future<Output = T>,
{
    let start = Instant::now();
    while start.elapsed() < span {
        assert_eq!(probe().await, expected, "{what} did not stay");
        tokio::time::sleep(STEP).await;
    }
}
