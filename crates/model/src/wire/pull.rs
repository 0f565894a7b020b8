//! What a pull and a list answer, and the numbers. Refuses to count beyond the cap.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Notification, Stamp, View};

/// `GET /sync`: what is new or changed since the last pull.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SyncPage {
    /// In stamp order.
    pub items: Vec<Notification>,
    /// Views whose mark moved.
    #[serde(default)]
    pub marks: Vec<ViewMark>,
    /// The last-pull timestamp to store with the items.
    pub next: Stamp,
    /// Ask again at once.
    pub more: bool,
    /// The unbroken history that this belongs to.
    pub epoch: String,
    /// Every item created before this was removed by the server's retention; only ever moves forward within an epoch.
    /// Absent where nothing was removed. A client removes what it has of them, and keeps none that still comes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forgotten_before: Option<Stamp>,
}

/// A view's mark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ViewMark {
    /// Which view.
    pub view: View,
    /// Items of auto class created at or before it are read.
    pub through: Stamp,
    /// When it moved.
    pub stamp: Stamp,
}

/// `GET /inbox` and a conversation's messages: newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct InboxPage {
    /// Newest first by `created_at`.
    pub items: Vec<Notification>,
    /// `before` of the next page; none at the end.
    pub next: Option<Stamp>,
}

/// A number that stopped counting at its cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Count {
    /// At most the cap.
    pub count: u64,
    /// There are more.
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
    /// Only conversations that have any, at most 1,000 in the order of their ids; a page of the conversations says it for
    /// each of its own.
    #[serde(default)]
    pub conversations: BTreeMap<String, Count>,
}
