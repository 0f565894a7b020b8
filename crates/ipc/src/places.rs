//! Places and sources with their counts, and the sync status of each source.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{NotifySettings, SavedSearch, SourceId};

/// The two numbers of unread items that the reader is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct UnreadCount {
    /// All unread items.
    pub unread: u64,
    /// The unread items that are counted on the badge: without those of muted threads and sources, and without those
    /// below the least priority.
    pub counted: u64,
}

/// The counts beside the places.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Places {
    /// The whole inbox.
    pub inbox: UnreadCount,
    /// Pinned threads.
    pub pinned: u64,
    /// Snoozed threads.
    pub snoozed: u64,
    /// What was archived today; null while a thread is in the inbox.
    pub done_today: Option<DoneToday>,
    /// Announcements.
    pub announcement: UnreadCount,
    /// Reminders.
    pub reminder: UnreadCount,
    /// Messages.
    pub message: UnreadCount,
    /// The sources in their order.
    pub sources: Vec<SourceRow>,
    /// The saved searches in their order.
    pub saved: Vec<SavedSearch>,
}

/// The threads of which something was archived today.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DoneToday {
    /// The beginning of the day, milliseconds since 1970.
    pub since: i64,
    /// The number of threads.
    pub threads: u64,
    /// Whether there may be more of them, because not all that was archived was looked at.
    pub at_least: bool,
}

/// A source as a place and as a line in the settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SourceRow {
    /// Row id.
    pub id: SourceId,
    /// The name that the reader gave it; empty for the own server, which the page calls "This computer" in its
    /// language.
    pub name: String,
    /// The protocol: the name of one of `Bootstrap.protocols`, or `kept` for a removed source whose items stay.
    pub protocol: String,
    /// Whether this is the app's own server.
    pub own: bool,
    /// The base address, without credentials.
    pub url: String,
    /// Its unread items.
    pub count: UnreadCount,
    /// The sync status.
    pub state: SyncState,
    /// The notify settings that the reader gave it; a muted source has the level `nothing`.
    pub notify: NotifySettings,
    /// When its mute ends, milliseconds since 1970; null if it is not muted, or until it is unmuted.
    pub muted_until: Option<i64>,
    /// Whether the icons that its publishers name are fetched without being asked for.
    pub show_icons: bool,
    /// Items that were skipped because they are too large; absent for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub skipped: Option<u64>,
    /// Items that were skipped because they can't be read; absent for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub malformed: Option<MalformedItems>,
    /// The topics on which one can publish; absent if the source takes no publications.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub topics: Option<Vec<String>>,
    /// The applications of this desktop that were seen or chosen; only for the source that keeps their notifications.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub applications: Option<Vec<DesktopApplication>>,
}

/// The items of a source that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MalformedItems {
    /// How many were recorded, at most 100.
    pub items: u64,
    /// The msgids of the latest three that have one.
    pub msgids: Vec<String>,
}

/// An application that sends notifications to this desktop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DesktopApplication {
    /// Its name, as its notifications have it.
    pub name: String,
    /// Whether its notifications are kept; of others only the name is known.
    pub kept: bool,
}

/// The sync status of a source. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum SyncState {
    /// Not started yet, or waiting for its next pull without a live channel.
    Idle,
    /// Paused by the reader.
    Paused {
        /// The beginning of the pause, if it is known.
        since: Option<i64>,
    },
    /// A pull runs; `of` is known if the server said how much to expect.
    Pulling {
        /// Items fetched in this pull.
        done: u64,
        /// Items expected.
        of: Option<u64>,
    },
    /// Up to date, with an open live channel.
    Live,
    /// The last try failed; the next one waits.
    Retrying {
        /// The time of the next try.
        at: i64,
        /// The reason in plain language, for example `No answer (503)`, in the page's language.
        why: String,
        /// Whether there is no network route at all, as opposed to a server that fails.
        offline: bool,
    },
    /// The last pull brought the most that one may, and the next one goes on.
    Ended {
        /// The time of the next pull.
        at: i64,
        /// What happened, what is safe and what to do, in the page's language.
        why: String,
    },
    /// The server refused the token.
    NeedsSignIn {
        /// The time of the refusal.
        since: i64,
    },
}

/// The status of all sources together, for the foot of the places and the banner.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Sync {
    /// Whether every source that is not paused is idle or live.
    pub up_to_date: bool,
    /// Whether all sources that are not paused wait for a retry, and there is at least one.
    pub offline: bool,
    /// The time at which a page of any source was last applied, milliseconds since 1970.
    pub last_pull: Option<i64>,
    /// Marks and messages that wait to be sent.
    pub waiting: u64,
    /// The messages among `waiting`.
    pub waiting_messages: u64,
    /// The end of the pause of toasts, milliseconds since 1970; 0 = until switched on again, null = no pause.
    pub paused_until: Option<i64>,
    /// The end of the quiet hours in force, milliseconds since 1970; null = none in force.
    pub quiet_until: Option<i64>,
    /// Whether the desktop's do-not-disturb mode is on, as far as its notification daemon reports it.
    pub do_not_disturb: bool,
}
