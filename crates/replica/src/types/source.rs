//! Sources as they are kept, added and changed, without credentials.

use tidings_model::Stamp;

use super::SourceId;
use crate::NotifySettings;

/// A server, or a user's inbox on it, from which the inbox pulls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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
    /// Since when it is paused, where it is and that is known.
    pub paused_at: Option<Stamp>,
    /// Its position among the sources, from 0.
    pub position: i64,
    /// Where the next pull starts, in the source's own words (for `tidings` a stamp); none = from the beginning.
    pub cursor: Option<String>,
    /// The unbroken history that the cursor belongs to.
    pub epoch: Option<String>,
    /// Everything up to the cursor's pull is in: no backlog is waiting.
    pub complete: bool,
    /// When a page was last applied.
    pub last_pull: Option<Stamp>,
    /// What it may notify of, as its reader set it.
    pub notify: NotifySettings,
    /// Items of it that were too large to be taken, as far as they are remembered.
    pub skipped: u64,
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
    /// A new position among the sources.
    pub position: Option<i64>,
}
