//! Marks on threads and items, and the answer that undoes one.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What to do with threads, or with single items of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Mark {
    /// Read.
    Read,
    /// Unread again: of a thread, its newest item.
    Unread,
    /// Seen in the list.
    Seen,
    /// Done.
    Archive,
    /// Not done after all.
    Unarchive,
    /// Asleep until a time, milliseconds since 1970.
    Snooze {
        /// When it wakes.
        #[ts(type = "number")]
        until: i64,
    },
    /// Awake.
    Unsnooze,
    /// Pinned.
    Pin,
    /// Not pinned.
    Unpin,
    /// Silenced: toasts and badge pass it by.
    Mute,
    /// No longer silenced.
    Unmute,
}

/// What a mark did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Marked {
    /// Give this to `undo`; none where nothing changed.
    #[ts(type = "number | null")]
    pub undo: Option<u64>,
    /// Threads that changed.
    #[ts(type = "number")]
    pub threads: u64,
    /// The replica's changes so far, this one among them: a list of fewer does not know of it.
    #[ts(type = "number")]
    pub as_of: u64,
}
