//! Retention: removes archived items by their age, and looks at the clock before.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;

use crate::context::{Context, part};
use crate::error::Result;
use crate::sources::own_server::Server;
use crate::state::age_hold::{ClockWatch, KEY, Stored};
use crate::state::own_server::ServerState;

/// Interval between two runs of retention.
const RETENTION_INTERVAL: Duration = Duration::from_secs(6 * 60 * 60);
/// The same while nothing may be removed by age.
const HOLD_INTERVAL: Duration = Duration::from_secs(10 * 60);
/// Items that one step of retention removes.
const RETENTION_PORTION: usize = 500;

part! {
    /// Removes archived items by their age, and watches the clock that says it.
    pub(crate) struct Retention {
        context: Arc<Context>,
        server: Arc<Server>,
        server_state: Arc<ServerState>,
        clock_watch: Arc<ClockWatch>,
        changed: Arc<Notify>,
    }
}

impl Retention {
    /// Applies the retention of archived items at the start, every six hours, and when `keep_days` changed. It runs
    /// more often while the clock is not trusted, so that the time of running is counted. Looks at the own server's
    /// stamps as often.
    pub(crate) async fn run_retention(self: Arc<Self>) {
        loop {
            match self.apply_retention().await {
                Ok(0) => {}
                Ok(items) => tracing::info!(items, "archived items were removed from this computer"),
                Err(error) => {
                    tracing::warn!(%error, "archived items could not be removed from this computer");
                }
            }
            if let Some(server) = self.server_state.server() {
                self.server.look_at_stamps(server.as_ref()).await;
            }
            let is_held = !self.clock_watch.left().is_zero();
            let interval = if is_held { HOLD_INTERVAL } else { RETENTION_INTERVAL };
            tokio::select! {
                () = tokio::time::sleep(interval) => {}
                () = self.changed.notified() => {}
            }
        }
    }

    /// Removes items that were archived longer ago than `keep_days` from this computer; returns how many. None while
    /// the clock may be wrong.
    pub(crate) async fn apply_retention(&self) -> Result<usize> {
        const DAY_SECS: i64 = 24 * 60 * 60;
        let mut all = 0;
        loop {
            // The time is taken before the clock is checked, so that a clock that is set in between is noticed with the
            // next portion. The clock is checked in any case, so that its state is never old.
            let now = self.context.now();
            let may_remove = self.may_remove_by_age().await?;
            let Some(days) = self.context.settings.get().keep_days.filter(|_| may_remove) else {
                return Ok(all);
            };
            let before = now.plus_secs(-DAY_SECS * i64::from(days));
            let removed = self.context.disk(move |r| r.apply_retention(before, RETENTION_PORTION)).await?;
            all += removed;
            if removed < RETENTION_PORTION {
                return Ok(all);
            }
            // Between two steps, reads and marks go first.
            tokio::task::yield_now().await;
        }
    }

    /// Looks at the clock, and stores what was seen. False if nothing may be removed by age now.
    pub(crate) async fn may_remove_by_age(&self) -> Result<bool> {
        let (context, watch) = (Arc::clone(&self.context), Arc::clone(&self.clock_watch));
        self.context
            .disk(move |replica| {
                let stored = Stored::of(replica)?;
                let now = context.now();
                let hold = watch.look(stored, now);
                if hold.left().as_secs() > stored.left_secs {
                    tracing::warn!(
                        "the clock is more than 7 days ahead; archived items stay for a day of running"
                    );
                }
                let seen = Stored { left_secs: hold.left().as_secs(), seen: Some(now) };
                replica.set_setting(KEY, &serde_json::to_value(seen)?)?;
                Ok(!hold.is_in_force())
            })
            .await
    }
}
