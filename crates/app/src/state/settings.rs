//! The settings as they are stored in the replica, clamped to the ranges that the page can show.

use std::ops::Deref;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tidings_ipc::{NotifyDefaults, QuietHours, Scale, Settings};
use tidings_model::{Lang, Stamp};
use tidings_replica::{Mute, Replica};
use tidings_toasts::policy::{Silence, ToastContext};
use tidings_toasts::quiet::{self, Zone};

use crate::state::calendars::{CALENDARS_KEY, KnownCalendars};

/// Minutes in a day.
const MINUTES_PER_DAY: u16 = 24 * 60;

/// The key of the settings in the replica.
pub(crate) const SETTINGS_KEY: &str = "desktop";

/// The settings in force, with the answers of the calendars of quiet hours.
pub(crate) struct SettingsStore(Mutex<(StoredSettings, KnownCalendars)>);

impl SettingsStore {
    /// Reads what a replica has.
    pub(crate) fn read(replica: &Replica) -> tidings_replica::Result<Self> {
        let mut settings = StoredSettings::read(replica.setting(SETTINGS_KEY)?);
        let calendars = KnownCalendars::read(replica.setting(CALENDARS_KEY)?);
        settings.fill(&calendars);
        Ok(Self(Mutex::new((settings, calendars))))
    }

    /// Takes over what another inbox has.
    pub(crate) fn replace(&self, read: Self) {
        *self.0.lock() = read.0.into_inner();
    }

    /// A copy of the settings.
    pub(crate) fn get(&self) -> StoredSettings {
        self.0.lock().0.clone()
    }

    /// The calendars' answers.
    pub(crate) fn calendars(&self) -> KnownCalendars {
        self.0.lock().1.clone()
    }

    /// Takes over what the calendars say now.
    pub(crate) fn set_calendars(&self, calendars: KnownCalendars) {
        let (settings, known) = &mut *self.0.lock();
        *known = calendars;
        settings.fill(known);
    }

    /// Changes the settings; returns them as they were before and are after.
    pub(crate) fn update(
        &self,
        change: impl FnOnce(&mut StoredSettings),
    ) -> (StoredSettings, StoredSettings) {
        let (settings, calendars) = &mut *self.0.lock();
        let before = settings.clone();
        change(settings);
        settings.fill(calendars);
        (before, settings.clone())
    }
}

/// The settings and the pause, as they are stored in the replica. It reads as the settings of the page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct StoredSettings {
    /// What the page shows and changes.
    #[serde(flatten)]
    page: Settings,
    /// The keys that show and hide the window from anywhere; of this computer alone, so that no file brings them.
    pub(crate) global_shortcut: Option<String>,
    /// Whether the reader had the toast that the program goes on without window and tray.
    pub(crate) background_told: bool,
    /// The end of the pause of toasts, milliseconds since 1970; 0 = until switched on again.
    pub(crate) paused_until: Option<i64>,
    /// The files that the reader chose as sounds, by their paths: the page and a file of settings can name no other.
    sound_files: Vec<String>,
}

impl Deref for StoredSettings {
    type Target = Settings;

    fn deref(&self) -> &Settings {
        &self.page
    }
}

impl StoredSettings {
    /// From the stored value, within its bounds, as a backup may have brought it; the default if there is none or it
    /// cannot be read.
    fn read(value: Option<serde_json::Value>) -> Self {
        let stored: Self = value.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default();
        Self { page: within_bounds(stored.page, &stored.sound_files), ..stored }
    }

    /// The settings for the page, on a desktop in this language.
    pub(crate) fn to_ipc(&self, system: Lang) -> Settings {
        Settings { lang_now: Some(self.lang.unwrap_or(system)), ..self.page.clone() }
    }

    /// Takes over the settings of the page, within their bounds.
    pub(crate) fn apply(&mut self, page: &Settings) {
        self.page = within_bounds(page.clone(), &self.sound_files);
    }

    /// Lets sounds be this file, which the reader chose.
    pub(crate) fn allow_sound(&mut self, file: &str) {
        self.sound_files.retain(|known| known != file);
        let excess = (self.sound_files.len() + 1).saturating_sub(MAX_SOUND_FILES);
        self.sound_files.drain(..excess);
        self.sound_files.push(file.to_owned());
    }

    /// Takes over what the calendars of quiet hours say.
    pub(crate) fn fill(&mut self, calendars: &KnownCalendars) {
        calendars.fill(&mut self.page.notify.quiet);
    }

    /// The settings and the silence that apply to toasts now.
    pub(crate) fn toast_context(&self, zone: &dyn Zone, now: Stamp) -> ToastContext {
        let pause = self.pause_end(now).map(|_| Silence::default());
        let in_force =
            |hours: &&QuietHours| quiet::in_force(std::slice::from_ref(*hours), zone, now).is_some();
        let quiet = self.notify.quiet.iter().filter(in_force);
        let quiet = quiet.map(|hours| Silence { passes: hours.passes, only: hours.only.clone() });
        let silences = pause.into_iter().chain(quiet).collect();
        let NotifyDefaults { from_priority, sound, sounds, .. } = &self.notify;
        ToastContext { from_priority: *from_priority, sound: *sound, sounds: sounds.clone(), silences }
    }

    /// The end of the pause in force; `None` without one.
    pub(crate) fn pause_end(&self, now: Stamp) -> Option<Stamp> {
        match self.paused_until? {
            0 => Some(Stamp::MAX),
            millis => Some(Stamp::from_millis(millis)).filter(|until| *until > now),
        }
    }
}

/// The most quiet hours that are stored.
const MAX_QUIET_HOURS: usize = 50;
/// The most sources and topics that quiet hours are for.
const MAX_SCOPES: usize = 100;

/// The most files that sounds can be.
const MAX_SOUND_FILES: usize = 300;
/// The longest address of a calendar, in bytes.
const MAX_ADDRESS_BYTES: usize = 2_048;

/// Settings that the page can show, without the language in force. Sounds are names of a theme, or one of these files.
fn within_bounds(settings: Settings, sound_files: &[String]) -> Settings {
    Settings {
        lang_now: None,
        places_width: settings.places_width.clamp(180, 320),
        list_width: settings.list_width.clamp(320, 560),
        notify: notify_within_bounds(settings.notify, sound_files),
        keep_days: settings.keep_days.filter(|days| *days > 0),
        scale: Scale { zoom: settings.scale.zoom.clamp(50, 300), text: settings.scale.text.clamp(90, 200) },
        ..settings
    }
}

fn notify_within_bounds(mut notify: NotifyDefaults, sound_files: &[String]) -> NotifyDefaults {
    notify.sounds.restrict(sound_files);
    notify.from_priority = notify.from_priority.clamp(1, 5);
    notify.quiet.truncate(MAX_QUIET_HOURS);
    for hours in &mut notify.quiet {
        hours.from %= MINUTES_PER_DAY;
        hours.to %= MINUTES_PER_DAY;
        hours.passes = hours.passes.map(|n| n.clamp(1, 5));
        hours.only.truncate(MAX_SCOPES);
        if let Some(address) = &mut hours.calendar {
            // One that is too long is none, and not hours.
            *address = Some(address.trim())
                .filter(|one| one.len() <= MAX_ADDRESS_BYTES)
                .unwrap_or_default()
                .to_owned();
        }
        hours.only.retain(|one| one.origin.chars().count() <= Mute::MAX_ORIGIN_CHARS);
    }
    notify
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tidings_ipc::Theme;

    use super::*;

    #[test]
    fn settings_are_stored_side_by_side_and_without_the_language_in_force() {
        let older = json!({"theme": "dark", "behaviour": {"keep_running": false}, "paused_until": 0});
        let stored = StoredSettings::read(Some(older));
        let kept = (stored.behaviour.keep_running, stored.behaviour.toasts_in_focus, stored.paused_until);
        assert_eq!((stored.theme, kept), (Theme::Dark, (false, true, Some(0))));
        let page = stored.to_ipc(Lang::ZhCn);
        assert_eq!(page.lang_now, Some(Lang::ZhCn));
        let mut again = stored.clone();
        again.apply(&page);
        let value = serde_json::to_value(&again).unwrap();
        assert_eq!((&value["theme"], &value["paused_until"]), (&json!("dark"), &json!(0)));
        assert_eq!(value.get("lang_now"), None);
        assert_eq!(StoredSettings::read(Some(value)), stored);
    }

    #[test]
    fn a_pause_ends_at_its_time_or_when_it_is_switched_off() {
        let at = |paused_until| {
            StoredSettings { paused_until, ..StoredSettings::default() }.pause_end(Stamp::from_millis(1_000))
        };
        assert_eq!(at(None), None);
        assert_eq!(at(Some(0)), Some(Stamp::MAX));
        assert_eq!(at(Some(2_000)), Some(Stamp::from_millis(2_000)));
        assert_eq!(at(Some(999)), None);
    }

    #[test]
    fn widths_and_sizes_stay_within_what_the_page_can_show() {
        let mut stored = StoredSettings::default();
        let mut page = stored.to_ipc(Lang::En);
        (page.places_width, page.list_width) = (1, 9_999);
        page.scale = Scale { zoom: 9_999, text: 1 };
        stored.apply(&page);
        assert_eq!(stored.scale, Scale { zoom: 300, text: 90 });
        assert_eq!((stored.places_width, stored.list_width), (180, 560));
        assert_eq!(StoredSettings::read(Some(json!("nonsense"))), StoredSettings::default());
    }
}
