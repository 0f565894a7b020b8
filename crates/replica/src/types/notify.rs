//! What a source or a thread may notify of, as its reader set it.

use rusqlite::Row;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The setting with the least priority that is notified of, 1 to 5; 3 unless it is set.
pub const FROM_PRIORITY: &str = "from_priority";
/// The setting that keeps snoozed items asleep when something new arrives in their thread; on unless it is `false`.
pub const EARLY_WAKE: &str = "early_wake";

/// By what the reader is notified of what arrives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum NotifyLevel {
    /// A toast, and counted on the badge.
    #[default]
    Toast,
    /// Counted on the badge, no toast.
    Badge,
    /// Neither: muted.
    Nothing,
}

/// What a source or a thread may notify of. What is not set is inherited: a thread's from its source, a source's from the
/// settings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct NotifySettings {
    /// By a toast, on the badge only, or not at all.
    pub level: Option<NotifyLevel>,
    /// Items of a lower priority are listed, but have no toast and are not counted on the badge: 1 to 5.
    pub from_priority: Option<u8>,
    /// Whether a toast may sound.
    pub sound: Option<bool>,
}

impl NotifySettings {
    /// These settings, with what is not set taken from others.
    ///
    /// ```
    /// use tidings_replica::{NotifyLevel, NotifySettings};
    ///
    /// let source = NotifySettings { level: Some(NotifyLevel::Badge), from_priority: Some(4), sound: None };
    /// let thread = NotifySettings { level: Some(NotifyLevel::Toast), ..NotifySettings::default() };
    /// let in_force = thread.or(source);
    /// assert_eq!((in_force.level, in_force.from_priority), (Some(NotifyLevel::Toast), Some(4)));
    /// ```
    #[must_use]
    pub fn or(self, inherited: Self) -> Self {
        Self {
            level: self.level.or(inherited.level),
            from_priority: self.from_priority.or(inherited.from_priority),
            sound: self.sound.or(inherited.sound),
        }
    }

    /// From the columns `notify_level, notify_from_priority, notify_sound` that begin at `at`.
    pub(crate) fn of(r: &Row<'_>, at: usize) -> rusqlite::Result<Self> {
        let level = |n: i64| match n {
            1 => NotifyLevel::Badge,
            2 => NotifyLevel::Nothing,
            _ => NotifyLevel::Toast,
        };
        Ok(Self {
            level: r.get::<_, Option<i64>>(at)?.map(level),
            from_priority: r.get(at + 1)?,
            sound: r.get(at + 2)?,
        })
    }

    /// The values of these columns.
    pub(crate) fn columns(self) -> [Option<i64>; 3] {
        [self.level.map(|level| level as i64), self.from_priority.map(i64::from), self.sound.map(i64::from)]
    }
}
