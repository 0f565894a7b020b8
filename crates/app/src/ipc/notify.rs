//! The types of notification settings: defaults, quiet hours and rules.

use serde::{Deserialize, Serialize};
pub use tidings_replica::{NotifyLevel, NotifySettings, Rule, RuleThen, RuleWhen};
use ts_rs::TS;

use super::ThreadRow;

/// What is notified by default, and when not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct NotifyDefaults {
    /// Items of a lower priority are listed, not counted, and have no toast: 1 to 5, 3 unless set.
    pub from_priority: u8,
    /// Whether toasts may sound.
    pub sound: bool,
    /// Toasts say what it is about; else only how many are new and from where.
    pub preview: bool,
    /// When there are no toasts.
    pub quiet: Vec<QuietHours>,
    /// Snoozed threads wake early when something new arrives in them.
    pub early_wake: bool,
}

impl Default for NotifyDefaults {
    fn default() -> Self {
        Self { from_priority: 3, sound: true, preview: true, quiet: Vec::new(), early_wake: true }
    }
}

/// Hours without toasts, in the desktop's time zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct QuietHours {
    /// In force.
    pub on: bool,
    /// The days on which they begin, Monday first.
    pub days: [bool; 7],
    /// Minutes after midnight.
    pub from: u16,
    /// Minutes after midnight; at or before `from` it is the next day's.
    pub to: u16,
    /// Priorities from this on still have their toast; none lets nothing pass.
    pub passes: Option<u8>,
}

/// What a rule would have done with what is here.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct RuleTrial {
    /// Items that it matches, of the newest 10,000.
    #[ts(type = "number")]
    pub matches: u64,
    /// How many were looked at.
    #[ts(type = "number")]
    pub of: u64,
    /// The newest threads with such an item, at most 5.
    pub rows: Vec<ThreadRow>,
}
