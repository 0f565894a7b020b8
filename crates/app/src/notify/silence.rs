//! What holds toasts back, and the timers of its end: a pause, quiet hours, the desktop's do-not-disturb mode. Snoozed items
//! wake by the same timers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tidings_ipc::QuietNow;
use tidings_model::Stamp;
use tidings_toasts::quiet;
use tokio::sync::Notify;

use super::quiet_now;
use super::toasts::Toasts;
use crate::context::{Context, part};
use crate::error::Result;

/// The longest wait of the timers: after a sleep of the computer the clock is read again at least this soon.
const MAX_TIMER_WAIT: Duration = Duration::from_secs(60);

part! {
    /// The silence in force, and the timers that end it.
    pub(crate) struct Silence {
        context: Arc<Context>,
        toasts: Arc<Toasts>;
        /// Notified when an item was snoozed or a silence changed, so that the next timer is computed again.
        timers_changed: Notify = Notify::new(),
        /// Whether the desktop's do-not-disturb mode is on, as its adapter last reported.
        do_not_disturb: AtomicBool = AtomicBool::new(false),
    }
}

impl Silence {
    /// Takes over whether the desktop's do-not-disturb mode is on.
    pub(crate) fn set_do_not_disturb(&self, on: bool) {
        self.do_not_disturb.store(on, Ordering::Relaxed);
        self.context.events.update(|dirty| dirty.sync = true);
    }

    /// Whether the desktop's do-not-disturb mode is on, as far as it is known.
    pub(crate) fn do_not_disturb(&self) -> bool {
        self.do_not_disturb.load(Ordering::Relaxed)
    }

    /// Returns what is quiet now, and why.
    pub(crate) async fn quiet_now(&self) -> Result<QuietNow> {
        quiet_now::now(&self.context, self.do_not_disturb()).await
    }

    /// Pauses toasts until a time in milliseconds since 1970; 0 pauses until switched on again, `None` ends the pause.
    pub(crate) async fn pause_toasts(&self, until: Option<i64>) -> Result<()> {
        let (_, settings) = self.context.settings.update(|stored| stored.paused_until = until);
        self.silence_changed();
        self.context.store_settings(&settings).await?;
        self.toasts.end_silence().await
    }

    /// Handles that an item was snoozed or muted for a time, or that it was undone: the timers are computed again.
    pub(crate) fn timers_changed(&self) {
        self.timers_changed.notify_one();
    }

    /// Handles that a silence began, ended or changed: updates tray and page, and computes the timers again.
    pub(crate) fn silence_changed(&self) {
        self.timers_changed.notify_one();
        self.context.events.update(|dirty| {
            dirty.counts = true;
            dirty.sync = true;
        });
    }

    /// The time of the next timer: a pause ends, quiet hours begin or end, or a snoozed item wakes. `None` without one.
    pub(crate) async fn next_timer(&self) -> Result<Option<Stamp>> {
        let (pause, quiet) = {
            let (settings, now) = (self.context.settings.get(), self.context.now());
            let pause = settings.pause_end(now).filter(|until| *until < Stamp::MAX);
            (pause, quiet::next_change(&settings.notify.quiet, self.context.zone.as_ref(), now))
        };
        let wake = self.context.disk(tidings_replica::Replica::next_wake).await?;
        Ok([pause, quiet, wake].into_iter().flatten().min())
    }

    /// Runs the timers that are due: wakes snoozed items, ends pauses and quiet hours.
    pub(crate) async fn run_due_timers(&self) -> Result<()> {
        let now = self.context.now();
        let settings = self.context.settings.get();
        if settings.paused_until.is_some() && settings.pause_end(now).is_none() {
            self.pause_toasts(None).await?;
        }
        self.silence_changed();
        self.toasts.end_silence().await?;
        self.context.disk(move |replica| replica.wake(now)).await?;
        self.toasts.tell_woken().await
    }

    /// Waits for the next timer and runs it: wakes snoozed items, ends pauses and quiet hours.
    pub(crate) async fn run_timers(self: Arc<Self>) {
        // A silence may have ended while the program did not run.
        if let Err(error) = self.toasts.end_silence().await {
            tracing::error!(%error, "the summaries of deferred toasts could not be shown");
        }
        if let Err(error) = self.toasts.tell_woken().await {
            tracing::error!(%error, "what came back from a snooze has no toast");
        }
        loop {
            let next = self.next_timer().await.unwrap_or_else(|error| {
                tracing::error!(%error, "the next timer could not be computed");
                None
            });
            let now = self.context.now();
            let wait = next.map_or(MAX_TIMER_WAIT, |at| {
                let micros = at.as_micros().saturating_sub(now.as_micros()).max(0);
                Duration::from_micros(u64::try_from(micros).unwrap_or(0)).min(MAX_TIMER_WAIT)
            });
            // The wait is cut short by anything that may change the next timer.
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = self.timers_changed.notified() => continue,
            }
            if next.is_some_and(|at| at <= self.context.now())
                && let Err(error) = self.run_due_timers().await
            {
                tracing::error!(%error, "the due timers could not be run");
                tokio::time::sleep(MAX_TIMER_WAIT).await;
            }
        }
    }
}
