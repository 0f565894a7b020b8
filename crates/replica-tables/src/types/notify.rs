//! Notify settings of sources and threads.

use rusqlite::Row;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The key of the setting with the least priority that makes toasts and counts on the badge, 1 to 5.
pub const FROM_PRIORITY: &str = "from_priority";
/// That priority if it is not set.
pub const DEFAULT_FROM_PRIORITY: u8 = 3;
/// The key of the setting that lets snoozed items wake when a new item arrives in their thread.
pub const EARLY_WAKE: &str = "early_wake";
/// Whether they do if it is not set.
pub const DEFAULT_EARLY_WAKE: bool = true;

/// The ways in which a source or thread notifies of new items.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum NotifyLevel {
    /// Items make toasts and count on the badge.
    #[default]
    Toast,
    /// Items count on the badge and make no toasts.
    Badge,
    /// Items do neither: the source or thread is muted.
    Nothing,
}

/// The notify settings of a source or thread. A field that is `None` is inherited: a thread's from its source, a
/// source's from the settings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct NotifySettings {
    /// Toasts and badge, badge only, or neither.
    pub level: Option<NotifyLevel>,
    /// The least priority, 1 to 5: items below it are listed, but make no toast and do not count on the badge.
    pub from_priority: Option<u8>,
    /// Whether toasts may make a sound.
    pub sound: Option<bool>,
}

impl NotifySettings {
    /// These settings, with each field that is `None` taken from `inherited`.
    ///
    /// ```
    /// use tidings_replica_tables::{NotifyLevel, NotifySettings};
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

    /// Reads the columns `notify_level, notify_from_priority, notify_sound` that begin at `at`.
    #[inline]
    pub fn of(r: &Row<'_>, at: usize) -> rusqlite::Result<Self> {
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
