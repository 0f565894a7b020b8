//! The answers to pulls, lists and counts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Notification, Stamp, View};

/// `GET /sync`: a page of what is new or changed since the last pull.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SyncPage {
    /// In stamp order.
    pub items: Vec<Notification>,
    /// The views whose mark moved since the last pull.
    #[serde(default)]
    pub marks: Vec<ViewMark>,
    /// The last-pull timestamp: the cursor to store with the items.
    pub next: Stamp,
    /// Whether there is another page.
    pub more: bool,
    /// The epoch: names one unbroken history of the server.
    pub epoch: String,
    /// The server's retention has removed every item that was created before this; clients remove theirs. It only moves
    /// forward within an epoch; absent where nothing was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forgotten_before: Option<Stamp>,
}

/// A view's mark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ViewMark {
    /// The view.
    pub view: View,
    /// The mark: items of auto class created at or before it are read.
    pub through: Stamp,
    /// When the mark moved.
    pub stamp: Stamp,
}

/// `GET /inbox` and a conversation's messages: newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct InboxPage {
    /// Newest first by `created_at`.
    pub items: Vec<Notification>,
    /// `before` of the next page; `None` on the last one.
    pub next: Option<Stamp>,
}

/// A count that stops at a cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Count {
    /// The count, at most the cap.
    pub count: u64,
    /// Whether there are more.
    pub capped: bool,
}

/// `GET /unread`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UnreadCounts {
    /// All kinds.
    pub total: Count,
    /// Announcements.
    pub announcement: Count,
    /// Reminders.
    pub reminder: Count,
    /// Messages.
    pub message: Count,
    /// The conversations with unread messages, at most 1,000, by id; `GET /conversations` has the count of each.
    #[serde(default)]
    pub conversations: BTreeMap<String, Count>,
}
