//! What was found of this computer: what works, what does not, and what to do.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What was found of one part of this computer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Finding {
    /// The part.
    pub what: FindingPart,
    /// Its name in the reader's language; of a source the name that the reader gave it.
    pub name: String,
    /// Whether it works.
    pub state: FindingState,
    /// What was found.
    pub why: String,
    /// What the reader can do; none if there is nothing to do.
    pub what_to_do: Option<String>,
}

/// A part of this computer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum FindingPart {
    /// The session of the desktop, with its bus.
    Session,
    /// What shows tray icons.
    Tray,
    /// What shows notifications.
    Notifications,
    /// What plays the sounds of toasts.
    Sounds,
    /// The keyring.
    Keyring,
    /// The desktop's portal.
    Portals,
    /// What draws windows.
    WebView,
    /// Starting at login.
    Autostart,
    /// The data folder.
    Folder,
    /// The disk of that folder.
    Disk,
    /// The database of the inbox.
    Inbox,
    /// The database of the own server.
    Server,
    /// The port of the own server.
    Port,
    /// The clock.
    Clock,
    /// The version of the program.
    Version,
    /// A source.
    Source,
}

/// Whether a part works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum FindingState {
    /// It works.
    Well,
    /// It works with less, or is not there; the rest goes on.
    Limited,
    /// It does not work before somebody does something.
    Trouble,
}

/// Everything that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Diagnosis {
    /// Each part.
    pub findings: Vec<Finding>,
    /// The same as text, to be sent to somebody: sources are named by their hosts.
    pub report: String,
}
