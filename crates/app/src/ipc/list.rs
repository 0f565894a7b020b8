//! A list of threads: its query, and rows that are ready to be drawn.

use serde::{Deserialize, Serialize};
use tidings_model::Kind;
use ts_rs::TS;

use super::{Grouping, Place, SourceId, ThreadId};

/// Which threads to list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ThreadQuery {
    /// Where.
    pub place: Place,
    /// A query that must match (`from:bob is:unread "exact words"`); none lists the place.
    pub search: Option<String>,
    /// What is searched for in `Inbox` is looked for there alone; else it is looked for everywhere.
    #[serde(default)]
    pub within: bool,
    /// How the rows are sorted.
    pub group: Grouping,
    /// Rows further down than this cursor (`ThreadPage.next`); without any cursor the page starts at the top.
    pub after: Option<String>,
    /// The rows just above this cursor (`ThreadPage.prev`), in the list's order.
    pub before: Option<String>,
    /// The last rows of the list; no cursor is looked at.
    pub bottom: bool,
    /// At most so many rows, 1 to 500.
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

/// One page of threads, newest first (pinned ones are not moved up; Pinned is a place).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct ThreadPage {
    /// The rows.
    pub rows: Vec<ThreadRow>,
    /// Ask for what follows with this; none at the end.
    pub next: Option<String>,
    /// Ask for what stands above with this; none at the top.
    pub prev: Option<String>,
    /// Threads in the place in all, for the scroll bar; in a search, the results (at most 10,000).
    #[ts(type = "number")]
    pub total: u64,
    /// How many of the replica's changes the rows know of, at least.
    #[ts(type = "number")]
    pub as_of: u64,
}

/// A thread in the list: what the row says, ready to be shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ThreadRow {
    /// Row id.
    #[ts(type = "number")]
    pub id: ThreadId,
    /// Its source.
    #[ts(type = "number")]
    pub source: SourceId,
    /// Its kind.
    pub kind: Kind,
    /// The first line: "Ana, Bo and 3 others", a topic, "Announcement".
    pub who: String,
    /// The same where there is little room: "Ana, Bo +3".
    pub who_short: String,
    /// The second line, "commented on **Rust in 2026**".
    pub what: Vec<Span>,
    /// The newest body in one line of plain text, at most 200 characters.
    pub snippet: String,
    /// The whole sentence of the template, for a screen reader.
    pub sentence: String,
    /// What stands in the avatar.
    pub avatar: Avatar,
    /// `created_at` of the newest item, milliseconds since 1970.
    #[ts(type = "number")]
    pub time: i64,
    /// Unread items.
    #[ts(type = "number")]
    pub unread: u64,
    /// Items in all.
    #[ts(type = "number")]
    pub total: u64,
    /// The highest priority among the unread items, else of the newest: 1 to 5.
    pub priority: u8,
    /// Came since the list was last open.
    pub unseen: bool,
    /// A mark on it waits to be sent.
    pub pending: bool,
    /// Silenced.
    pub muted: bool,
    /// What is unread in it counts on the badge: it is neither silenced nor too faint.
    pub counts: bool,
    /// Pinned.
    pub pinned: bool,
    /// Everything in it is archived.
    pub archived: bool,
    /// Asleep until then, milliseconds since 1970.
    #[ts(type = "number | null")]
    pub snoozed_until: Option<i64>,
    /// The draft in one line; empty for none.
    pub draft: String,
}

/// A run of text; `strong` is the target of a sentence, or a word that was searched for when `found`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Span {
    /// Plain text.
    pub text: String,
    /// Set in medium.
    pub strong: bool,
    /// A search hit.
    pub found: bool,
}

/// Shape says who: circles are people and groups, rounded squares are things.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "shape", rename_all = "snake_case")]
pub enum Avatar {
    /// One person.
    Person {
        /// The person.
        face: Face,
    },
    /// Several people, the newest two.
    Stack {
        /// Above, left.
        front: Face,
        /// Below, right.
        back: Face,
    },
    /// A group of people.
    Group {
        /// 0 to 7.
        tint: u8,
    },
    /// A thing: a topic, an announcement, a pull request. The name of a Lucide icon.
    Thing {
        /// For example `megaphone`.
        icon: String,
    },
}

/// One or two letters on a tint that belongs to a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Face {
    /// `AR`, or one Chinese character.
    pub initials: String,
    /// 0 to 7: hash of the actor's id mod 8.
    pub tint: u8,
}
