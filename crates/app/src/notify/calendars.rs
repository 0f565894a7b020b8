//! Calendars that hold toasts back while they are busy. Each is asked about every half hour.

use std::time::Duration;

use crate::app::App;
use crate::error::Result;
use crate::state::calendars::CALENDARS_KEY;

/// The longest wait: after a sleep of the computer the clock is read again at least this soon.
const MAX_WAIT: Duration = Duration::from_secs(60);

impl App {
    /// Asks the calendars of quiet hours when they are due, for as long as the program runs.
    pub(crate) async fn run_calendars(self) {
        loop {
            let wait = self.refresh_calendars().await.unwrap_or_else(|error| {
                tracing::error!(%error, "what calendars said could not be kept");
                MAX_WAIT
            });
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = self.inner.calendars_changed.notified() => {}
            }
        }
    }

    /// Asks the calendars that are due; gives the time until the next look.
    pub(crate) async fn refresh_calendars(&self) -> Result<Duration> {
        let before = self.inner.settings.calendars();
        let quiet = self.inner.settings.get().notify.quiet;
        let known = before.refreshed(&quiet, &self.inner.clock).await;
        if known != before {
            let value = serde_json::to_value(&known).unwrap_or_default();
            self.disk(move |replica| replica.set_setting(CALENDARS_KEY, &value)).await?;
            self.inner.settings.set_calendars(known);
            self.silence_changed();
            self.end_silence().await?;
        }
        Ok(MAX_WAIT)
    }
}
