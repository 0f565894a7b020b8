//! The reader's settings as the page shows and changes them.

use serde::{Deserialize, Serialize};
use tidings_model::Lang;
use ts_rs::TS;

use super::{Grouping, NotifyDefaults};

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
