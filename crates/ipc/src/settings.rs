//! The reader's settings as the page shows and changes them, each with its type and its default.

use serde::{Deserialize, Serialize};
use tidings_model::Lang;
use tidings_replica::{DEFAULT_EARLY_WAKE, DEFAULT_FROM_PRIORITY};
use ts_rs::TS;

use crate::{Grouping, Keys, QuietHours, Sounds};

/// Declares a group of settings: a line is a setting, with its type and its default. Settings that were stored, written or
/// sent without it have that default.
macro_rules! settings {
    ($(#[$meta:meta])* pub struct $group:ident { $($(#[$docs:meta])* $setting:ident: $type:ty = $default:expr;)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
        #[serde(default)]
        pub struct $group { $($(#[$docs])* pub $setting: $type,)* }

        impl Default for $group {
            fn default() -> Self {
                Self { $($setting: $default,)* }
            }
        }
    };
}

settings! {
    /// The reader's settings.
    pub struct Settings {
        /// `system`, `light` or `dark`.
        theme: Theme = Theme::System;
        /// `comfortable` or `compact`.
        density: Density = Density::Comfortable;
        /// The language that the reader chose; none follows the desktop.
        lang: Option<Lang> = None;
        /// The language in force. Read only, and never stored.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[ts(as = "Lang")]
        lang_now: Option<Lang> = None;
        /// Width of the places column, px, 180 to 320.
        places_width: u32 = 224;
        /// Width of the list column, px, 320 to 560.
        list_width: u32 = 400;
        /// Whether the reader closed the first-run page.
        welcome_closed: bool = false;
        /// The grouping of lists.
        group: Grouping = Grouping::Day;
        /// The notify settings that sources and threads inherit, and quiet hours.
        notify: NotifyDefaults = NotifyDefaults::default();
        /// Archived items older than this many days are removed from this computer; none keeps them all.
        keep_days: Option<u32> = None;
        /// How large the page and its text are.
        scale: Scale = Scale::default();
        /// What the program does beside its window.
        behaviour: Behaviour = Behaviour::default();
        /// The keys that the reader gave to commands.
        keys: Keys = Keys::default();
    }
}

settings! {
    /// The notify settings that sources and threads inherit, and quiet hours.
    pub struct NotifyDefaults {
        /// The least priority that makes a toast and counts on the badge: 1 to 5. Items below it are only listed.
        from_priority: u8 = DEFAULT_FROM_PRIORITY;
        /// Whether toasts may play a sound.
        sound: bool = true;
        /// Which sounds they play.
        sounds: Sounds = Sounds::default();
        /// Whether toasts show sender and text; else only how many items are new and from which source.
        preview: bool = true;
        /// Hours without toasts.
        quiet: Vec<QuietHours> = Vec::new();
        /// Whether a snoozed thread wakes early when a new item arrives in it.
        early_wake: bool = DEFAULT_EARLY_WAKE;
        /// What a click on a toast opens.
        click: ToastClick = ToastClick::Thread;
    }
}

settings! {
    /// The sizes of the page and of its text, percent.
    #[derive(Copy)]
    pub struct Scale {
        /// The zoom of the whole page, 50 to 300.
        zoom: u16 = 100;
        /// The size of its text alone, 90 to 200.
        text: u16 = 100;
    }
}

settings! {
    /// What the program does beside its window.
    #[derive(Copy)]
    pub struct Behaviour {
        /// Whether toasts are also shown while the window has the focus.
        toasts_in_focus: bool = true;
        /// Whether the program goes on when its window is closed.
        keep_running: bool = true;
        /// Whether the reader is told of a newer version, if the package names a feed of its releases.
        newer_version: bool = true;
        /// Whether the desktop's search may list threads.
        desktop_search: bool = false;
    }
}

/// The colour theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// Follows the desktop.
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// The height of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Density {
    /// 64 px a row.
    Comfortable,
    /// 36 px a row.
    Compact,
}

/// What a click on a toast opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ToastClick {
    /// The thread, in the window.
    Thread,
    /// The newest item's link, in its program, and the items of the toast are read. Without a link, the thread.
    Link,
}

/// The keys that show and hide the window from anywhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct GlobalShortcutView {
    /// Whether this desktop lets a program have such keys.
    pub supported: bool,
    /// The keys, such as `Control+Alt+KeyT`, with keys as in `KeyboardEvent.code`; none if it is off.
    pub keys: Option<String>,
    /// Why these keys do nothing now, or why there can be none.
    pub problem: Option<String>,
}
