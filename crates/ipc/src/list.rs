//! Lists of threads: the query, and rows with their rendered text.

use serde::{Deserialize, Serialize};
use tidings_model::{Choice, Kind};
use tidings_replica::Subscription;
use ts_rs::TS;

use crate::{Grouping, Place, SourceId, ThreadId};

/// The query for one page of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ThreadQuery {
    /// The place whose threads are listed.
    pub place: Place,
    /// A search query that must match (`from:bob is:unread "exact words"`); none lists the whole place.
    pub search: Option<String>,
    /// Whether a search on `Inbox` finds threads in the inbox only; else it finds them in every place.
    #[serde(default)]
    pub within: bool,
    /// The grouping, which sets the order of the rows.
    pub group: Grouping,
    /// The rows after this cursor (`ThreadPage.next`); without any cursor the page starts at the top.
    pub after: Option<String>,
    /// The rows before this cursor (`ThreadPage.prev`), in the list's order.
    pub before: Option<String>,
    /// Whether to return the last rows of the list; cursors are ignored then.
    pub bottom: bool,
    /// The most rows, 1 to 500.
    pub limit: u32,
}

impl ThreadQuery {
    /// The first page of a place, at most 500 rows.
    pub const fn top(place: Place) -> Self {
        Self {
            place,
            search: None,
            within: false,
            group: Grouping::Day,
            after: None,
            before: None,
            bottom: false,
            limit: 500,
        }
    }
}

/// One page of a list, in the order of its query. Pinned threads are not moved up; `Pinned` is a place of its own.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct ThreadPage {
    /// The rows.
    pub rows: Vec<ThreadRow>,
    /// The cursor of the rows that follow; none at the end.
    pub next: Option<String>,
    /// The cursor of the rows before these; none at the top.
    pub prev: Option<String>,
    /// Threads in the place, for the scroll bar; of a search, the results.
    pub total: u64,
    /// Whether there may be more than `total`, because a search ended at its limit.
    pub at_least: bool,
    /// The number of the replica's changes that the rows include at least.
    pub as_of: u64,
}

/// A thread as a row of the list, with its rendered text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ThreadRow {
    /// Row id.
    pub id: ThreadId,
    /// Its source.
    pub source: SourceId,
    /// Its kind.
    pub kind: Kind,
    /// The first line: the actors ("Ana, Bo and 3 others"), a topic, or "Announcement".
    pub who: String,
    /// The first line in short form: "Ana, Bo +3".
    pub who_short: String,
    /// The second line, the newest item's action or title: "commented on **Rust in 2026**". The newest item is that of those
    /// which put the thread where it is listed: what is archived decides no row of the inbox.
    pub what: Vec<Span>,
    /// The newest body in one line of plain text, at most 200 characters.
    pub snippet: String,
    /// The row as one sentence, for a screen reader.
    pub sentence: String,
    /// The avatar.
    pub avatar: Avatar,
    /// The time of the newest content, or at which the thread came back from a snooze after that, in milliseconds since
    /// 1970; lists are sorted by it.
    pub time: i64,
    /// The time of the item that the row shows, milliseconds since 1970, if the list is not sorted by it. Such an item
    /// asks a question, or was found in a place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub shown_at: Option<i64>,
    /// Unread items.
    pub unread: u64,
    /// Items that put it where it is listed: in Done those that are archived, elsewhere the others.
    pub total: u64,
    /// The priority of the item that the row shows, 1 to 5.
    pub priority: u8,
    /// Whether it has unread items that no list has shown yet.
    pub unseen: bool,
    /// Whether a mark on it waits to be sent.
    pub pending: bool,
    /// Whether it is muted: by itself, or with its origin.
    pub muted: bool,
    /// When its mute ends, milliseconds since 1970; none if it is not muted, or until it is unmuted.
    pub muted_until: Option<i64>,
    /// Whether its unread items are counted on the badge: it is not muted, and its priority is high enough.
    pub counts: bool,
    /// Whether the reader pinned it.
    pub pinned: bool,
    /// Whether every item in it is archived, or all that its list shows.
    pub archived: bool,
    /// The time at which its first snoozed item wakes, milliseconds since 1970; none if it is not snoozed.
    pub snoozed_until: Option<i64>,
    /// The time at which it came back from a snooze, milliseconds since 1970; none once it is read or something newer came in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub woken_at: Option<i64>,
    /// The beginning of the draft in one line; empty for none.
    pub draft: String,
    /// The address of the newest item's icon, which is shown once it was fetched (`icon`).
    pub icon: Option<String>,
    /// The link of the newest item, else that of its target; none if neither has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub link: Option<Link>,
    /// Its subscription at the service; none if the service keeps none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub follow: Option<Follow>,
    /// The topic of a thread on which one can publish; none of any other thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub topic: Option<String>,
    /// Its origin within its source; none if it has no origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub origin: Option<Origin>,
    /// Its question, or the outcome of the question; none if neither is its newest matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub question: Option<RowQuestion>,
    /// The msgid of the item that a search found, or that Done lists, if that is not the newest one; the row shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub hit: Option<String>,
    /// The row as Done lists it, of a thread of which a part is archived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub done: Option<Box<ThreadRow>>,
}

/// A topic, an application or a repository of a source, which can be muted as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Origin {
    /// What `mute` calls it, for example `topic:backups` or `owner/name`.
    pub id: String,
    /// The name to show.
    pub name: String,
    /// Whether it is muted.
    pub muted: bool,
    /// When its mute ends, milliseconds since 1970; null if it is not muted, or until it is unmuted.
    pub muted_until: Option<i64>,
}

/// A question in the row of its thread, which then shows the item that asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RowQuestion {
    /// The msgid of the item that asks.
    pub msgid: String,
    /// The answers to choose from; empty if only a text is asked for, and once it is closed.
    pub answers: Vec<Choice>,
    /// Who answered what, or that nobody did; none while it is open.
    pub outcome: Option<String>,
}

/// The subscription of a thread at its service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Follow {
    /// The name of the service, for example `GitHub`.
    pub service: String,
    /// The reader's wish, else the service's answer; null if neither is known.
    pub subscription: Option<Subscription>,
}

/// A web or mail address that may be opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Link {
    /// The address.
    pub url: String,
    /// Its host as it is shown to people, or the recipients of a mail.
    pub host: String,
}

/// A run of text with one style.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Span {
    /// Plain text.
    pub text: String,
    /// Shown in medium weight: the target of a sentence, or a title.
    pub strong: bool,
    /// Shown as a search hit.
    pub found: bool,
}

/// An avatar. Circles are people and groups, rounded squares are topics, announcements and the like.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "shape", rename_all = "snake_case")]
pub enum Avatar {
    /// One person.
    Person {
        /// The person.
        face: Face,
    },
    /// Several people: the newest two.
    Stack {
        /// The newest actor, at the upper left.
        front: Face,
        /// The actor before that one, at the lower right.
        back: Face,
    },
    /// A group of people.
    Group {
        /// The tint of the group, 0 to 7, from its id.
        tint: u8,
    },
    /// A topic, an announcement or a pull request, by an icon.
    Thing {
        /// The name of a Lucide icon, for example `megaphone`.
        icon: String,
    },
}

/// A person's avatar: initials on a tint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Face {
    /// One or two letters: `AR`, or one Chinese character.
    pub initials: String,
    /// The tint, 0 to 7, from a hash of the actor's id.
    pub tint: u8,
}
