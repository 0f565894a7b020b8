//! The replica's own words: sources, threads, items, places and what a change to them brought about. Refuses SQL.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tidings_model::{Actor, Format, Kind, MsgId, Notification, Stamp, Target, View, wire};

use crate::{Error, Find, Telling};

/// A source's row id; never used again after the source was removed.
pub type SourceId = i64;
/// A thread's row id. Stays the same for as long as the thread has an item, is pinned, muted or
/// has preferences of its own.
pub type ThreadId = i64;
/// An item's row id.
pub type ItemId = i64;

/// What the inbox pulls from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Row id.
    pub id: SourceId,
    /// The name that its reader gave it; unique; the own server's may be empty.
    pub name: String,
    /// `tidings`, `ntfy`, `gotify`, `github`.
    pub protocol: String,
    /// Where it is, without credentials.
    pub url: String,
    /// Whose inbox there: messages from that user are own ones. None until `GET /me` was asked.
    pub user: Option<String>,
    /// The server that the app itself runs.
    pub own: bool,
    /// Not pulled for now.
    pub paused: bool,
    /// Its place among the sources, from 0.
    pub position: i64,
    /// Where the next pull starts, in the source's own words (for `tidings` a stamp); none = from the beginning.
    pub cursor: Option<String>,
    /// The unbroken history that the cursor belongs to.
    pub epoch: Option<String>,
    /// Everything up to the cursor's pull is in: no backlog is waiting.
    pub complete: bool,
    /// When a page was last applied.
    pub last_pull: Option<Stamp>,
    /// What it may tell, as its reader set it.
    pub telling: Telling,
}

/// A source to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSource {
    /// See [`Source::name`].
    pub name: String,
    /// See [`Source::protocol`].
    pub protocol: String,
    /// See [`Source::url`].
    pub url: String,
    /// See [`Source::user`].
    pub user: Option<String>,
    /// See [`Source::own`].
    pub own: bool,
}

/// What to change of a source; `None` leaves a field as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceChange {
    /// A new name.
    pub name: Option<String>,
    /// A new address.
    pub url: Option<String>,
    /// Whose inbox; own messages are counted anew.
    pub user: Option<String>,
    /// Pulled or not.
    pub paused: Option<bool>,
    /// A new place among the sources.
    pub position: Option<i64>,
}

/// One pull's answer, to be written with its cursor in one transaction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    /// Items, in stamp order.
    pub items: Vec<Notification>,
    /// Views whose mark moved.
    pub marks: Vec<wire::ViewMark>,
    /// The cursor to store with the items; none leaves it where it is (the newest page, fetched before the backlog).
    pub next: Option<String>,
    /// The history that they belong to; none leaves it as it is.
    pub epoch: Option<String>,
    /// More is waiting: the backlog is not complete yet. Ignored where `next` is none.
    pub more: bool,
}

impl From<wire::SyncPage> for Page {
    fn from(page: wire::SyncPage) -> Self {
        Self {
            items: page.items,
            marks: page.marks,
            next: Some(page.next.to_string()),
            epoch: Some(page.epoch),
            more: page.more,
        }
    }
}

/// What a page, a mark or a wake-up did. Shared between everyone who hears of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Changed {
    /// Threads that are new or differ, each once. Empty when `refetch`.
    pub threads: Vec<ThreadId>,
    /// Threads that are gone for good.
    pub gone: Vec<ThreadId>,
    /// Too much changed to list it ([`Changed::LISTED`]), or sources or settings did: look at everything anew.
    pub refetch: bool,
    /// The numbers after it.
    pub numbers: Numbers,
}

impl Changed {
    /// Threads listed at most; more are a `refetch`.
    pub const LISTED: usize = 1_000;

    /// No thread differs. The numbers may.
    pub fn is_empty(&self) -> bool {
        self.threads.is_empty() && self.gone.is_empty() && !self.refetch
    }
}

/// What a page did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Applied {
    /// Items that were not there before, in the page's order (tombstones left out).
    pub arrived: Vec<Arrival>,
    /// Items that were there and came in a newer version. A version that is unread again counts as news.
    pub renewed: Vec<Arrival>,
    /// Threads and numbers.
    pub changed: Arc<Changed>,
}

/// An item that a page brought.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrival {
    /// Row id.
    pub item: ItemId,
    /// Its thread.
    pub thread: ThreadId,
    /// Unread after the page was applied whole.
    pub unread: bool,
    /// It was there, was not unread, and is now.
    pub again: bool,
    /// What its thread may tell, and where that says nothing what its source may.
    pub telling: Telling,
    /// The priority in force: the server's, as rules have it.
    pub priority: u8,
    /// A rule wants no toast for it.
    pub hushed: bool,
    /// As it came.
    pub notification: Notification,
}

/// Unread numbers, each read from its counter. While a source's backlog is not in, its share is what its server said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Unread items of all sources.
    pub total: u64,
    /// Of them announcements.
    pub announcement: u64,
    /// Of them reminders.
    pub reminder: u64,
    /// Of them messages.
    pub message: u64,
    /// Unread items less those of muted threads and sources, and those of a lower priority than counts: what stands on
    /// the badge.
    pub badge: u64,
    /// The badge by kind.
    pub heard: Heard,
    /// Unread items that no list has shown yet (less muted ones): whether the tray has a dot.
    pub unseen: u64,
    /// Threads per place.
    pub places: PlaceCounts,
    /// Operations and messages that wait to be sent.
    pub waiting: u64,
    /// The messages among them.
    pub waiting_messages: u64,
    /// By source, in the sources' order.
    pub sources: Vec<SourceNumbers>,
}

/// What stands on the badge, by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Heard {
    /// Announcements.
    pub announcement: u64,
    /// Reminders.
    pub reminder: u64,
    /// Messages.
    pub message: u64,
}

/// One source's share of the numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceNumbers {
    /// Which source.
    pub source: SourceId,
    /// Its name.
    pub name: String,
    /// Unread items.
    pub unread: u64,
    /// What of them stands on the badge.
    pub badge: u64,
    /// Items kept in all.
    pub items: u64,
    /// These are the server's numbers: the backlog is not in yet.
    pub provisional: bool,
}

/// Threads per place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PlaceCounts {
    /// Neither done nor snoozed.
    pub inbox: u64,
    /// Of these unread.
    pub unread: u64,
    /// Pinned.
    pub pinned: u64,
    /// Snoozed.
    pub snoozed: u64,
    /// Done.
    pub done: u64,
}

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

/// A thread as a row of a list: everything that words can be made of, without another query.
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
    /// Distinct actors other than the user itself, the latest first, at most [`Thread::ACTORS`].
    pub actors: Vec<Actor>,
    /// Distinct actors other than the user itself.
    pub actor_count: u64,
    /// The newest item's heading, words and facts.
    pub last: Last,
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
    /// Silenced by its reader.
    pub muted: bool,
    /// Everything in it is archived.
    pub archived: bool,
    /// Everything in it that is not archived sleeps; the first wakes then.
    pub snoozed_until: Option<Stamp>,
    /// A mark on it, or a message in it, waits to be sent.
    pub pending: bool,
    /// The first [`Last::SNIPPET`] characters of what was begun in it and not sent; empty where nothing was.
    pub draft: String,
}

impl Thread {
    /// Actors kept by name.
    pub const ACTORS: usize = 3;
}

/// What a thread's row knows of its newest item.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Last {
    /// Its name.
    #[serde(rename = "m")]
    pub msgid: String,
    /// Who wrote it, also when that is the user itself.
    #[serde(rename = "a")]
    pub actor: Actor,
    /// From the user itself.
    #[serde(rename = "o", default, skip_serializing_if = "std::ops::Not::not")]
    pub own: bool,
    /// What was done.
    #[serde(rename = "v", default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// To what.
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    /// `user:<peer>` or `group:<gid>`.
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// Its heading.
    #[serde(rename = "h", default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The first [`Last::SNIPPET`] characters of its body, with runs of white space as one space.
    #[serde(rename = "b", default, skip_serializing_if = "String::is_empty")]
    pub body: String,
    /// How the body is written.
    #[serde(rename = "f", default)]
    pub format: Format,
    /// What a click leads to.
    #[serde(rename = "u", default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// A picture.
    #[serde(rename = "i", default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    /// Words put on it.
    #[serde(rename = "g", default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// What templates may take from it; left out where it is longer than 4 KiB.
    #[serde(rename = "d", default, skip_serializing_if = "Map::is_empty")]
    pub data: Map<String, Value>,
}

impl Last {
    /// Characters of the body that a row keeps (markdown is shortened as it stands).
    pub const SNIPPET: usize = 400;
}

/// A row's place in a list; as text `<source>.<micros>.<id>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadCursor {
    /// Its source.
    pub source: SourceId,
    /// Its `last_at`.
    pub at: Stamp,
    /// Its id.
    pub id: ThreadId,
}

impl fmt::Display for ThreadCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.source, self.at.as_micros(), self.id)
    }
}

impl FromStr for ThreadCursor {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = || Error::Invalid("the cursor of a list is not one of ours".into());
        let mut parts = text.splitn(3, '.').map(|part| part.parse::<i64>().map_err(|_| wrong()));
        let mut part = || parts.next().unwrap_or_else(|| Err(wrong()));
        Ok(Self { source: part()?, at: Stamp::from_micros(part()?), id: part()? })
    }
}

/// How a list is sorted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// Newest first.
    #[default]
    Newest,
    /// The sources in their order, newest first in each.
    Source,
}

/// Where a page of a list lies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Start {
    /// At the top.
    #[default]
    Top,
    /// Below this row.
    After(ThreadCursor),
    /// Just above this row.
    Before(ThreadCursor),
    /// At the very end.
    Bottom,
}

/// Which threads to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadQuery {
    /// Where. What is sought from `Inbox` is found everywhere but among what was deleted, unless the query itself says
    /// where.
    pub place: Place,
    /// What is sought from `Inbox` is sought only there.
    pub within: bool,
    /// What is sought; nothing lists the place.
    pub find: Find,
    /// How the rows are sorted.
    pub order: Order,
    /// Which page.
    pub start: Start,
    /// At most so many rows, 1 to 500.
    pub limit: usize,
}

impl ThreadQuery {
    /// The first rows of a place, newest first.
    pub fn top(place: Place, limit: usize) -> Self {
        let (find, order, start) = (Find::default(), Order::default(), Start::default());
        Self { place, within: false, find, order, start, limit }
    }
}

/// One page of threads, in the order that was asked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ThreadPage {
    /// The rows.
    pub rows: Vec<Thread>,
    /// What follows starts after this; none at the end.
    pub next: Option<ThreadCursor>,
    /// What stands above ends before this; none at the top.
    pub prev: Option<ThreadCursor>,
    /// Threads in all; of a search those found, counted up to [`ThreadPage::FOUND`].
    pub total: u64,
}

impl ThreadPage {
    /// Found threads are counted up to here.
    pub const FOUND: u64 = 10_000;
}

/// A notification in the replica, with the marks in force: the local ones that wait, else the server's.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Row id.
    pub id: ItemId,
    /// Its thread.
    pub thread: ThreadId,
    /// Its source.
    pub source: SourceId,
    /// Its contents; `read_at` of auto class is its view's mark.
    pub notification: Notification,
    /// As `is_unread` has it.
    pub unread: bool,
    /// From the user itself.
    pub own: bool,
    /// A mark on it waits to be sent.
    pub pending: bool,
}

/// Which items to list, newest first. The default is all that were not deleted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ItemFilter {
    /// Only unread ones.
    pub unread: bool,
    /// Only one kind.
    pub kind: Option<Kind>,
    /// Only threads with this key, of whatever source.
    pub thread: Option<String>,
    /// Only one source.
    pub source: Option<SourceId>,
    /// Only created before this time.
    pub before: Option<Stamp>,
}

/// Items of one thread, oldest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ItemPage {
    /// The items.
    pub items: Vec<Item>,
    /// Items of the thread before these.
    pub earlier: u64,
    /// Items of the thread after these.
    pub later: u64,
    /// The latest actors among the earlier items, at most [`Thread::ACTORS`].
    pub earlier_actors: Vec<Actor>,
}

/// What to do with items or threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Read; of auto class: moves the view's mark forward to the newest of them.
    Read,
    /// Unread again; of a thread its newest item that is not the user's own; of auto class moves the mark back to
    /// just before the oldest of them.
    Unread,
    /// A list showed them.
    Seen,
    /// Done.
    Archive,
    /// Not done after all.
    Unarchive,
    /// Asleep until a time.
    Snooze {
        /// When it wakes.
        until: Stamp,
    },
    /// Awake.
    Unsnooze,
    /// Gone. Can be undone only until it was sent.
    Delete,
    /// Threads only, kept here alone: pinned.
    Pin,
    /// Threads only: not pinned.
    Unpin,
    /// Threads only, kept here alone: silenced.
    Mute,
    /// Threads only: heard again.
    Unmute,
}

/// What a mark is put on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Targets {
    /// Whole threads.
    Threads(Vec<ThreadId>),
    /// Single items by row id.
    Items(Vec<ItemId>),
    /// Single items by name, in whatever source has them; unknown names are passed over.
    MsgIds(Vec<MsgId>),
    /// Every item created at or before a time. `Read` sends one operation a source, other marks name the items.
    All {
        /// Only one source.
        source: Option<SourceId>,
        /// Only one kind.
        kind: Option<Kind>,
        /// Up to here; none = up to the newest that is here.
        through: Option<Stamp>,
    },
    /// Everything in a place, as it is now.
    Place(Place),
}

/// What a mark did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Marked {
    /// Items that changed.
    pub items: u64,
    /// Threads that changed, and the numbers after it.
    pub changed: Arc<Changed>,
    /// Give this to `undo`; none where nothing changed or nothing can be taken back.
    pub undo: Option<Undo>,
}

/// How to take a mark back. Opaque; lives in memory only: up to 20,000 changes one by one, or all that a wide mark did in
/// one and the same way, a bit each.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Undo {
    pub(crate) before: Vec<crate::mark::Before>,
    pub(crate) wide: Vec<crate::wide::Wide>,
}

/// A message that waits to be sent. Its id is also its idempotency key.
#[derive(Debug, Clone, PartialEq)]
pub struct Outgoing {
    /// The client's own id.
    pub id: String,
    /// Where to.
    pub source: SourceId,
    /// `user:<peer>` or `group:<gid>`.
    pub conversation: String,
    /// What.
    pub message: wire::NewMessage,
    /// When it was written.
    pub written_at: Stamp,
    /// Why the last try failed for good; none while it waits.
    pub refused: Option<String>,
    /// The name that the server gave it; it is gone from here as soon as a pull has brought that item.
    pub posted: Option<MsgId>,
}

/// What is known of a group.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Group {
    /// Its id, without `group:`.
    pub id: String,
    /// What people call it; empty where the server would not tell.
    pub name: String,
    /// Its members' ids, in the order in which they joined.
    pub members: Vec<String>,
    /// What people call those members whose name is not their id.
    pub names: BTreeMap<String, String>,
}

/// One who read a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reader {
    /// The user's id.
    pub id: String,
    /// When.
    pub at: Stamp,
}

/// A place where what is kept and what was counted differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Which number, row or page of the file.
    pub what: String,
    /// What stands there.
    pub kept: String,
    /// What a recount gives.
    pub counted: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: kept {}, counted {}", self.what, self.kept, self.counted)
    }
}

/// A view and its mark, as it is in force here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looked {
    /// Which view.
    pub view: View,
    /// Items of auto class created at or before it are read; none = never looked at.
    pub through: Option<Stamp>,
}
