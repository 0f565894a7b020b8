//! Quiet hours, and what rules and test notifications come to.

use serde::{Deserialize, Serialize};
use tidings_replica::is_of_origin;
pub use tidings_replica::{NotifyLevel, NotifySettings, Rule, RuleField, RuleThen, RuleValue, RuleWhen};
use ts_rs::TS;

use crate::{SourceId, ThreadRow};

/// Recurring hours without toasts, in the desktop's time zone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
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
    /// What they hold back; empty holds back everything.
    #[serde(default)]
    pub only: Vec<QuietScope>,
    /// Up to when they are ended early, milliseconds since 1970; null if they are not.
    #[serde(default)]
    pub ended_until: Option<i64>,
    /// The address of a calendar in iCalendar's format: it is quiet while that is busy, whatever the hours say. Null for
    /// hours.
    #[serde(default)]
    pub calendar: Option<String>,
    /// The times in which that calendar is busy, as it said last. They are no setting.
    #[serde(skip)]
    pub busy: Vec<BusyTime>,
}

/// A time in which a calendar is busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BusyTime {
    /// Whether begin and end are local times, as those of a whole day.
    pub local: bool,
    /// The beginning, seconds since 1970.
    pub from: i64,
    /// The end.
    pub to: i64,
}

impl From<tidings_sources::calendar::BusyTime> for BusyTime {
    fn from(time: tidings_sources::calendar::BusyTime) -> Self {
        Self { local: time.local, from: time.from, to: time.to }
    }
}

/// A source, or a topic, an application or a repository of it, that quiet hours hold back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct QuietScope {
    /// The source.
    pub source: SourceId,
    /// The topic, application or repository, as `ThreadRow.origin` has it; empty for the whole source.
    pub origin: String,
}

impl QuietScope {
    /// Whether a thread with this key is among them; empty ones have everything.
    pub fn cover(only: &[Self], source: SourceId, key: &str) -> bool {
        let covers =
            |one: &Self| one.source == source && (one.origin.is_empty() || is_of_origin(key, &one.origin));
        only.is_empty() || only.iter().any(covers)
    }
}

/// The result of trying a rule on existing items.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct RuleTrial {
    /// Items that match, among the newest 10,000.
    pub matches: u64,
    /// Items that were examined.
    pub of: u64,
    /// The newest threads with a matching item, at most 5.
    pub rows: Vec<ThreadRow>,
}

/// How many items a rule acted on in one of the last 14 days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RuleDay {
    /// The rule.
    pub rule: i64,
    /// A moment in this day of the reader's time zone, milliseconds since 1970.
    pub at: i64,
    /// The number of items.
    pub items: u64,
}

/// An item on which a rule acted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct RuleAct {
    /// The row of its thread that shows this item.
    pub row: ThreadRow,
    /// The item's msgid.
    pub msgid: String,
    /// When the rule acted, milliseconds since 1970.
    pub at: i64,
    /// What it did then.
    pub then: RuleThen,
}

/// The result of a test notification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TestNotification {
    /// The outcome.
    pub outcome: TestOutcome,
    /// The outcome as a sentence, with what to do.
    pub text: String,
}

/// The outcome of a test notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum TestOutcome {
    /// The desktop showed it.
    Shown,
    /// Something holds toasts back, as the reader or the desktop set it.
    Held,
    /// The desktop cannot show it, or nothing came.
    Failed,
}
