//! Threads, and the places of which lists are made.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use tidings_model::{Actor, Format, Kind, Question, Stamp, Target};

use super::{SourceId, Subscription, ThreadId};
use crate::{NotifyLevel, NotifySettings};

/// The place of which a list of threads is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// Threads with an item that is neither archived nor snoozed.
    Inbox,
    /// Threads of the inbox with an unread item.
    Unread,
    /// Pinned threads, in any place.
    Pinned,
    /// Threads of which every item that is not archived is snoozed.
    Snoozed,
    /// Threads with an archived item, by the newest of them; their rows show what is archived.
    Done,
    /// Threads of the inbox of one kind.
    Kind(Kind),
    /// Threads of the inbox of one source.
    Source(SourceId),
}

/// A thread as a row of a list, with all values that the row shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Thread {
    /// Row id.
    pub id: ThreadId,
    /// Its source.
    pub source: SourceId,
    /// The thread key of its items.
    pub key: String,
    /// The kind of its newest item: here and below the newest of those that put it in its place. Archived items count
    /// only if all are archived, and snoozed ones only if none is in the inbox.
    pub kind: Kind,
    /// The latest distinct actors other than the user, at most [`Thread::MAX_ACTORS`]. In a conversation whose peer has
    /// not written yet: the peer, if a group gives the name.
    pub actors: Vec<Actor>,
    /// The number of distinct actors other than the user.
    pub actor_count: u64,
    /// The preview of the newest item.
    pub preview: ThreadPreview,
    /// The time by which lists are sorted: that of the newest content, or at which it came back from a snooze after that.
    pub last_at: Stamp,
    /// When it came back from a snooze; `None` if something newer came in since.
    pub woken_at: Option<Stamp>,
    /// The number of items that put it in its place, without deleted ones.
    pub total: u64,
    /// The number of unread items.
    pub unread: u64,
    /// The number of unread items that no list has shown.
    pub unseen: u64,
    /// The priority of the newest item, 1 to 5.
    pub priority: u8,
    /// The highest priority of the unread items; without unread items that of the newest item.
    pub unread_priority: u8,
    /// Whether the reader pinned it.
    pub pinned: bool,
    /// Whether it is muted: by itself, or with its topic, application or repository.
    pub muted: bool,
    /// When its mute ends by itself, by its server's clock; `None` if it is not muted, or until it is unmuted.
    pub muted_until: Option<Stamp>,
    /// Whether it is muted with its topic, application or repository.
    pub muted_with_origin: bool,
    /// Whether every item is archived, or all of it that its list shows.
    pub archived: bool,
    /// Whether Done lists it with what is archived, while other items of it are not.
    pub archived_in_part: bool,
    /// The time at which its first item wakes, if every item that is not archived is snoozed.
    pub snoozed_until: Option<Stamp>,
    /// Whether a mark other than `seen`, its subscription, or a message in it waits to be sent.
    pub pending: bool,
    /// The first [`ThreadPreview::SNIPPET_CHARS`] characters of its draft; empty without a draft.
    pub draft: String,
    /// The notify settings while it is not muted.
    pub notify: NotifySettings,
    /// Its newest open question, else its newest one; `None` if it asks nothing.
    pub question: Option<ThreadQuestion>,
    /// Whether its news come to the reader at its service: the reader's wish, else the service's answer; `None` if
    /// neither is known.
    pub subscription: Option<Subscription>,
}

impl Thread {
    /// The most actors that are stored by name.
    pub const MAX_ACTORS: usize = 3;

    /// Whether its unread items count on the badge. `source` has its source's notify settings, and `default_from` is
    /// the least priority if neither sets one.
    pub fn counts(&self, source: NotifySettings, default_from: u8) -> bool {
        let notify = self.notify.or(source);
        let notifies = !self.muted && notify.level != Some(NotifyLevel::Nothing);
        notifies && self.unread_priority >= notify.from_priority.unwrap_or(default_from)
    }
}

/// A question in a thread.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ThreadQuestion {
    /// The msgid of the item that asks.
    pub msgid: String,
    /// Its actor, also if that is the user.
    pub actor: Actor,
    /// Whether it is the user's own.
    pub own: bool,
    /// Its title.
    pub title: String,
    /// The first [`ThreadPreview::SNIPPET_CHARS`] characters of its body.
    pub body: String,
    /// The markup of the body.
    pub format: Format,
    /// The address that a click opens.
    pub url: Option<String>,
    /// The address of the icon.
    pub icon: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// The id of the action.
    pub action: Option<String>,
    /// The target of the action.
    pub target: Option<Target>,
    /// Its data for templates; empty if it is longer than 4 KiB as JSON.
    pub data: Map<String, Value>,
    /// Its question, with the outcome.
    pub question: Question,
    /// The time of its content.
    #[serde(deserialize_with = "from_micros")]
    pub at: Stamp,
    /// Its priority.
    pub priority: u8,
    /// Whether it is archived.
    pub archived: bool,
}

fn from_micros<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Stamp, D::Error> {
    i64::deserialize(deserializer).map(Stamp::from_micros)
}

/// The part of a thread's newest item that its row shows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ThreadPreview {
    /// The item's msgid.
    #[serde(rename = "m")]
    pub msgid: String,
    /// The item's actor, also if that is the user.
    #[serde(rename = "a")]
    pub actor: Actor,
    /// Whether the item is the user's own.
    #[serde(rename = "o", default, skip_serializing_if = "std::ops::Not::not")]
    pub own: bool,
    /// The id of the action.
    #[serde(rename = "v", default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// The target of the action.
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    /// `user:<peer>` or `group:<gid>`.
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// The item's title, shortened to [`ThreadPreview::SNIPPET_CHARS`] characters.
    #[serde(rename = "h", default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The first [`ThreadPreview::SNIPPET_CHARS`] characters of its body, in its lines, with other runs of white space as one
    /// space.
    #[serde(rename = "b", default, skip_serializing_if = "String::is_empty")]
    pub body: String,
    /// The markup of the body.
    #[serde(rename = "f", default)]
    pub format: Format,
    /// The address that a click opens.
    #[serde(rename = "u", default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The address of the icon.
    #[serde(rename = "i", default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    /// The item's first [`ThreadPreview::TAGS`] tags.
    #[serde(rename = "g", default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The item's data for templates; empty if it is longer than 4 KiB as JSON.
    #[serde(rename = "d", default, skip_serializing_if = "Map::is_empty")]
    pub data: Map<String, Value>,
}

impl ThreadPreview {
    /// The most characters of title, body and draft in a row (markdown is shortened as source text).
    pub const SNIPPET_CHARS: usize = 400;
    /// The most tags in a row.
    pub const TAGS: usize = 100;
}
