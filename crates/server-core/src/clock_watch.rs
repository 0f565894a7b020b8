//! Whether anything may be deleted by age: not while the clock may be wrong ([`tidings_model::AgeHold`]).
//!
//! The rest of a hold is stored in `meta.age_hold_secs` before the server serves. The log and `tidings check` name it,
//! and `serve --retain-now` ends it.

use std::time::{Duration, Instant};

use tidings_model::{AgeHold, Clock};
use tidings_store::{Error, Store};
use tokio::sync::Mutex;

/// Watches the clock for the tasks that delete by age.
#[derive(Debug)]
pub(crate) struct ClockWatch(Mutex<Watched>);

#[derive(Debug)]
struct Watched {
    hold: AgeHold,
    /// When the clock was last looked at.
    looked_at: Instant,
}

impl ClockWatch {
    /// Looks at the clock before anything gets a stamp of it. `is_trusted`: nothing holds, whatever the clock says.
    ///
    /// # Errors
    /// [`Error::Store`] if the database can't be read.
    pub(crate) async fn begin(store: &dyn Store, clock: &dyn Clock, is_trusted: bool) -> Result<Self, Error> {
        let (stored, newest, now) = (store.age_hold().await?, store.meta().await?.last_stamp, clock.now());
        let hold = if is_trusted { AgeHold::ended(now) } else { AgeHold::at_start(stored, newest, now) };
        Ok(Self(Mutex::new(Watched { hold, looked_at: Instant::now() })))
    }

    /// Counts the time that passed and looks at the clock again. False if nothing may be deleted by age now.
    pub(crate) async fn allows_deletion(
        &self,
        store: &dyn Store,
        clock: &dyn Clock,
        is_trusted: bool,
    ) -> bool {
        let mut watched = self.0.lock().await;
        let (now, at) = (clock.now(), Instant::now());
        let before = watched.hold.left();
        let ran = at.duration_since(watched.looked_at);
        watched.looked_at = at;
        if is_trusted {
            watched.hold = AgeHold::ended(now);
        } else {
            watched.hold.run(ran, now);
        }
        if watched.hold.left() > before {
            tell(watched.hold);
        } else if !before.is_zero() && !watched.hold.is_in_force() {
            tracing::info!("the clock is trusted again; what is old is deleted by age from now on");
        }
        watched.keep(store).await;
        !watched.hold.is_in_force()
    }

    /// The time of running that is left; zero if nothing holds.
    pub(crate) async fn left(&self) -> Duration {
        self.0.lock().await.hold.left()
    }

    /// Stores a hold that the start found, before a stamp of the clock hides from the next one what it found.
    pub(crate) async fn keep(&self, store: &dyn Store) {
        self.0.lock().await.keep(store).await;
    }

    /// The same when the server begins to serve; it also says so in the log.
    pub(crate) async fn keep_and_tell(&self, store: &dyn Store) {
        let watched = self.0.lock().await;
        if watched.hold.is_in_force() {
            tell(watched.hold);
        }
        watched.keep(store).await;
    }
}

impl Watched {
    /// Stores the rest, so that a restart does not end the hold. If that fails, a restart holds for longer. A write may
    /// have stored another one: an idle server finds its newest stamp far behind the clock too.
    async fn keep(&self, store: &dyn Store) {
        let left = self.hold.left();
        let kept = match store.age_hold().await {
            Ok(stored) if stored.as_secs() == left.as_secs() => Ok(()),
            Ok(_) => store.set_age_hold(left).await,
            Err(e) => Err(e),
        };
        if let Err(e) = kept {
            tracing::warn!(error = %e, "could not store for how long nothing is deleted by age");
        }
    }
}

fn tell(hold: AgeHold) {
    tracing::warn!(
        hours_left = hold.left().as_secs().div_ceil(3_600),
        "the clock is more than 7 days ahead of what is known; nothing is deleted by age for now"
    );
}
