//! The reader's settings. A change takes effect at once.

pub(crate) mod background;
pub(crate) mod global_shortcut;
pub(crate) mod newer_version;
pub(crate) mod proxy;

use std::sync::Arc;

use tidings_ipc::{MenuEntry, NotifyDefaults, Settings, Sound};
use tidings_replica::{EARLY_WAKE, FROM_PRIORITY};
use tokio::sync::Notify;

use self::background::Background;
use self::newer_version::ReleaseWatch;
use crate::context::{Context, part};
use crate::error::{Error, Result};
use crate::notify::calendars::Calendars;
use crate::notify::silence::Silence;
use crate::notify::toasts::Toasts;

/// The most lines of a native menu with its submenus.
const MAX_MENU_LINES: usize = 500;

/// The lines of a menu and of its submenus.
fn lines_of(entries: &[MenuEntry]) -> usize {
    entries.iter().map(|entry| 1 + lines_of(&entry.lines)).sum()
}

part! {
    /// The reader's settings, and what changes with them.
    pub(crate) struct ReaderSettings {
        context: Arc<Context>,
        toasts: Arc<Toasts>,
        silence: Arc<Silence>,
        calendars: Arc<Calendars>,
        background: Arc<Background>,
        release_watch: Arc<ReleaseWatch>,
        /// Notified when the setting `keep_days` changed, so that retention runs at once.
        retention_changed: Arc<Notify>,
    }
}

impl ReaderSettings {
    /// The settings in force.
    pub(crate) fn current_settings(&self) -> Settings {
        self.context.settings.get().to_ipc(self.context.system_language.interface())
    }

    /// Stores settings; returns those in force.
    pub(crate) async fn settings(&self, settings: &Settings) -> Result<Settings> {
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
            self.retention_changed.notify_one();
        }
        if before.scale.zoom != after.scale.zoom {
            self.context.ports.window.set_zoom(after.scale.zoom);
        }
        if before.behaviour.keep_running != after.behaviour.keep_running {
            self.background.tray_notice_changed();
        }
        if before.behaviour.newer_version != after.behaviour.newer_version {
            self.release_watch.setting_changed();
        }
        if before.lang != after.lang {
            // All rendered text changes, that of the tray included.
            self.context.events.update(|dirty| dirty.settings = true);
        }
        Ok(self.current_settings())
    }

    /// Lets the reader choose a file as a sound; `None` if the dialog was cancelled.
    pub(crate) async fn choose_sound(&self) -> Result<Option<Sound>> {
        let table = self.context.settings_strings();
        let Some(path) = self.context.ports.files.choose_dialog(table.title_sound).await else {
            return Ok(None);
        };
        let file = tokio::fs::metadata(&path).await;
        let is_small = file.is_ok_and(|file| file.is_file() && file.len() <= Sound::MAX_FILE_BYTES);
        let path = path.to_str().filter(|_| is_small && path.is_absolute());
        let path = path.ok_or_else(|| Error::invalid(table.sound_refused))?.to_owned();
        let (_, after) = self.context.settings.update(|stored| stored.allow_sound(&path));
        self.context.store_settings(&after).await?;
        Ok(Some(Sound::new(path)))
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

    /// Shows a native menu at a position in the page, px of the page, which the zoom makes larger or smaller. A menu that
    /// nobody could read counts as dismissed.
    pub(crate) async fn popup(&self, entries: Vec<MenuEntry>, (x, y): (i32, i32)) -> Option<String> {
        if lines_of(&entries) > MAX_MENU_LINES {
            return None;
        }
        let zoom = i32::from(self.context.settings.get().scale.zoom);
        let zoomed = |px: i32| px.saturating_mul(zoom) / 100;
        self.context.ports.menus.popup(entries, (zoomed(x), zoomed(y))).await
    }

    /// Switches autostart on or off; returns the state read back afterwards.
    pub(crate) async fn autostart(&self, on: bool) -> bool {
        self.context.ports.autostart.set(on).await.unwrap_or(false)
    }
}
