//! The reader's settings as the page shows and changes them.

use serde::{Deserialize, Serialize};
use tidings_model::Lang;
use ts_rs::TS;

use super::{Grouping, Keys, NotifyDefaults};

/// The reader's settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Settings {
    /// `system`, `light` or `dark`.
    pub theme: Theme,
    /// `comfortable` or `compact`.
    pub density: Density,
    /// The language that the reader chose; none follows the desktop.
    pub lang: Option<Lang>,
    /// The language in force. Read only.
    pub lang_now: Lang,
    /// Width of the places column, px, 180 to 320.
    pub places_width: u32,
    /// Width of the list column, px, 320 to 560.
    pub list_width: u32,
    /// Whether the reader closed the first-run page.
    pub welcome_closed: bool,
    /// The grouping of lists.
    pub group: Grouping,
    /// The notify settings that sources and threads inherit, and quiet hours.
    pub notify: NotifyDefaults,
    /// Archived items older than this many days are removed from this computer; none keeps them all.
    pub keep_days: Option<u32>,
    /// How large the page and its text are.
    #[serde(default)]
    pub scale: Scale,
    /// What the program does beside its window.
    #[serde(default)]
    pub behaviour: Behaviour,
    /// The keys that the reader gave to commands.
    #[serde(default)]
    pub keys: Keys,
}

/// The sizes of the page and of its text, percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct Scale {
    /// The zoom of the whole page, 50 to 300.
    pub zoom: u16,
    /// The size of its text alone, 90 to 200.
    pub text: u16,
}

impl Default for Scale {
    fn default() -> Self {
        Self { zoom: 100, text: 100 }
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

/// What the program does beside its window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct Behaviour {
    /// Whether toasts are also shown while the window has the focus.
    pub toasts_in_focus: bool,
    /// Whether the program goes on when its window is closed.
    pub keep_running: bool,
}

impl Default for Behaviour {
    fn default() -> Self {
        Self { toasts_in_focus: true, keep_running: true }
    }
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
