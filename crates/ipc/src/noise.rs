//! The noise report: how many items came from each source, topic and repository, and how many of them were read.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::SourceId;

/// The numbers of items since a time. The reader's own items are not in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Noise {
    /// The time at which it begins, milliseconds since 1970: 30 days ago, or later if too many items came since then.
    pub since: i64,
    /// The sources with any items, those with the most unread items first.
    pub sources: Vec<NoiseSource>,
}

/// The numbers of items of a source.
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

/// The numbers of items of a topic, an application or a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NoiseOrigin {
    /// The name of it in `mute`, and the target of a rule for everything from there.
    pub target: String,
    /// The name.
    pub name: String,
    /// Whether it is muted.
    pub muted: bool,
    /// When its mute ends, milliseconds since 1970; null if it is not muted, or until it is unmuted.
    pub muted_until: Option<i64>,
    /// Its items.
    pub items: u64,
    /// Those of them that are unread.
    pub unread: u64,
}
