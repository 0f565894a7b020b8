//! The time that a request waits for its store, whatever it asks of it: its waits are added up. What runs outside of a
//! request, such as upkeep and open streams, has the time for each of its calls. A request that waits for the answer to a
//! question has it for each look.
//!
//! That time is nine seconds; then the request ends with `unavailable`. A write that has not begun by then is not
//! done, and one whose end was not seen is safe to repeat.

use std::cell::Cell;
use std::time::Duration;

use tokio::time::Instant;

/// How long a request waits for its store in all. With what else it does it is answered within ten seconds.
pub const REQUEST_TIME: Duration = Duration::from_secs(9);

tokio::task_local! {
    static WAITED: Cell<Waited>;
}

/// The waits of a request.
#[derive(Clone, Copy)]
struct Waited {
    allowed: Duration,
    /// The time of those that ended.
    ended: Duration,
    /// Those that go on, together since `since`.
    open: usize,
    since: Instant,
}

impl Waited {
    fn left(&self, now: Instant) -> Duration {
        let going_on = if self.open > 0 { now.saturating_duration_since(self.since) } else { Duration::ZERO };
        self.allowed.saturating_sub(self.ended + going_on)
    }
}

/// Runs a request, of which the waits for the store are bounded together.
pub fn of_request<F: Future>(request: F) -> impl Future<Output = F::Output> {
    of_request_within(REQUEST_TIME, request)
}

/// Like [`of_request`], with another time.
pub fn of_request_within<F: Future>(allowed: Duration, request: F) -> impl Future<Output = F::Output> {
    let waited = Waited { allowed, ended: Duration::ZERO, open: 0, since: Instant::now() };
    WAITED.scope(Cell::new(waited), request)
}

/// A wait for the store. It lasts until it is dropped; several of one request at the same time count once.
pub struct StoreWait {
    /// When the time of its request ends; `None` outside of a request.
    end: Option<Instant>,
}

impl StoreWait {
    /// Begins a wait of the request that this task runs.
    pub fn begin() -> Self {
        let now = Instant::now();
        let end = WAITED.try_with(|cell| {
            let mut waited = cell.get();
            let left = waited.left(now);
            if waited.open == 0 {
                waited.since = now;
            }
            waited.open += 1;
            cell.set(waited);
            now + left
        });
        Self { end: end.ok() }
    }

    /// When the time of the request ends; `None` outside of a request.
    pub fn end(&self) -> Option<Instant> {
        self.end
    }

    /// When this wait ends that began just now and may take `time`.
    pub fn end_within(&self, time: Duration) -> Instant {
        let end = Instant::now() + time;
        self.end.map_or(end, |of_request| of_request.min(end))
    }
}

impl Drop for StoreWait {
    fn drop(&mut self) {
        // Outside of a request there is nothing to do.
        let _ = WAITED.try_with(|cell| {
            let mut waited = cell.get();
            waited.open = waited.open.saturating_sub(1);
            if waited.open == 0 {
                waited.ended += waited.since.elapsed();
            }
            cell.set(waited);
        });
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::sleep;

    use super::*;

    const MOMENT: Duration = Duration::from_millis(50);
    const ALLOWED: Duration = Duration::from_secs(100);

    async fn wait() {
        let _wait = StoreWait::begin();
        sleep(MOMENT).await;
    }

    fn left() -> Option<Duration> {
        Some(StoreWait::begin().end()?.saturating_duration_since(Instant::now()))
    }

    #[tokio::test]
    async fn the_waits_of_a_request_are_added_up_and_what_lies_between_them_is_not() {
        let waits = of_request_within(ALLOWED, async {
            // A look at the remaining time is a wait, too.
            let (began, first) = (Instant::now(), left().unwrap());
            wait().await;
            let mut waits = began.elapsed();
            sleep(4 * MOMENT).await;
            let began = Instant::now();
            wait().await;
            let left = left().unwrap();
            waits += began.elapsed();
            assert!(
                left + 2 * MOMENT <= first && left + waits >= first,
                "{left:?} of {first:?} after {waits:?}"
            );
            waits
        });
        assert!(waits.await >= 2 * MOMENT);
        of_request(async { assert!(left().unwrap() + MOMENT > REQUEST_TIME, "another one has its own") })
            .await;
    }

    #[tokio::test]
    async fn waits_at_the_same_time_count_once() {
        of_request_within(ALLOWED, async {
            let began = Instant::now();
            tokio::join!(wait(), wait(), wait());
            let left = left().unwrap();
            assert!(left + MOMENT <= ALLOWED && left + began.elapsed() >= ALLOWED, "{left:?}");
        })
        .await;
    }

    #[tokio::test]
    async fn each_look_of_a_request_that_waits_for_an_answer_has_a_time_of_its_own() {
        of_request_within(MOMENT, async {
            wait().await;
            of_request(async { assert!(left().unwrap() + MOMENT > REQUEST_TIME) }).await;
            assert_eq!(left(), Some(Duration::ZERO), "and takes none from the request");
        })
        .await;
    }

    #[tokio::test]
    async fn nothing_is_left_of_a_request_that_waited_for_its_time() {
        of_request_within(MOMENT, async {
            wait().await;
            assert_eq!(left(), Some(Duration::ZERO));
        })
        .await;
        wait().await;
        assert!(left().is_none(), "outside of a request each wait has its own time");
    }
}
