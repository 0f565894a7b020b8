//! The reader's settings as the page shows and changes them.

use serde::{Deserialize, Serialize};
use tidings_model::Lang;
use ts_rs::TS;

use super::{Grouping, NotifyDefaults};

/// What a reader set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Settings {
    /// `system`, `light` or `dark`.
    pub theme: Theme,
    /// `comfortable` or `compact`.
    pub density: Density,
    /// None follows the desktop.
    pub lang: Option<Lang>,
    /// The language in force.
    pub lang_now: Lang,
    /// Width of the places, px, 180 to 320.
    pub places_width: u32,
    /// Width of the list, px, 320 to 560.
    pub list_width: u32,
    /// The first-run page was closed by hand.
    pub welcome_closed: bool,
    /// How lists are sorted.
    pub group: Grouping,
    /// What is notified by default, and when not.
    pub notify: NotifyDefaults,
    /// Archived items older than so many days are taken off this computer; none keeps everything.
    pub keep_days: Option<u32>,
}

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// As the desktop has it.
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// How close the rows stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Density {
    /// 64 px a row.
    Comfortable,
    /// 36 px a row.
    Compact,
}
