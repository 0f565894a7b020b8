//! The reader's settings. A change is in force at once.

mod file;
pub(crate) mod notices;
pub(crate) mod store;

use crate::app::App;
use crate::error::Result;
use crate::ipc::{NotifyDefaults, Settings};
use tidings_replica::{EARLY_WAKE, FROM_PRIORITY};

impl App {
    /// Settings in force.
    pub(crate) fn current_settings(&self) -> Settings {
        self.inner.settings.get().to_ipc(self.inner.system_lang)
    }

    /// Keeps settings and gives what holds now.
    pub async fn settings(&self, settings: &Settings) -> Result<Settings> {
        let (before, kept) = self.inner.settings.update(|stored| stored.apply(settings));
        self.store_settings(&kept).await?;
        if before.notify != kept.notify {
            self.store_notify_defaults(&kept.notify).await?;
        }
        if before.notify.from_priority != kept.notify.from_priority {
            // Other rows count now.
            self.inner.events.note(|dirty| dirty.refetch = true);
        }
        if before.keep_days != kept.keep_days {
            self.inner.retention_changed.notify_one();
        }
        if before.lang != kept.lang {
            // Everything that Rust words reads differently now, the tray included.
            self.inner.events.note(|dirty| dirty.settings = true);
        }
        Ok(self.current_settings())
    }

    /// Tells the replica what it counts and wakes by, and everyone that quiet hours may be others now.
    async fn store_notify_defaults(&self, notify: &NotifyDefaults) -> Result<()> {
        let (early, least) = (notify.early_wake, notify.from_priority);
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
