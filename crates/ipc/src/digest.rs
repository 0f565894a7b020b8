//! The digest: the items since a time, per source and thread, and the offer of one after an absence.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{Face, SourceId, ThreadId, ThreadRow, UnreadCount};

/// Which digest is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DigestQuery {
    /// The time since when, milliseconds since 1970; none stands for the beginning of the reader's last absence.
    pub since: Option<i64>,
    /// `Digest.last_item` of a digest that is made again: what arrived after it stays out. None makes a new one.
    pub last_item: Option<i64>,
}

/// The items of a digest that are archived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DigestTarget {
    /// `Digest.since_micros` of the digest, microseconds since 1970.
    pub since: i64,
    /// `Digest.last_item` of the digest.
    pub last_item: i64,
    /// Only items of this source.
    pub source: Option<SourceId>,
    /// Only items of this thread.
    pub thread: Option<ThreadId>,
}

/// What happened since a time. Neither archived nor snoozed items are in it, nor the reader's own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Digest {
    /// The time at which it begins, milliseconds since 1970.
    pub since: i64,
    /// The same in microseconds, for `DigestTarget`.
    pub since_micros: i64,
    /// The last item that had arrived when it was made.
    pub last_item: i64,
    /// The time at which it was made, milliseconds since 1970.
    pub made: i64,
    /// Whether it begins later than was asked for, as more happened since then than it can hold.
    pub shortened: bool,
    /// Its items.
    pub items: u64,
    /// Those of them that are unread.
    pub unread: UnreadCount,
    /// Those of them with a priority above 3.
    pub high: u64,
    /// Its threads.
    pub threads: u64,
    /// What the bars stand for.
    pub by: DigestSpan,
    /// Its items by hour or day, oldest first.
    pub bars: Vec<DigestBar>,
    /// The sources with items in it, in their order.
    pub sources: Vec<DigestSource>,
    /// The people who wrote or acted most, at most 8.
    pub people: Vec<DigestPerson>,
    /// The number of people who wrote or acted.
    pub people_count: u64,
}

/// The span that a bar of the chart stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum DigestSpan {
    /// An hour.
    Hour,
    /// A day, or several if the digest is longer than three months.
    Day,
}

/// A bar of the chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DigestBar {
    /// The beginning of its span, milliseconds since 1970.
    pub at: i64,
    /// The items in it.
    pub items: u64,
}

/// A source in a digest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct DigestSource {
    /// The source.
    pub source: SourceId,
    /// Its items.
    pub items: u64,
    /// Its threads.
    pub threads: u64,
    /// The most important threads, at most 8.
    pub lines: Vec<DigestLine>,
}

/// A thread in a digest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct DigestLine {
    /// The thread as it is now.
    pub row: ThreadRow,
    /// Its items in the digest.
    pub items: u64,
    /// The highest priority among them, 1 to 5.
    pub priority: u8,
}

/// A person in a digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DigestPerson {
    /// The name, or the id if there is none.
    pub name: String,
    /// The avatar.
    pub face: Face,
    /// The person's items.
    pub items: u64,
    /// The thread of the newest one.
    pub thread: ThreadId,
}

/// What came while the reader was away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Away {
    /// The time since when, milliseconds since 1970.
    pub since: i64,
    /// The unread items since then that count on the badge, of at most 10,000 unread ones.
    pub items: u64,
}
