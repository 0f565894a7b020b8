//! What a reader sets. Refuses to ask: a change holds at once.

use crate::app::{App, lock};
use crate::error::Result;
use crate::page::{Notifying, Settings};
use tidings_replica::{EARLY_WAKE, FROM_PRIORITY};

impl App {
    /// Settings in force.
    pub(crate) fn page_settings(&self) -> Settings {
        lock(&self.inner.kept).for_page(self.inner.system_lang)
    }

    /// Keeps settings and gives what holds now.
    pub async fn settings(&self, settings: &Settings) -> Result<Settings> {
        let (before, kept) = {
            let mut kept = lock(&self.inner.kept);
            let before = kept.clone();
            kept.take_in(settings);
            (before, kept.clone())
        };
        self.keep(&kept).await?;
        if before.notifying != kept.notifying {
            self.keep_notifying(&kept.notifying).await?;
        }
        if before.notifying.from_priority != kept.notifying.from_priority {
            // Other rows count now.
            self.inner.events.note(|dirty| dirty.refetch = true);
        }
        if before.keep_days != kept.keep_days {
            self.inner.kept_for.notify_one();
        }
        if before.lang != kept.lang {
            // Everything that Rust words reads differently now, the tray included.
            self.inner.events.note(|dirty| dirty.settings = true);
        }
        Ok(self.page_settings())
    }

    /// Tells the replica what it counts and wakes by, and everyone that quiet hours may be others now.
    async fn keep_notifying(&self, notifying: &Notifying) -> Result<()> {
        let (early, least) = (notifying.early_wake, notifying.from_priority);
        self.disk(move |r| {
            r.set_setting(EARLY_WAKE, &early.into())?;
            r.set_setting(FROM_PRIORITY, &least.into())
        })
        .await?;
        self.silence_changed();
        self.end_silence().await
    }

    /// Whether the app starts with the computer from now on.
    pub fn autostart(&self, on: bool) -> bool {
        self.inner.ports.autostart.set(on).unwrap_or(false)
    }
}
