//! A page of a pull, and what applying it did.

use std::sync::Arc;

use tidings_model::{MsgId, Notification, Stamp, wire};

use super::{Counts, ItemId, ThreadId};
use crate::NotifySettings;

/// One pull's answer, to be written with its cursor in one transaction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    /// Items, in stamp order.
    pub items: Vec<Notification>,
    /// Views whose mark moved.
    pub marks: Vec<wire::ViewMark>,
    /// The cursor to store with the items; none leaves it where it is (the newest page, fetched before the backlog).
    pub next: Option<String>,
    /// The server's history that they belong to; none leaves it as it is.
    pub epoch: Option<String>,
    /// More is waiting: the backlog is not complete yet. Ignored where `next` is none.
    pub more: bool,
    /// The server removed every item created before this. They go here as well, and none is kept that still comes.
    pub forgotten_before: Option<Stamp>,
}

/// An item that was too large to be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Where it stands in the source's history, in the source's own words: a pull from there on does not bring it.
    pub position: String,
    /// Its msgid.
    pub msgid: MsgId,
}

impl Skipped {
    /// Items of a source that are remembered; of more the latest.
    pub const REMEMBERED: usize = 100;
}

impl Page {
    /// Whether it is of another history of the server than what was pulled before.
    pub(crate) fn is_of_another_history(&self, known_epoch: Option<&str>) -> bool {
        matches!((self.epoch.as_deref(), known_epoch), (Some(new), Some(old)) if new != old)
    }
}

impl From<wire::SyncPage> for Page {
    fn from(page: wire::SyncPage) -> Self {
        Self {
            items: page.items,
            marks: page.marks,
            next: Some(page.next.to_string()),
            epoch: Some(page.epoch),
            more: page.more,
            forgotten_before: page.forgotten_before,
        }
    }
}

/// What a page, a mark or a wake-up changed; every subscriber gets the same.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Changed {
    /// Threads that are new or differ, each once. Empty when `refetch`.
    pub threads: Vec<ThreadId>,
    /// Threads that are gone for good.
    pub gone: Vec<ThreadId>,
    /// Too much changed to list it ([`Changed::MAX_LISTED`]), or sources or settings did: ask for everything anew.
    pub refetch: bool,
    /// The counts after it.
    pub counts: Counts,
}

impl Changed {
    /// Threads listed at most; more are a `refetch`.
    pub const MAX_LISTED: usize = 1_000;

    /// No thread differs. The counts may.
    pub fn is_empty(&self) -> bool {
        self.threads.is_empty() && self.gone.is_empty() && !self.refetch
    }
}

/// What a page did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Applied {
    /// Items that were not there before, in the page's order (tombstones left out).
    pub arrived: Vec<Arrival>,
    /// Items that were there and came in a newer version.
    pub updated: Vec<Arrival>,
    /// Threads and counts.
    pub changed: Arc<Changed>,
}

/// An item that a page brought.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrival {
    /// Row id.
    pub item: ItemId,
    /// Its thread.
    pub thread: ThreadId,
    /// Unread after the page was applied whole.
    pub unread: bool,
    /// It was there, was not unread, and is now.
    pub unread_again: bool,
    /// What its thread may notify of, and where that is not set its source.
    pub notify: NotifySettings,
    /// The priority in force: the server's, or what rules made of it.
    pub priority: u8,
    /// A rule wants no toast for it.
    pub no_toast: bool,
    /// As it came.
    pub notification: Notification,
}
