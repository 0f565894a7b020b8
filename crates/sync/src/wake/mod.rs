//! Detects that open connections may be dead: after a sleep of the machine, a jump of the clock, or a change of the
//! network.

mod clock_jump;
#[cfg(target_os = "linux")]
mod logind;

use std::{sync::Arc, time::Duration};

use futures_util::stream::{self, BoxStream, StreamExt};
use tidings_model::Clock;
use tidings_net::route;

/// The reason for which open connections may be dead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wake {
    /// The machine woke up.
    Resumed,
    /// The wall clock and the monotonic clock diverged: a sleep that the system did not announce, or a set clock.
    ClockJumped,
    /// This machine's own address towards the internet changed.
    NetworkChanged,
}

/// A stream of wakes; it never ends.
pub type Wakes = BoxStream<'static, Wake>;

/// The interval at which the clocks and the route are checked.
const CHECK_INTERVAL: Duration = Duration::from_secs(4);

/// The wakes of this machine. Without a system bus only the clocks detect a sleep.
pub fn system(clock: Arc<dyn Clock>) -> Wakes {
    let ticks = watch(clock, route::current);
    #[cfg(target_os = "linux")]
    let wakes = stream::select(ticks, logind::resumes()).boxed();
    #[cfg(not(target_os = "linux"))]
    let wakes = ticks;
    wakes
}

/// A stream without any element: for a single pull, and for tests.
pub fn never() -> Wakes {
    stream::pending().boxed()
}

fn watch<R: FnMut() -> route::Route + Send + 'static>(clock: Arc<dyn Clock>, mut route: R) -> Wakes {
    let jump = clock_jump::ClockJump::new(clock.now(), tokio::time::Instant::now());
    let known = route();
    let mut ticks = tokio::time::interval(CHECK_INTERVAL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    stream::unfold((ticks, jump, known, route, clock), |mut state| async move {
        let (ticks, jump, known, route, clock) = &mut state;
        loop {
            ticks.tick().await;
            let jumped = jump.check(clock.now(), tokio::time::Instant::now());
            let current = route();
            let moved = std::mem::replace(known, current) != current;
            // A lost network is not a wake: no server can be reached, and the connections fail by themselves.
            if moved && current.is_some() {
                return Some((Wake::NetworkChanged, state));
            }
            if jumped {
                return Some((Wake::ClockJumped, state));
            }
        }
    })
    .boxed()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use tidings_model::Stamp;
    use tidings_testkit::clock::ManualClock;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn another_network_and_a_jumped_clock_wake_and_a_lost_network_does_not() {
        let clock = ManualClock::at(Stamp::ZERO);
        let route = Arc::new(Mutex::new(route::Route::default()));
        let seen = route.clone();
        let started = tokio::time::Instant::now();
        let mut wakes = watch(Arc::new(clock.clone()), move || *seen.lock().unwrap());
        let advance_clock = |by: i64| {
            let passed = i64::try_from(started.elapsed().as_micros()).unwrap();
            clock.set(Stamp::from_micros(passed + by));
        };

        route.lock().unwrap().v4 = Some([10, 0, 0, 7].into());
        assert_eq!(wakes.next().await, Some(Wake::NetworkChanged));
        *route.lock().unwrap() = route::Route::default();
        let quiet = tokio::time::timeout(CHECK_INTERVAL + CHECK_INTERVAL / 2, wakes.next()).await;
        assert!(quiet.is_err(), "{quiet:?}");
        advance_clock(3_600_000_000);
        assert_eq!(wakes.next().await, Some(Wake::ClockJumped));
    }
}
