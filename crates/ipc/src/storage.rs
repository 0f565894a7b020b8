//! What the inbox takes on the disk, and the files that are exported and imported.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Sizes on disk, in bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct StorageView {
    /// The data folder.
    pub folder: String,
    /// The folder of the log files.
    pub logs: String,
    /// Bytes of the inbox, with its search index.
    pub inbox: u64,
    /// Bytes of this computer's server.
    pub server: u64,
    /// Bytes of fetched attachments, and of files that wait to be sent.
    pub attachments: u64,
    /// Notifications in the inbox.
    pub items: u64,
    /// Bytes that compacting would free, an estimate.
    pub spare: u64,
    /// The most that one pull of a source brings, MiB.
    pub pull_mebibytes: u32,
    /// Hours of running for which nothing is removed by age, because the clock jumped ahead; 0 for none.
    pub hold_hours: u64,
}

/// The file format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    /// One JSON array with every field.
    Json,
    /// CSV: one row a notification, with the columns that people sort by.
    Csv,
    /// A mailbox (mboxrd): one mail a notification.
    Mbox,
}

/// The result of a command that read or wrote a file chosen in the desktop's dialog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FileResult {
    /// The path of the file.
    pub path: String,
    /// A sentence that says what was done: "12,400 notifications exported".
    pub text: String,
}

/// A folder that can be shown in the desktop's file manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Folder {
    /// The data folder.
    Data,
    /// The folder of the log files.
    Logs,
}
