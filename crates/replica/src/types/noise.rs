//! The noise report: how many items came from each source, topic and repository, and how many of them were read.

use tidings_model::Stamp;

use crate::SourceId;

/// How many items came since a time. The user's own items are not in it, nor deleted ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noise {
    /// The time at which it begins: the requested one, or a later one if more than [`Noise::MAX_ITEMS`] came.
    pub since: Stamp,
    /// The sources from which anything came, those with the most unread items first.
    pub sources: Vec<NoiseSource>,
}

impl Noise {
    /// The most items that it is made of.
    pub const MAX_ITEMS: usize = 50_000;
    /// The most topics and repositories of a source that it names.
    pub const MAX_ORIGINS: usize = 8;
}

/// How many items came from a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoiseSource {
    /// The source.
    pub source: SourceId,
    /// Its items.
    pub items: u64,
    /// Those of them that are unread.
    pub unread: u64,
    /// Its topics, applications and repositories, those with the most unread items first; at most
    /// [`Noise::MAX_ORIGINS`].
    pub origins: Vec<NoiseOrigin>,
}

/// How many items came from a topic, an application or a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoiseOrigin {
    /// What a rule has as its target for everything from there, for example `topic:backups` or `owner/name`.
    pub target: String,
    /// The name to show.
    pub name: String,
    /// Its items.
    pub items: u64,
    /// Those of them that are unread.
    pub unread: u64,
}
