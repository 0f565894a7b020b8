//! Sources as they are stored, added and changed; credentials are stored elsewhere.

use std::time::Duration;

use tidings_model::Stamp;

use super::SourceId;
use crate::NotifySettings;

/// A server from which the inbox pulls for one user.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Source {
    /// Row id.
    pub id: SourceId,
    /// The name that the reader gave it; unique. The own server's name may be empty.
    pub name: String,
    /// `tidings`, `ntfy`, `gotify`, `github`.
    pub protocol: String,
    /// The address of the server, without credentials.
    pub url: String,
    /// The id of the user whose inbox is pulled; messages from that user are own ones. `None` until `GET /me` was
    /// answered.
    pub user: Option<String>,
    /// Whether it is the server that the app runs itself.
    pub own: bool,
    /// Whether it is not pulled for now.
    pub paused: bool,
    /// The time since which it is paused; `None` if it is not paused or the time is unknown.
    pub paused_at: Option<Stamp>,
    /// Its position among the sources, from 0.
    pub position: i64,
    /// The cursor of the next pull, in the source's format (for `tidings` a stamp); `None` stands for the beginning.
    pub cursor: Option<String>,
    /// The epoch of the cursor: the unbroken history of the server that it belongs to.
    pub epoch: Option<String>,
    /// Whether the last pull was complete, with no backlog left.
    pub complete: bool,
    /// The time at which a page was last applied.
    pub last_pull: Option<Stamp>,
    /// The notify settings that the reader set; a muted source has the level
    /// [`NotifyLevel::Nothing`](crate::NotifyLevel::Nothing).
    pub notify: NotifySettings,
    /// When its mute ends by itself, by its server's clock; `None` if it is not muted, or until it is unmuted.
    pub muted_until: Option<Stamp>,
    /// Whether the icons that its publishers name are fetched without being asked for.
    pub show_icons: bool,
    /// The number of recorded items that were too large to fetch.
    pub skipped: u64,
    /// The number of recorded items that could not be read.
    pub malformed: u64,
    /// The msgids of the latest three of these that have one, each at most 64 characters.
    pub malformed_msgids: Vec<String>,
    /// The largest file that the server takes with a message, in bytes; `None` if it takes none, or was not asked yet.
    pub attachment_bytes: Option<u64>,
}

/// The times until which a server asked to be left alone; only those that are still to come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waits {
    /// No request is sent before this time.
    pub requests: Option<Stamp>,
    /// No pull that nobody asked for is made before this time.
    pub polls: Option<Stamp>,
}

impl Waits {
    /// The longest wait that a server may ask for.
    pub const MAX: Duration = Duration::from_secs(24 * 60 * 60);
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

/// A change of a source; `None` leaves a field unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceChange {
    /// A new name.
    pub name: Option<String>,
    /// A new address.
    pub url: Option<String>,
    /// A new user; the user's own items are then determined again.
    pub user: Option<String>,
    /// Whether to pause it.
    pub paused: Option<bool>,
    /// A new position among the sources.
    pub position: Option<i64>,
    /// Whether icons of its publishers are fetched.
    pub show_icons: Option<bool>,
}
