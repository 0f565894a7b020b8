//! Whether a thread is pinned and muted.

use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use serde::{Deserialize, Serialize};
use tidings_model::{Mark, Stamp};

/// Whether a thread is pinned, and whether it is muted and until when.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Flags {
    /// Whether it is pinned.
    pub pinned: bool,
    /// Whether it is muted, by itself or with its origin.
    pub muted: bool,
    /// When its mute ends by itself, by its server's clock; `None` if it is not muted, or until it is unmuted.
    pub until: Option<Stamp>,
    /// What the mute of its origin means to it.
    pub origin: OriginMute,
}

/// What the mute of its topic, application or repository means to a thread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum OriginMute {
    /// Nothing.
    #[default]
    None,
    /// It is muted with it.
    Muted,
    /// The reader muted or unmuted it by itself.
    Apart,
}

impl Flags {
    /// After a mark of the reader.
    #[must_use]
    pub fn marked(self, mark: Mark) -> Self {
        match mark {
            Mark::Pin => Self { pinned: true, ..self },
            Mark::Unpin => Self { pinned: false, ..self },
            Mark::Mute { until } => self.with_muted(true, until),
            _ if self.muted => self.with_muted(false, None),
            _ => self,
        }
    }

    /// Muted or unmuted by itself, whatever its origin is.
    #[must_use]
    pub fn with_muted(self, muted: bool, until: Option<Stamp>) -> Self {
        let origin = if self.origin == OriginMute::None { OriginMute::None } else { OriginMute::Apart };
        Self { muted, until, origin, ..self }
    }

    /// Muted with its origin.
    #[must_use]
    pub fn muted_with_origin(self, until: Option<Stamp>) -> Self {
        Self { muted: true, until, origin: OriginMute::Muted, ..self }
    }

    /// After the mute of its origin ended.
    #[must_use]
    pub fn without_origin(self) -> Self {
        match self.origin {
            OriginMute::Muted => Self { muted: false, until: None, origin: OriginMute::None, ..self },
            _ => Self { origin: OriginMute::None, ..self },
        }
    }
}

impl FromSql for OriginMute {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Ok(match value.as_i64()? {
            1 => Self::Muted,
            2 => Self::Apart,
            _ => Self::None,
        })
    }
}

impl ToSql for OriginMute {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok((*self as i64).into())
    }
}
