//! A thread in the reading pane, with its items. Text from senders has been sanitised.

use serde::{Deserialize, Serialize};
use tidings_model::{Choice, Receipt};
use ts_rs::TS;

use crate::{Avatar, Composer, Face, NotifySettings, PeerReadView, ThreadRow};

/// Where in a thread the items of a page are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum ThreadPosition {
    /// The oldest items.
    First,
    /// The first unread item with a few before it, and those after it; the newest items if none is unread.
    FirstUnread,
    /// An item with a few before it, and those after it.
    Around {
        /// Its msgid.
        msgid: String,
    },
    /// The items before one.
    Before {
        /// Its msgid.
        msgid: String,
    },
    /// The items after one.
    After {
        /// Its msgid.
        msgid: String,
    },
}

/// An opened thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ThreadView {
    /// The thread's row.
    pub row: ThreadRow,
    /// The heading: the target's title, the peer, the group or the topic.
    pub title: String,
    /// The facts under the heading: "Your article", "Work", "9 comments, 5 new".
    pub facts: Vec<String>,
    /// The items of this page, oldest first.
    pub items: Vec<ItemView>,
    /// The open questions among the items before these, oldest first.
    pub asking: Vec<ItemView>,
    /// The number of items before these.
    pub earlier: u64,
    /// The number of items after these.
    pub later: u64,
    /// The avatars of the authors of earlier items, at most three.
    pub earlier_faces: Vec<Face>,
    /// `created_at` of the last item that was read when the thread was opened, milliseconds since 1970; the line "New
    /// since" follows it. None if all or none of the items are unread.
    pub new_since: Option<i64>,
    /// Who joined and left the group, and its new names, oldest first; empty in other threads.
    pub group_lines: Vec<GroupLine>,
    /// How far the other person has read the user's messages on this page; none in groups, and if none was read.
    pub peer_read: Option<PeerReadView>,
    /// The composer; none if the thread cannot be written to.
    pub composer: Option<Composer>,
    /// The notify settings that the reader gave the thread.
    pub notify: NotifySettings,
}

/// A change of a group, between its messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct GroupLine {
    /// The time at which it was seen, milliseconds since 1970.
    pub time: i64,
    /// The change in one sentence: "Bob joined".
    pub text: String,
}

/// One notification in the reading pane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ItemView {
    /// The msgid.
    pub msgid: String,
    /// The actor's name, or the topic.
    pub actor: String,
    /// The avatar.
    pub avatar: Avatar,
    /// The words after the name, "commented" or "commented on your article"; may be empty.
    pub verb: String,
    /// Whether it is a comment.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub comment: bool,
    /// The item's own title; empty if it repeats the thread's heading or the topic.
    pub title: String,
    /// The body: sanitised HTML if `html` is set, else plain text with line breaks.
    pub body: String,
    /// Whether `body` is HTML. Links have their address and its host, as they are shown to people, in
    /// `data-address` and `data-host`; remote images are replaced by `<span data-image="…" data-host="…">`.
    pub html: bool,
    /// Whether line breaks and spaces of the HTML are shown as they are: it is plain text whose addresses are links.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub keeps_lines: bool,
    /// A sentence that says why the body is shown as plain text, or only its beginning; none if all of it is laid out.
    pub plain_reason: Option<String>,
    /// `created_at`, milliseconds since 1970.
    pub time: i64,
    /// Whether it is unread.
    pub unread: bool,
    /// Whether it is archived.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub archived: bool,
    /// Whether it is from the user itself.
    pub own: bool,
    /// The priority, 1 to 5.
    pub priority: u8,
    /// The emoji that its tags name; empty for none.
    pub emoji: String,
    /// The publisher's other tags, of at most 100 tags in all.
    pub tags: Vec<String>,
    /// The number of tags after those, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub more_tags: Option<u32>,
    /// The address of the publisher's icon, which is shown once it was fetched (`icon`).
    pub icon: Option<String>,
    /// The web or mail address that the item links to.
    pub url: Option<String>,
    /// The attachment.
    pub attachment: Option<AttachmentView>,
    /// The buttons under the body.
    pub actions: Vec<ActionView>,
    /// Of a group message that the user sent: how many members read it, with how many it has arrived, and how many count.
    pub receipt: Option<Receipt>,
    /// Whether a mark on it, or the message itself, waits to be sent.
    pub pending: bool,
    /// Whether the reader published it at a server that lets it be edited and taken back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub changeable: bool,
    /// Of a message or an announcement: when its author edited it, milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub edited: Option<i64>,
    /// Its question, with the outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub question: Option<QuestionView>,
}

/// A question of an item, with its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct QuestionView {
    /// The answers to choose from; empty if only a text is asked for.
    pub answers: Vec<Choice>,
    /// Whether it takes a text of the reader's own.
    pub text: bool,
    /// When the time for an answer is over, milliseconds since 1970.
    pub expires: Option<i64>,
    /// The label of the answer that counts if nobody answers in time.
    pub default: Option<String>,
    /// Whether it waits for an answer.
    pub open: bool,
    /// Who answered what, or that nobody did; none while it is open.
    pub outcome: Option<String>,
    /// When that was, milliseconds since 1970.
    pub at: Option<i64>,
    /// Whether the reader's answer waits to be sent.
    pub waits: bool,
    /// The outcome of an answer of the reader's own that came too late; none otherwise.
    pub late: Option<String>,
}

/// How many have read an announcement that the reader published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AnnouncementReaders {
    /// How many of the users have read it.
    pub read: u64,
    /// The users who got it and still are there, without the reader.
    pub users: u64,
}

/// The attachment of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AttachmentView {
    /// File name.
    pub name: String,
    /// The http(s) address.
    pub url: String,
    /// Size in bytes, if known.
    pub size: Option<u64>,
    /// Media type, if known.
    pub media: Option<String>,
}

/// A button under an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ActionView {
    /// The label.
    pub label: String,
    /// Whether the button opens an address; else it sends an HTTP request to `host`, or copies a text.
    pub opens: bool,
    /// The host that it opens or calls; empty for a button that copies.
    pub host: String,
    /// The HTTP method of the request; empty for a button that sends none.
    pub method: String,
    /// The text that it copies to the clipboard; none of any other button.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub copies: Option<String>,
}

/// A button that was pressed in a toast and needs a confirmation in the window before it runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PendingAction {
    /// The button's index among the item's buttons, from 0.
    pub index: usize,
    /// The button as the toast showed it when it was pressed.
    pub button: ActionView,
    /// The item's sender, and its title if it has one.
    pub from: String,
}

/// The reason why a body is shown as plain text, or only its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverBudget {
    /// The body has more bytes than are shown.
    Length,
    /// Quotes, lists or emphasis are nested too deeply.
    Depth,
    /// The body, or the page, has too many elements.
    Elements,
}
