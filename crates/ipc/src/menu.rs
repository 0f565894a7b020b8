//! Native context menus.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A line of a native context menu.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct MenuEntry {
    /// The id that `popup` returns when the line is chosen; an empty id makes a separator.
    pub id: String,
    /// The text of the line; a shortcut may follow it after a tab.
    pub label: String,
    /// Whether the line can be chosen.
    pub enabled: bool,
    /// The state of the line's check mark; none for a line without one.
    pub checked: Option<bool>,
    /// The lines of its submenu; empty for none.
    pub lines: Vec<MenuEntry>,
}
