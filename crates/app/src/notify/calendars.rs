//! Calendars that hold toasts back while they are busy. Each is asked about every half hour.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;

use super::silence::Silence;
use super::toasts::Toasts;
use crate::context::{Context, part};
use crate::error::Result;
use crate::state::calendars::CALENDARS_KEY;

/// How often the clock is read: a sleep of the computer is noticed this late.
const LOOK_INTERVAL: Duration = Duration::from_secs(60);

/// The least time between two looks, however often the settings change: each change may name other addresses.
const LEAST_PAUSE: Duration = Duration::from_secs(5);

part! {
    /// Asks the calendars of quiet hours.
    pub(crate) struct Calendars {
        context: Arc<Context>,
        toasts: Arc<Toasts>,
        silence: Arc<Silence>;
        /// Notified when the calendars of quiet hours may be others, so that they are asked at once.
        changed: Notify = Notify::new(),
    }
}

impl Calendars {
    /// Asks the calendars of quiet hours when they are due, for as long as the program runs.
    pub(crate) async fn run_calendars(self: Arc<Self>) {
        loop {
            if let Err(error) = self.refresh_calendars().await {
                tracing::error!(%error, "what calendars said could not be kept");
            }
            tokio::time::sleep(LEAST_PAUSE).await;
            let changed = self.changed.notified();
            if self.has_calendars() {
                let _ = tokio::time::timeout(LOOK_INTERVAL, changed).await;
            } else {
                changed.await;
            }
        }
    }

    /// Handles that the quiet hours changed: their calendars are asked at once if they are due.
    pub(crate) fn quiet_hours_changed(&self) {
        self.changed.notify_one();
    }

    fn has_calendars(&self) -> bool {
        let settings = self.context.settings.get();
        settings.notify.quiet.iter().any(|hours| hours.on && hours.calendar.is_some())
    }

    /// Asks the calendars that are due.
    pub(crate) async fn refresh_calendars(&self) -> Result<()> {
        let before = self.context.settings.calendars();
        let settings = self.context.settings.get();
        let known = before.refreshed(&settings.notify.quiet, &self.context.clock).await;
        if known != before {
            let value = serde_json::to_value(&known).unwrap_or_default();
            self.context.disk(move |replica| replica.set_setting(CALENDARS_KEY, &value)).await?;
            self.context.settings.set_calendars(known);
            self.silence.silence_changed();
            self.toasts.end_silence().await?;
        }
        Ok(())
    }
}
