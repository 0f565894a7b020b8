//! The settings as they are stored in the replica, clamped to the ranges that the page can show.

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tidings_model::{Lang, Stamp};
use tidings_replica::Mute;

use crate::ipc::{Behaviour, Density, Grouping, Keys, NotifyDefaults, QuietHours, Scale, Settings, Theme};
use crate::quiet::{self, Zone};
use crate::state::calendars::KnownCalendars;
use crate::toast_policy::{Silence, ToastContext};

/// Minutes in a day.
const MINUTES_PER_DAY: u16 = 24 * 60;

/// The key of the settings in the replica.
pub(crate) const SETTINGS_KEY: &str = "desktop";

/// The settings in force, with the answers of the calendars of quiet hours.
pub(crate) struct SettingsStore(Mutex<(StoredSettings, KnownCalendars)>);

impl SettingsStore {
    pub(crate) fn new(mut settings: StoredSettings, calendars: KnownCalendars) -> Self {
        calendars.fill(&mut settings.notify.quiet);
        Self(Mutex::new((settings, calendars)))
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
        known.fill(&mut settings.notify.quiet);
    }

    /// Changes the settings; returns them as they were before and are after.
    pub(crate) fn update(
        &self,
        change: impl FnOnce(&mut StoredSettings),
    ) -> (StoredSettings, StoredSettings) {
        let (settings, calendars) = &mut *self.0.lock();
        let before = settings.clone();
        change(settings);
        calendars.fill(&mut settings.notify.quiet);
        (before, settings.clone())
    }
}

/// The settings and the pause, as they are stored in the replica.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct StoredSettings {
    pub(crate) theme: Theme,
    pub(crate) density: Density,
    pub(crate) lang: Option<Lang>,
    pub(crate) places_width: u32,
    pub(crate) list_width: u32,
    pub(crate) welcome_closed: bool,
    pub(crate) group: Grouping,
    pub(crate) notify: NotifyDefaults,
    pub(crate) keep_days: Option<u32>,
    pub(crate) scale: Scale,
    pub(crate) keys: Keys,
    pub(crate) behaviour: Behaviour,
    /// The keys that show and hide the window from anywhere; of this computer alone, so that no file brings them.
    pub(crate) global_shortcut: Option<String>,
    /// Whether the reader had the toast that the program goes on without window and tray.
    pub(crate) background_told: bool,
    /// The end of the pause of toasts, milliseconds since 1970; 0 = until switched on again.
    pub(crate) paused_until: Option<i64>,
}

impl Default for StoredSettings {
    fn default() -> Self {
        Self {
            theme: Theme::System,
            density: Density::Comfortable,
            lang: None,
            places_width: 224,
            list_width: 400,
            welcome_closed: false,
            group: Grouping::Day,
            notify: NotifyDefaults::default(),
            keep_days: None,
            scale: Scale::default(),
            keys: Keys::default(),
            behaviour: Behaviour::default(),
            global_shortcut: None,
            background_told: false,
            paused_until: None,
        }
    }
}

impl StoredSettings {
    /// From the stored value, within its bounds, as a backup may have brought it; the default if there is none or it
    /// cannot be read.
    pub(crate) fn read(value: Option<serde_json::Value>) -> Self {
        let mut stored: Self = value.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default();
        let page = stored.to_ipc(Lang::En);
        stored.apply(&page);
        stored
    }

    pub(crate) fn to_ipc(&self, system: Lang) -> Settings {
        Settings {
            theme: self.theme,
            density: self.density,
            lang: self.lang,
            lang_now: self.lang.unwrap_or(system),
            places_width: self.places_width,
            list_width: self.list_width,
            welcome_closed: self.welcome_closed,
            group: self.group,
            notify: self.notify.clone(),
            keep_days: self.keep_days,
            scale: self.scale,
            keys: self.keys.clone(),
            behaviour: self.behaviour,
        }
    }

    pub(crate) fn apply(&mut self, page: &Settings) {
        self.theme = page.theme;
        self.density = page.density;
        self.lang = page.lang;
        self.places_width = page.places_width.clamp(180, 320);
        self.list_width = page.list_width.clamp(320, 560);
        self.welcome_closed = page.welcome_closed;
        self.group = page.group;
        self.notify = within_bounds(page.notify.clone());
        self.keep_days = page.keep_days.filter(|days| *days > 0);
        self.keys = page.keys.clone();
        self.behaviour = page.behaviour;
        self.scale = Scale { zoom: page.scale.zoom.clamp(50, 300), text: page.scale.text.clamp(90, 200) };
    }

    /// The settings and the silence that apply to toasts now.
    pub(crate) fn toast_context(&self, zone: &dyn Zone, now: Stamp) -> ToastContext {
        let pause = self.pause_end(now).map(|_| Silence::default());
        let in_force =
            |hours: &&QuietHours| quiet::in_force(std::slice::from_ref(*hours), zone, now).is_some();
        let quiet = self.notify.quiet.iter().filter(in_force);
        let quiet = quiet.map(|hours| Silence { passes: hours.passes, only: hours.only.clone() });
        let silences = pause.into_iter().chain(quiet).collect();
        ToastContext { from_priority: self.notify.from_priority, sound: self.notify.sound, silences }
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

/// The longest address of a calendar, in bytes.
const MAX_ADDRESS_BYTES: usize = 2_048;

fn within_bounds(mut notify: NotifyDefaults) -> NotifyDefaults {
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
    use super::*;

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
        assert_eq!(StoredSettings::read(Some(serde_json::json!("nonsense"))), StoredSettings::default());
    }
}
