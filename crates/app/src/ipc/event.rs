//! What the page is told unasked, notices, and the errors of commands.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{FileState, PendingAction, Places, Settings, SourceRow, Sync, ThreadId, ThreadRow};

/// Something that works less well than it could, said once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Notice {
    /// From the closed list of codes.
    pub code: NoticeCode,
    /// What happened, what is safe, what to do; in the page's language.
    pub text: String,
    /// Nothing new can be kept, as opposed to "works, but".
    pub danger: bool,
}

/// Why a notice is shown. The page keys its banners by this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum NoticeCode {
    /// No tray host: closing the window quits.
    NoTray,
    /// No notification daemon, or no session bus.
    NoToasts,
    /// Tokens are kept in a file.
    NoKeyring,
    /// The usual port was taken.
    PortTaken,
    /// The own server could not start.
    NoServer,
    /// The data folder cannot be written.
    ReadOnly,
    /// No room on the disk.
    DiskFull,
    /// The inbox on this computer is damaged or from a newer version; it was left as it is.
    NoReplica,
}

/// What the page hears without asking, one after the other over one channel, at most ten a second.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum IpcEvent {
    /// Threads changed: new or changed rows, and the numbers after it. `refetch` when too much changed to list it.
    Threads {
        /// Rows as they are now, also of threads that left a place.
        rows: Vec<ThreadRow>,
        /// Threads that are gone for good.
        #[ts(type = "Array<number>")]
        gone: Vec<ThreadId>,
        /// Ask for the list again instead.
        refetch: bool,
        /// All numbers.
        places: Places,
        /// How many of the replica's changes the rows know of, at least.
        #[ts(type = "number")]
        as_of: u64,
    },
    /// How the sources are doing.
    Sync {
        /// Overall.
        sync: Sync,
        /// Each source.
        sources: Vec<SourceRow>,
    },
    /// Show this thread: a toast, the tray or a link asked for it.
    Open {
        /// Which one.
        #[ts(type = "number")]
        thread: ThreadId,
        /// The item of it that was meant.
        item: Option<String>,
        /// A button of that item: ask whether it is to be pressed.
        action: Option<PendingAction>,
    },
    /// A file that came with an item is on its way, here, or not to be had.
    File {
        /// The item's thread.
        #[ts(type = "number")]
        thread: ThreadId,
        /// The item.
        msgid: String,
        /// How far it is.
        file: FileState,
    },
    /// A sentence that is shown once, for example why a link opens nothing.
    Announce {
        /// The sentence.
        text: String,
    },
    /// Settings changed elsewhere.
    Settings {
        /// All of them.
        settings: Settings,
    },
    /// The notices in force.
    Notices {
        /// All of them.
        notices: Vec<Notice>,
    },
}

/// What a command answers when it can't do what was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct IpcError {
    /// From a closed list.
    pub code: ErrorCode,
    /// What happened, what is safe, what to do; in the page's language.
    pub text: String,
}

/// Why a command could not do what was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// No such thread, item or source.
    NotFound,
    /// The request makes no sense.
    Invalid,
    /// The replica could not be read or written.
    Storage,
    /// Something outside did not answer.
    Outside,
}
