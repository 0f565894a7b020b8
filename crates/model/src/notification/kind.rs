//! The msgid, the kind, the format and the priority of a notification.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};
use ts_rs::TS;

/// Identifies a notification: opaque, at most 64 characters, unique within its server.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct MsgId(pub String);

impl MsgId {
    /// The msgid as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MsgId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for MsgId {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

/// The three kinds of notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// From the operators to every user.
    Announcement,
    /// An actor did an action to a target.
    Reminder,
    /// From one user to another, or to a group.
    Message,
}

impl Kind {
    /// All kinds, in the order in which counts are listed.
    pub const ALL: [Self; 3] = [Self::Announcement, Self::Reminder, Self::Message];

    /// The name of the kind on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Announcement => "announcement",
            Self::Reminder => "reminder",
            Self::Message => "message",
        }
    }

    /// The kind with this name on the wire.
    ///
    /// ```
    /// use tidings_model::Kind;
    ///
    /// assert_eq!(Kind::from_wire("reminder"), Some(Kind::Reminder));
    /// assert_eq!(Kind::from_wire("rumour"), None);
    /// ```
    pub fn from_wire(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// The number of the kind in a database row; must not change.
    pub const fn as_row(self) -> i64 {
        match self {
            Self::Announcement => 1,
            Self::Reminder => 2,
            Self::Message => 3,
        }
    }

    /// The kind with this number in a database row.
    pub fn from_row(row: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_row() == row)
    }
}

/// The markup of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Plain text.
    #[default]
    Plain,
    /// CommonMark with tables.
    Markdown,
}

/// A priority from 1 (lowest) to 5 (urgent), 3 by default: the scale of ntfy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, TS)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 5))]
#[serde(transparent)]
pub struct Priority(u8);

/// A number outside 1 to 5 was given as a priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("priority must be a whole number from 1 to 5, not {0}")]
pub struct InvalidPriority(pub i64);

impl Priority {
    /// The default priority, 3.
    pub const DEFAULT: Self = Self(3);
    /// The lowest priority, 1.
    pub const LOWEST: Self = Self(1);
    /// A low priority, 2.
    pub const LOW: Self = Self(2);
    /// A high priority, 4.
    pub const HIGH: Self = Self(4);
    /// The highest priority, 5.
    pub const HIGHEST: Self = Self(5);

    /// The priority with this number.
    ///
    /// ```
    /// use tidings_model::Priority;
    ///
    /// assert_eq!(Priority::new(5)?.get(), 5);
    /// assert!(Priority::new(6).is_err());
    /// # Ok::<_, tidings_model::notification::InvalidPriority>(())
    /// ```
    ///
    /// # Errors
    /// For a number outside 1 to 5.
    pub fn new(number: i64) -> Result<Self, InvalidPriority> {
        match u8::try_from(number) {
            Ok(n @ 1..=5) => Ok(Self(n)),
            _ => Err(InvalidPriority(number)),
        }
    }

    /// The priority as a number, 1 to 5.
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl Default for Priority {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl<'de> Deserialize<'de> for Priority {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // In JSON 3 and 3.0 are the same whole number.
        let number = f64::deserialize(deserializer)?;
        let integer = (1..=5).find(|n| f64::from(*n).total_cmp(&number).is_eq()).map(i64::from);
        integer.map_or_else(
            || {
                Err(serde::de::Error::custom(format!(
                    "priority must be a whole number from 1 to 5, not {number}"
                )))
            },
            |n| Self::new(n).map_err(serde::de::Error::custom),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_enum_values_and_priorities_are_refused() {
        assert!(serde_json::from_str::<Kind>("\"rumour\"").is_err());
        assert!(serde_json::from_str::<Priority>("6").is_err());
        assert!(serde_json::from_str::<Priority>("0").is_err());
        assert!(serde_json::from_str::<Priority>("2.5").is_err());
        assert!(serde_json::from_str::<Priority>("\"3\"").is_err());
        for five in ["5", "5.0", "5e0"] {
            assert_eq!(serde_json::from_str::<Priority>(five).unwrap().get(), 5);
        }
    }

    #[test]
    fn a_kind_has_one_name_and_one_number() {
        for (kind, name, row) in [
            (Kind::Announcement, "announcement", 1),
            (Kind::Reminder, "reminder", 2),
            (Kind::Message, "message", 3),
        ] {
            assert_eq!((kind.as_str(), kind.as_row()), (name, row));
            assert_eq!((Kind::from_wire(name), Kind::from_row(row)), (Some(kind), Some(kind)));
            assert_eq!(serde_json::to_value(kind).unwrap(), name);
        }
        assert_eq!((Kind::from_wire("rumour"), Kind::from_row(0), Kind::from_row(4)), (None, None, None));
        assert_eq!(MsgId::from("m1").to_string(), "m1");
    }

    #[test]
    fn a_priority_is_one_of_five_numbers() {
        let numbers: Vec<Option<u8>> = (0..=6).map(|n| Priority::new(n).ok().map(Priority::get)).collect();
        assert_eq!(numbers, [None, Some(1), Some(2), Some(3), Some(4), Some(5), None]);
        assert_eq!((Priority::new(257), Priority::default().get()), (Err(InvalidPriority(257)), 3));
    }
}
