//! A thread in the reading pane, with its items. What comes from a sender has been made safe before it is put in here.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{Avatar, Composer, Face, NotifySettings, ThreadRow};

/// A thread that was opened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ThreadView {
    /// Its row.
    pub row: ThreadRow,
    /// The heading: the target's title, the peer, the topic.
    pub title: String,
    /// The line of facts under it: "Your article", "Work", "9 comments, 5 new".
    pub facts: Vec<String>,
    /// Where the target lives, an http(s) address.
    pub url: Option<String>,
    /// The items of this page, oldest first.
    pub items: Vec<ItemView>,
    /// Items before these.
    #[ts(type = "number")]
    pub earlier: u64,
    /// Who wrote the earlier ones, at most three.
    pub earlier_faces: Vec<Face>,
    /// `created_at` of the newest item that had been read when the thread was opened: "New since" stands behind it.
    /// None where nothing or everything is new.
    #[ts(type = "number | null")]
    pub new_since: Option<i64>,
    /// Where a message is written; only in conversations that can be written to.
    pub composer: Option<Composer>,
    /// What the thread may do, as its reader set it.
    pub notify: NotifySettings,
}

/// One notification in the reading pane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ItemView {
    /// Its name in its source.
    pub msgid: String,
    /// Who.
    pub actor: String,
    /// What stands in the avatar.
    pub avatar: Avatar,
    /// The verb after the name, "commented"; may be empty.
    pub verb: String,
    /// A title of its own where it says more than the thread's.
    pub title: String,
    /// The body: sanitised HTML when `html`, else plain text to be shown with its line breaks.
    pub body: String,
    /// Whether `body` is HTML. Remote images have been replaced by `<span data-image="…" data-host="…">`.
    pub html: bool,
    /// Why it is shown as plain text, or only its beginning: a sentence; none where all of it is laid out.
    pub plain_reason: Option<String>,
    /// `created_at`, milliseconds since 1970.
    #[ts(type = "number")]
    pub time: i64,
    /// Not read yet.
    pub unread: bool,
    /// From the user itself.
    pub own: bool,
    /// 1 to 5.
    pub priority: u8,
    /// Words that its sender put on it.
    pub tags: Vec<String>,
    /// What it leads to.
    pub url: Option<String>,
    /// A file.
    pub attachment: Option<AttachmentView>,
    /// Buttons under the body.
    pub actions: Vec<ActionView>,
    /// `{read, members}` of a group message that the user sent.
    pub receipt: Option<(u32, u32)>,
    /// A mark on it, or the message itself, waits to be sent.
    pub pending: bool,
}

/// A file that came with a notification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AttachmentView {
    /// File name.
    pub name: String,
    /// Where it is, http(s).
    pub url: String,
    /// Bytes, where known.
    #[ts(type = "number | null")]
    pub size: Option<u64>,
    /// Media type, where known.
    pub media: Option<String>,
}

/// A button under an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ActionView {
    /// What it says.
    pub label: String,
    /// It opens something outside; else it calls out and `host` says where.
    pub opens: bool,
    /// The host that it opens or calls.
    pub host: String,
    /// The HTTP method of its call; empty where it opens something.
    pub method: String,
}

/// A button that was pressed in a toast and needs a confirmation in the window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PendingAction {
    /// Its place among the item's buttons, from 0.
    #[ts(type = "number")]
    pub index: usize,
    /// As it was read when it was pressed.
    pub button: ActionView,
    /// The item's sender, and its title where it has one.
    pub from: String,
}
