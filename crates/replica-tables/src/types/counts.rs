//! The counts of the inbox.

use serde::{Deserialize, Serialize};
use tidings_model::Kind;

use super::SourceId;

/// The counts of the inbox, read from counters. While a source's backlog is incomplete, its share is what its server
/// counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Unread items of all sources.
    pub total: u64,
    /// Unread announcements of all sources.
    pub announcement: u64,
    /// Unread reminders of all sources.
    pub reminder: u64,
    /// Unread messages of all sources.
    pub message: u64,
    /// The number on the badge, the items that are counted: unread ones without those of muted threads and sources, and
    /// without those below the least priority.
    pub badge: u64,
    /// The number on the badge by kind.
    pub badge_by_kind: KindCounts,
    /// Unread items that no list has shown yet, without muted ones; if there are any, the tray icon has a dot.
    pub unseen: u64,
    /// Threads by place.
    pub places: PlaceCounts,
    /// Operations and messages that wait to be sent; `seen` operations are not counted.
    pub waiting: u64,
    /// Messages among `waiting`.
    pub waiting_messages: u64,
    /// The counts by source, in the order of the sources.
    pub sources: Vec<SourceCounts>,
}

/// Unread items by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindCounts {
    /// Announcements.
    pub announcement: u64,
    /// Reminders.
    pub reminder: u64,
    /// Messages.
    pub message: u64,
}

impl KindCounts {
    pub(crate) fn of_mut(&mut self, kind: Kind) -> &mut u64 {
        match kind {
            Kind::Announcement => &mut self.announcement,
            Kind::Reminder => &mut self.reminder,
            Kind::Message => &mut self.message,
        }
    }
}

/// One source's share of the counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceCounts {
    /// The source's row id.
    pub source: SourceId,
    /// Its name.
    pub name: String,
    /// Unread items.
    pub unread: u64,
    /// Unread items of the source that are counted on the badge.
    pub badge: u64,
    /// Items of the source, read and unread.
    pub items: u64,
    /// Whether these are the server's counts, because the backlog is incomplete.
    pub provisional: bool,
}

/// Numbers of threads by place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PlaceCounts {
    /// Threads that are neither done nor snoozed.
    pub inbox: u64,
    /// Threads in the inbox with an unread item.
    pub unread: u64,
    /// Pinned threads in any place.
    pub pinned: u64,
    /// Snoozed threads.
    pub snoozed: u64,
    /// Threads that are done.
    pub done: u64,
}

/// The number of threads of which something was archived since a time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ArchivedCount {
    /// The threads of the items that were looked at.
    pub threads: u64,
    /// Whether more items were archived than were looked at.
    pub at_least: bool,
}
