//! Digests: what happened in a span of time, per source and thread.

use tidings_model::Stamp;

use crate::{ItemId, SourceId, Thread, ThreadId};

/// The items that a digest is made of: those that were created since a time, and did not arrive after it was made. They
/// are neither archived, snoozed nor the user's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DigestScope {
    /// The earliest time of the content.
    pub since: Stamp,
    /// The last item that had arrived when the digest was made.
    pub last_item: ItemId,
    /// Only items of this source.
    pub source: Option<SourceId>,
    /// Only items of this thread.
    pub thread: Option<ThreadId>,
}

/// What happened since a time.
#[derive(Debug, Clone, PartialEq)]
pub struct Digest {
    /// The items that it is made of. If too many were created since the requested time, it begins later.
    pub scope: DigestScope,
    /// Whether it begins later than was requested.
    pub is_shortened: bool,
    /// Its items.
    pub items: u64,
    /// Those of them that are unread.
    pub unread: u64,
    /// The unread ones that count on the badge.
    pub counted: u64,
    /// Those of them with a priority above 3.
    pub high: u64,
    /// Its threads.
    pub threads: u64,
    /// Its items by the requested spans of time.
    pub bars: Vec<u64>,
    /// The sources with items in it, in their order.
    pub sources: Vec<DigestSource>,
    /// The people who acted in it, those with the most items first; at most [`Digest::MAX_PEOPLE`].
    pub people: Vec<DigestPerson>,
    /// The number of people who acted in it.
    pub people_count: u64,
}

impl Digest {
    /// The most items of a digest: about a week of a busy team.
    pub const MAX_ITEMS: usize = 50_000;
    /// The most threads of a source that it names.
    pub const MAX_LINES: usize = 8;
    /// The most people whom it names.
    pub const MAX_PEOPLE: usize = 8;
}

/// A source in a digest.
#[derive(Debug, Clone, PartialEq)]
pub struct DigestSource {
    /// The source.
    pub source: SourceId,
    /// Its items.
    pub items: u64,
    /// Its threads.
    pub threads: u64,
    /// The most important threads, at most [`Digest::MAX_LINES`]: those with a priority above 3 first, then what was
    /// written to the user directly, then those with the most items. Muted ones are last.
    pub lines: Vec<DigestLine>,
}

/// A thread in a digest.
#[derive(Debug, Clone, PartialEq)]
pub struct DigestLine {
    /// The thread as it is now.
    pub thread: Thread,
    /// Its items in the digest.
    pub items: u64,
    /// The highest priority among them.
    pub priority: u8,
    /// Whether it was written to the user directly.
    pub direct: bool,
}

/// A person in a digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DigestPerson {
    /// The actor's id.
    pub id: String,
    /// The name of the newest item; may be empty.
    pub name: String,
    /// The person's items.
    pub items: u64,
    /// The thread of the newest one.
    pub thread: ThreadId,
}
