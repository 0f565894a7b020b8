//! Threads, and the places that they are in.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tidings_model::{Actor, Format, Kind, Stamp, Target};

use super::{SourceId, ThreadId};
use crate::{NotifyLevel, NotifySettings};

/// Where a list of threads is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// Everything that is neither done nor snoozed: some item is neither archived nor asleep.
    Inbox,
    /// What of the inbox is unread.
    Unread,
    /// What was pinned, wherever it is.
    Pinned,
    /// Everything in it that is not archived sleeps.
    Snoozed,
    /// Everything in it is archived.
    Done,
    /// Of the inbox, one kind.
    Kind(Kind),
    /// Of the inbox, one source.
    Source(SourceId),
}

/// A thread as a row of a list, with all that is needed to show it.
#[derive(Debug, Clone, PartialEq)]
pub struct Thread {
    /// Row id.
    pub id: ThreadId,
    /// Its source.
    pub source: SourceId,
    /// What its items have in `thread`.
    pub key: String,
    /// The kind of its newest item.
    pub kind: Kind,
    /// Distinct actors other than the user itself, the latest first, at most [`Thread::ACTORS`]. With somebody who
    /// has not written yet: that one, where a group tells the name.
    pub actors: Vec<Actor>,
    /// Distinct actors other than the user itself.
    pub actor_count: u64,
    /// What the row shows of the newest item.
    pub preview: ThreadPreview,
    /// `created_at` of the newest item: the order of the list.
    pub last_at: Stamp,
    /// Items in all (deleted ones never count).
    pub total: u64,
    /// Unread items.
    pub unread: u64,
    /// Unread items that no list has shown.
    pub unseen: u64,
    /// The highest priority among the unread items, else of the newest: 1 to 5.
    pub priority: u8,
    /// Pinned by its reader.
    pub pinned: bool,
    /// Muted by its reader.
    pub muted: bool,
    /// Everything in it is archived.
    pub archived: bool,
    /// Everything in it that is not archived sleeps; the first wakes then.
    pub snoozed_until: Option<Stamp>,
    /// A mark on it other than that it was seen, or a message in it, waits to be sent.
    pub pending: bool,
    /// The first [`ThreadPreview::SNIPPET`] characters of its draft; empty where there is none.
    pub draft: String,
    /// What it may notify of when it is not muted.
    pub notify: NotifySettings,
}

impl Thread {
    /// Actors kept by name.
    pub const ACTORS: usize = 3;

    /// Whether what is unread in it is counted on the badge, with its source's settings; `default_from` is the least priority
    /// where neither sets one.
    pub fn counts(&self, source: NotifySettings, default_from: u8) -> bool {
        let notify = self.notify.or(source);
        let notifies = !self.muted && notify.level != Some(NotifyLevel::Nothing);
        notifies && self.priority >= notify.from_priority.unwrap_or(default_from)
    }
}

/// What a thread's row shows of its newest item.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ThreadPreview {
    /// Its msgid.
    #[serde(rename = "m")]
    pub msgid: String,
    /// Who wrote it, also when that is the user itself.
    #[serde(rename = "a")]
    pub actor: Actor,
    /// From the user itself.
    #[serde(rename = "o", default, skip_serializing_if = "std::ops::Not::not")]
    pub own: bool,
    /// What the actor did.
    #[serde(rename = "v", default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// What it was done to.
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    /// `user:<peer>` or `group:<gid>`.
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// Its title, shortened.
    #[serde(rename = "h", default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The first [`ThreadPreview::SNIPPET`] characters of its body, with runs of white space as one space.
    #[serde(rename = "b", default, skip_serializing_if = "String::is_empty")]
    pub body: String,
    /// How the body is written.
    #[serde(rename = "f", default)]
    pub format: Format,
    /// The page that a click opens.
    #[serde(rename = "u", default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The address of a picture.
    #[serde(rename = "i", default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    /// Its tags.
    #[serde(rename = "g", default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// What templates may take from it; left out where it is longer than 4 KiB.
    #[serde(rename = "d", default, skip_serializing_if = "Map::is_empty")]
    pub data: Map<String, Value>,
}

impl ThreadPreview {
    /// Characters of the body that a row keeps (markdown is shortened as it stands).
    pub const SNIPPET: usize = 400;
}
