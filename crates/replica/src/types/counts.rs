//! The counts of the inbox, and where one disagrees with its recount.

use std::fmt;

use serde::{Deserialize, Serialize};
use tidings_model::Kind;

use super::SourceId;

/// Counts of the inbox, each read from a counter. While a source's backlog is not in, its share is what its server counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Unread items of all sources.
    pub total: u64,
    /// Of them announcements.
    pub announcement: u64,
    /// Of them reminders.
    pub reminder: u64,
    /// Of them messages.
    pub message: u64,
    /// Unread items less those of muted threads and sources, and those of a lower priority than counts: what stands on
    /// the badge.
    pub badge: u64,
    /// The badge by kind.
    pub badge_by_kind: KindCounts,
    /// Unread items that no list has shown yet (less muted ones): whether the tray has a dot.
    pub unseen: u64,
    /// Threads per place.
    pub places: PlaceCounts,
    /// Operations and messages that wait to be sent; that a list was looked at does not count.
    pub waiting: u64,
    /// The messages among them.
    pub waiting_messages: u64,
    /// By source, in the sources' order.
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
    /// What of them stands on the badge.
    pub badge: u64,
    /// Items kept in all.
    pub items: u64,
    /// These are the server's counts: the backlog is not in yet.
    pub provisional: bool,
}

/// Threads per place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PlaceCounts {
    /// Threads that are neither done nor snoozed.
    pub inbox: u64,
    /// Threads in the inbox with an unread item.
    pub unread: u64,
    /// Pinned.
    pub pinned: u64,
    /// Snoozed.
    pub snoozed: u64,
    /// Done.
    pub done: u64,
}

/// Something that is kept in the replica and differs from its recount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Which number, row or page of the file.
    pub what: String,
    /// What stands there.
    pub kept: String,
    /// What a recount gives.
    pub counted: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: kept {}, counted {}", self.what, self.kept, self.counted)
    }
}
