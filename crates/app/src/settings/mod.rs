//! The reader's settings. A change takes effect at once.

mod background;
mod global_shortcut;
pub(crate) mod notices;
mod proxy;

use tidings_replica::{EARLY_WAKE, FROM_PRIORITY};

use crate::app::App;
use crate::error::Result;
use crate::ipc::{MenuEntry, NotifyDefaults, Settings};

impl App {
    /// The settings in force.
    pub(crate) fn current_settings(&self) -> Settings {
        self.context.settings.get().to_ipc(self.context.system_language.interface())
    }

    /// Stores settings; returns those in force.
    pub async fn settings(&self, settings: &Settings) -> Result<Settings> {
        let (before, after) = self.context.settings.update(|stored| stored.apply(settings));
        self.context.store_settings(&after).await?;
        if before.notify != after.notify {
            self.store_notify_defaults(&after.notify).await?;
            self.calendars.quiet_hours_changed();
        }
        if before.notify.from_priority != after.notify.from_priority {
            // Other threads count on the badge now.
            self.context.events.update(|dirty| dirty.refetch = true);
        }
        if before.keep_days != after.keep_days {
            self.inner.retention_changed.notify_one();
        }
        if before.scale.zoom != after.scale.zoom {
            self.context.ports.window.set_zoom(after.scale.zoom);
        }
        if before.behaviour.keep_running != after.behaviour.keep_running {
            self.tray_notice_changed();
        }
        if before.lang != after.lang {
            // All rendered text changes, that of the tray included.
            self.context.events.update(|dirty| dirty.settings = true);
        }
        Ok(self.current_settings())
    }

    /// Stores the settings by which the replica counts and wakes, and recomputes the silence.
    async fn store_notify_defaults(&self, notify: &NotifyDefaults) -> Result<()> {
        let (early, least) = (notify.early_wake, notify.from_priority);
        self.context
            .disk(move |r| {
                r.set_setting(EARLY_WAKE, &early.into())?;
                r.set_setting(FROM_PRIORITY, &least.into())
            })
            .await?;
        self.silence.silence_changed();
        self.toasts.end_silence().await
    }

    /// Shows a native menu at a position in the page, px of the page, which the zoom makes larger or smaller.
    pub async fn popup(&self, entries: Vec<MenuEntry>, (x, y): (i32, i32)) -> Option<String> {
        let zoom = i32::from(self.context.settings.get().scale.zoom);
        let zoomed = |px: i32| px.saturating_mul(zoom) / 100;
        self.context.ports.menus.popup(entries, (zoomed(x), zoomed(y))).await
    }

    /// Switches autostart on or off; returns the state read back afterwards.
    pub fn autostart(&self, on: bool) -> bool {
        self.context.ports.autostart.set(on).unwrap_or(false)
    }
}
