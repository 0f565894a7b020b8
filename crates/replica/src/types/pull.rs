//! A page of a pull, and the result of applying it.

use std::sync::Arc;

use tidings_model::{MsgId, Notification, Stamp, wire};

use super::ServiceItem;
use crate::{Changed, ItemId, NotifySettings, ThreadId};

/// The answer to one pull, written together with its cursor in one transaction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    /// The new and changed items, in stamp order.
    pub items: Vec<Notification>,
    /// The new and changed items of a service that keeps no stamps, oldest first. They get their stamps, and the state
    /// that the service does not keep, when the page is applied.
    pub service_items: Vec<ServiceItem>,
    /// The views whose mark moved.
    pub marks: Vec<wire::ViewMark>,
    /// The marks of others in conversations with one person that moved.
    pub peer_marks: Vec<wire::ViewMark>,
    /// The conversations with one person that were closed.
    pub closed: Vec<wire::ClosedConversation>,
    /// The ids of the user's groups that changed.
    pub groups: Vec<String>,
    /// The cursor to store with the items; `None` leaves the stored one unchanged (a preview page, fetched before the
    /// backlog).
    pub next: Option<String>,
    /// The epoch of the items; `None` leaves the stored one unchanged.
    pub epoch: Option<String>,
    /// Whether more pages follow. Ignored if `next` is `None`.
    pub more: bool,
    /// The server removed every item whose content is from before this time. The replica deletes such items, and ignores those that
    /// still arrive.
    pub forgotten_before: Option<Stamp>,
}

/// An item that was passed by: the pull goes on without it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// A text that distinguishes it from others of its source, for example the cursor after it.
    pub position: String,
    /// Its msgid, at most 64 characters; empty if it has none.
    pub msgid: MsgId,
    /// Whether it could not be read; else it was too large to fetch.
    pub malformed: bool,
}

impl Skipped {
    /// The most skipped items of a source that are recorded; the latest stay.
    pub const MAX_RECORDED: usize = 100;
}

impl Page {
    /// Whether the page is of another history of the server than the pages before.
    pub(crate) fn is_of_another_history(&self, known_epoch: Option<&str>) -> bool {
        matches!((self.epoch.as_deref(), known_epoch), (Some(new), Some(old)) if new != old)
    }
}

impl From<wire::SyncPage> for Page {
    fn from(page: wire::SyncPage) -> Self {
        Self {
            items: page.items,
            service_items: Vec::new(),
            marks: [page.marks, page.later_marks].concat(),
            peer_marks: page.peer_marks,
            closed: page.closed,
            groups: page.groups,
            next: Some(page.next.to_string()),
            epoch: Some(page.epoch),
            more: page.more,
            forgotten_before: page.forgotten_before,
        }
    }
}

/// The result of applying a page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Applied {
    /// Items that the replica did not have, in the page's order, without tombstones.
    pub arrived: Vec<Arrival>,
    /// Items that the replica had and that came in a newer version.
    pub updated: Vec<Arrival>,
    /// The changed threads and the new counts.
    pub changed: Arc<Changed>,
}

impl Applied {
    /// Adds what a later part of the page did.
    pub(crate) fn extend(&mut self, later: Self) {
        self.arrived.extend(later.arrived);
        self.updated.extend(later.updated);
        self.changed = self.changed.merged(&later.changed);
    }
}

/// An item that a page brought, with the effects that toasts depend on.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrival {
    /// Row id.
    pub item: ItemId,
    /// Its thread.
    pub thread: ThreadId,
    /// Whether it is unread after the whole page was applied.
    pub unread: bool,
    /// Whether the replica had it as not unread before the page, and it is unread now.
    pub unread_again: bool,
    /// The notify settings of its thread, completed by those of its source.
    pub notify: NotifySettings,
    /// The priority in force: the server's, or a rule's.
    pub priority: u8,
    /// Whether a rule suppresses its toast.
    pub no_toast: bool,
    /// The notification as pulled.
    pub notification: Notification,
}
