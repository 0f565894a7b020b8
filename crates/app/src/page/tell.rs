//! What the reader wants to be told of: per source, per thread, by the hour and by rule. Refuses to decide: the
//! policies do.

use serde::{Deserialize, Serialize};
use tidings_model::Kind;
use ts_rs::TS;

use super::{SourceId, ThreadRow};

/// How much is told of what arrives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Tell {
    /// A toast, and counted on the badge.
    #[default]
    Toast,
    /// Counted on the badge, no toast.
    Badge,
    /// Neither: muted.
    Nothing,
}

/// What a source or a thread may do; none as the wider one has it (thread: its source; source: the settings).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct Telling {
    /// How much.
    pub tell: Option<Tell>,
    /// Items of a lower priority are listed, not counted, and have no toast: 1 to 5.
    pub from_priority: Option<u8>,
    /// Whether a toast may sound.
    pub sound: Option<bool>,
}

/// What the reader is told of by default, and when not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct Notifying {
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

impl Default for Notifying {
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

/// What happens to what arrives, without being asked each time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct Rule {
    /// Names it; 0 in a new one.
    #[ts(type = "number")]
    pub id: i64,
    /// What its reader calls it; empty is worded from what it does.
    pub name: String,
    /// In force.
    pub on: bool,
    /// Which items.
    pub when: RuleWhen,
    /// What is done with them.
    pub then: RuleThen,
}

/// Which items a rule is for: all that is set must hold. Empty text is not set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct RuleWhen {
    /// From this source.
    #[ts(type = "number | null")]
    pub source: Option<SourceId>,
    /// Of this kind.
    pub kind: Option<Kind>,
    /// The actor's id or name, as a whole, whatever its case.
    pub actor: String,
    /// The target's id, title or `type:id`, or the topic, as a whole, whatever its case.
    pub target: String,
    /// Words that must all be found in title or body; `"…"` keeps them together.
    pub words: String,
    /// This priority or a higher one.
    pub at_least: Option<u8>,
    /// This priority or a lower one.
    pub at_most: Option<u8>,
}

/// What a rule does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a check box")]
pub struct RuleThen {
    /// Silences the thread.
    pub mute: bool,
    /// Archives the item.
    pub archive: bool,
    /// Pins the thread.
    pub pin: bool,
    /// Raises (or lowers) the priority by so many steps, within 1 to 5.
    pub priority: i8,
    /// No toast.
    pub no_toast: bool,
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
