//! Places and sources with their counts, and the state of each source's sync.

use serde::{Deserialize, Serialize};
use tidings_model::Kind;
use ts_rs::TS;

use super::{NotifySettings, SavedSearch, SourceId};

/// Where a list of threads is taken from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "place", rename_all = "snake_case")]
pub enum Place {
    /// Everything that is neither done nor snoozed.
    Inbox,
    /// What of the inbox is unread.
    Unread,
    /// What was pinned, wherever it is.
    Pinned,
    /// What sleeps until a time.
    Snoozed,
    /// What was archived.
    Done,
    /// The threads of one kind.
    Kind {
        /// Which one.
        kind: Kind,
    },
    /// The threads of one source.
    Source {
        /// Which one.
        #[ts(type = "number")]
        source: SourceId,
    },
    /// What a saved search finds.
    Saved {
        /// Which one.
        #[ts(type = "number")]
        id: i64,
    },
}

/// The numbers beside the places. Unread *threads'* unread *items*, muted ones not counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Places {
    /// Unread items, as on the badge.
    #[ts(type = "number")]
    pub unread: u64,
    /// Pinned threads.
    #[ts(type = "number")]
    pub pinned: u64,
    /// Snoozed threads.
    #[ts(type = "number")]
    pub snoozed: u64,
    /// Unread announcements.
    #[ts(type = "number")]
    pub announcement: u64,
    /// Unread reminders.
    #[ts(type = "number")]
    pub reminder: u64,
    /// Unread messages.
    #[ts(type = "number")]
    pub message: u64,
    /// The sources in their order.
    pub sources: Vec<SourceRow>,
    /// The saved searches in their order.
    pub saved: Vec<SavedSearch>,
}

/// A source as a place and as a line of the settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SourceRow {
    /// Row id.
    #[ts(type = "number")]
    pub id: SourceId,
    /// The name its reader gave it; the own server's is empty: the page says "This computer" in its language.
    pub name: String,
    /// `tidings`, `ntfy`, `gotify`, `github`.
    pub protocol: String,
    /// This is the server that the app itself runs.
    pub own: bool,
    /// Where it is, without credentials.
    pub url: String,
    /// Unread items.
    #[ts(type = "number")]
    pub unread: u64,
    /// How its pull is doing.
    pub state: SyncState,
    /// What it may do, as its reader set it.
    pub notify: NotifySettings,
    /// Items that were too large to be taken; absent where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub skipped: Option<u64>,
}

/// How one source's pull is doing. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum SyncState {
    /// Not started yet, or between two polls.
    Idle,
    /// Paused by its reader.
    Paused {
        /// Since when, where that is known.
        #[ts(type = "number | null")]
        since: Option<i64>,
    },
    /// Fetching what came; `of` is there when the server said how much to expect.
    Pulling {
        /// Items fetched in this pull.
        #[ts(type = "number")]
        done: u64,
        /// Items expected.
        #[ts(type = "number | null")]
        of: Option<u64>,
    },
    /// Up to date, with an open live channel.
    Live,
    /// The last try failed; the next one is at `at`.
    Retrying {
        /// When.
        #[ts(type = "number")]
        at: i64,
        /// What happened, without jargon, for example `No answer (503)`; already in the page's language.
        why: String,
        /// No network route at all, as opposed to a server that answers badly.
        offline: bool,
    },
    /// The token was refused.
    NeedsSignIn {
        /// When.
        #[ts(type = "number")]
        since: i64,
    },
}

/// How all sources are doing, for the foot of the places and the banner.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Sync {
    /// Every source that is not paused is idle or live.
    pub up_to_date: bool,
    /// No source could be reached.
    pub offline: bool,
    /// When anything was last pulled.
    #[ts(type = "number | null")]
    pub last_pull: Option<i64>,
    /// Marks and messages that wait to be sent.
    #[ts(type = "number")]
    pub waiting: u64,
    /// The messages among them.
    #[ts(type = "number")]
    pub waiting_messages: u64,
    /// Toasts are paused until then (0 = until switched on again).
    #[ts(type = "number | null")]
    pub paused_until: Option<i64>,
    /// Quiet hours are on and end then.
    #[ts(type = "number | null")]
    pub quiet_until: Option<i64>,
}
