//! The answers to pulls, lists and counts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Notification, Stamp, View};

/// The answer to `GET /sync`: a page of items that are new or changed since the last pull.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SyncPage {
    /// The new and changed items, in stamp order.
    pub items: Vec<Notification>,
    /// The views whose mark moved since the last pull.
    #[serde(default)]
    pub marks: Vec<ViewMark>,
    /// Marks that make items of this page read and that come in `marks` of a later page only. Without them such an item
    /// would look like one that its publisher marked as read, and the mark may have moved on by then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later_marks: Vec<ViewMark>,
    /// How far the others have read what this user wrote to them: conversations with one person in which the other's
    /// mark moved since the last pull. `stamp` is the time at which it moved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub peer_marks: Vec<ViewMark>,
    /// The conversations with one person that were closed since the last pull, because that user was removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub closed: Vec<ClosedConversation>,
    /// The ids of this user's groups whose name, owner or members changed since the last pull, however long ago that was:
    /// `GET /groups/{gid}` has them. If there are many, they come on several pages. A pull from the beginning names none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// The last-pull timestamp: the cursor that the client stores together with the items.
    pub next: Stamp,
    /// Whether there is another page.
    pub more: bool,
    /// The epoch, which names one unbroken history of the server.
    pub epoch: String,
    /// The server's retention has removed every item whose content is older than this time; clients remove them too. The
    /// time of the content is `revised_at` if there is one, and else `created_at`; of a message it is always
    /// `created_at`. It only moves forward within an epoch; `None` if nothing was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forgotten_before: Option<Stamp>,
}

impl SyncPage {
    /// Parses a page. It is no generic function, so that it is compiled here: a release compiles this crate for speed, and
    /// those that ask for pages to be small.
    ///
    /// # Errors
    /// The body is no such page.
    pub fn from_json(body: &[u8]) -> serde_json::Result<Self> {
        // Texts of what is known to be UTF-8 are not checked one by one.
        match std::str::from_utf8(body) {
            Ok(text) => serde_json::from_str(text),
            Err(_) => serde_json::from_slice(body),
        }
    }
}

/// A conversation with one person who was removed: what was written stays, and nothing more can be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ClosedConversation {
    /// The conversation, `user:<id>`.
    pub conversation: String,
    /// The name that the other user had.
    pub title: String,
    /// When it was closed.
    pub stamp: Stamp,
}

/// The mark of one view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ViewMark {
    /// The view.
    pub view: View,
    /// The time up to which items of auto class are read: those created and last revised at or before it.
    pub through: Stamp,
    /// The stamp of the mark's last move.
    pub stamp: Stamp,
}

/// The answer to `GET /inbox` and to requests for a conversation's messages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct InboxPage {
    /// The items, newest first by the time of their content. That is `revised_at` if there is one, and else `created_at`;
    /// of a message it is always `created_at`.
    pub items: Vec<Notification>,
    /// Value of `before` for the next page; `None` on the last one.
    pub next: Option<Stamp>,
}

/// A count that stops at a cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Count {
    /// The count, at most the cap.
    pub count: u64,
    /// Whether the true count is larger than the cap.
    pub capped: bool,
}

/// The answer to `GET /unread`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UnreadCounts {
    /// Unread items of all kinds.
    pub total: Count,
    /// Unread announcements.
    pub announcement: Count,
    /// Unread reminders.
    pub reminder: Count,
    /// Unread messages.
    pub message: Count,
    /// Unread messages by conversation id, at most 1,000 conversations; `GET /conversations` counts each
    /// conversation.
    #[serde(default)]
    pub conversations: BTreeMap<String, Count>,
}
