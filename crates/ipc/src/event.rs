//! The events that the page gets without asking, the notices, and the errors of commands.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{FileState, PendingAction, Places, Settings, SourceRow, Sync, ThreadId, ThreadRow, Upload};

/// A banner about something that works only in part on this desktop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Notice {
    /// The condition.
    pub code: NoticeCode,
    /// A sentence in the page's language: what happened, what is safe, what to do.
    pub text: String,
    /// Whether new items cannot be stored; else the app works with less.
    pub danger: bool,
}

/// The condition that a notice is about. The page keys its banners by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum NoticeCode {
    /// No tray host: closing the window quits.
    NoTray,
    /// No notification daemon, or no session bus.
    NoToasts,
    /// There is no keyring, so tokens are stored in a file.
    NoKeyring,
    /// The usual port of the own server is in use by another program.
    PortTaken,
    /// The own server could not start.
    NoServer,
    /// The data folder cannot be written.
    ReadOnly,
    /// The disk is full.
    DiskFull,
    /// The replica can't be opened, for example because it is from a newer version; its file was left as it is.
    NoReplica,
    /// What arrived could not be read before, and is passed by.
    PassedBy,
    /// The replica is damaged, and can be repaired.
    Damaged,
    /// A wrong clock left stamps of the own server in the future; they can be mended.
    ClockAhead,
    /// The replica was repaired, and is used from the next start on.
    Repaired,
    /// There is a newer version of the program.
    NewerVersion,
}

/// An event for the page. Events arrive one after the other over one channel, at most ten a second.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum IpcEvent {
    /// Threads changed. `refetch` is set if too many changed to list them.
    Threads {
        /// The new and changed rows; also of threads that left a place.
        rows: Vec<ThreadRow>,
        /// Threads that were removed.
        gone: Vec<ThreadId>,
        /// The page has to ask for its list again; `rows` and `gone` are empty.
        refetch: bool,
        /// All counts after the change.
        places: Places,
        /// The number of the replica's changes that the rows include at least.
        as_of: u64,
    },
    /// The sources' status changed.
    Sync {
        /// The status of all sources together.
        sync: Sync,
        /// The status of each source.
        sources: Vec<SourceRow>,
    },
    /// Show this thread: a toast, the tray or a link opened it.
    Open {
        /// The thread.
        thread: ThreadId,
        /// The msgid of the item to show in it.
        item: Option<String>,
        /// A button of that item; the page asks for a confirmation before it runs it.
        action: Option<PendingAction>,
    },
    /// Show the form of a new conversation: an action of the desktop entry asked for it.
    NewConversation,
    /// Search: the desktop's search asked for the window with its words.
    Search {
        /// The query.
        query: String,
    },
    /// The state of an attachment's download changed.
    File {
        /// The item's thread.
        thread: ThreadId,
        /// The item's msgid.
        msgid: String,
        /// The state of the download.
        file: FileState,
    },
    /// Files are being sent, or none any more.
    Uploads {
        /// All that are being sent.
        uploads: Vec<Upload>,
    },
    /// A sentence that is shown once, for example why a link opens nothing.
    Announce {
        /// The sentence.
        text: String,
    },
    /// Settings were imported or restored, or the language changed.
    Settings {
        /// All settings.
        settings: Settings,
    },
    /// The notices changed.
    Notices {
        /// All notices in force.
        notices: Vec<Notice>,
    },
}

/// The error of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct IpcError {
    /// The category of the error.
    pub code: ErrorCode,
    /// A sentence in the page's language: what happened, what is safe, what to do.
    pub text: String,
}

/// The category of a command's error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The thread, item or source does not exist.
    NotFound,
    /// The request is invalid.
    Invalid,
    /// The replica could not be read or written.
    Storage,
    /// Another server or program did not answer or failed.
    Outside,
}
