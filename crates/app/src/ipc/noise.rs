//! The noise report: how much each source, topic and repository told, and how much of it was read.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::SourceId;

/// How much was told since a time. The reader's own items are not in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Noise {
    /// The time at which it begins, milliseconds since 1970: 30 days ago, or later where too much was told since then.
    pub since: i64,
    /// The sources that told anything, those with the most unread items first.
    pub sources: Vec<NoiseSource>,
}

/// How much a source told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NoiseSource {
    /// The source.
    pub source: SourceId,
    /// Its items.
    pub items: u64,
    /// Those of them that are unread.
    pub unread: u64,
    /// Its topics, applications and repositories, those with the most unread items first; at most 8.
    pub origins: Vec<NoiseOrigin>,
}

/// How much a topic, an application or a repository told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NoiseOrigin {
    /// What `mute` calls it, and what a rule has as its target for everything from there.
    pub target: String,
    /// The name.
    pub name: String,
    /// Whether it is muted.
    pub muted: bool,
    /// When its mute ends, milliseconds since 1970; null where it is not muted, or until it is unmuted.
    pub muted_until: Option<i64>,
    /// Its items.
    pub items: u64,
    /// Those of them that are unread.
    pub unread: u64,
}
