//! The types of notification settings: defaults, quiet hours and rules.

use serde::{Deserialize, Serialize};
pub use tidings_replica::{NotifyLevel, NotifySettings, Rule, RuleThen, RuleWhen};
use ts_rs::TS;

use super::ThreadRow;

/// The notify settings that sources and threads inherit, and quiet hours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct NotifyDefaults {
    /// The least priority that makes a toast and counts on the badge: 1 to 5, 3 by default. Items below it are only
    /// listed.
    pub from_priority: u8,
    /// Whether toasts may play a sound.
    pub sound: bool,
    /// Whether toasts show sender and text; else only how many items are new and from which source.
    pub preview: bool,
    /// Hours without toasts.
    pub quiet: Vec<QuietHours>,
    /// Whether a snoozed thread wakes early when a new item arrives in it.
    pub early_wake: bool,
}

impl Default for NotifyDefaults {
    fn default() -> Self {
        Self { from_priority: 3, sound: true, preview: true, quiet: Vec::new(), early_wake: true }
    }
}

/// Recurring hours without toasts, in the desktop's time zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct QuietHours {
    /// Whether these hours are in force.
    pub on: bool,
    /// The days on which they begin, Monday first.
    pub days: [bool; 7],
    /// The beginning, minutes after midnight.
    pub from: u16,
    /// The end, minutes after midnight; at or before `from`, it is on the next day.
    pub to: u16,
    /// The least priority that makes a toast all the same; none lets no item pass.
    pub passes: Option<u8>,
}

/// The result of trying a rule on existing items.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct RuleTrial {
    /// Items that match, among the newest 10,000.
    #[ts(type = "number")]
    pub matches: u64,
    /// Items that were examined.
    #[ts(type = "number")]
    pub of: u64,
    /// The newest threads with a matching item, at most 5.
    pub rows: Vec<ThreadRow>,
}
