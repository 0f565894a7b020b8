//! The types of the settings dialog: sources, the own server, storage, files and their previews; and native menus.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A source that is to be added.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SourceForm {
    /// One of `Bootstrap.protocols`.
    pub protocol: String,
    /// Where it is; what lacks a scheme is taken as https.
    pub url: String,
    /// The token, in the clear; it goes into the keyring.
    pub token: String,
    /// What its reader calls it; empty takes the host's name.
    pub name: String,
}

/// How a test of a source went.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SourceTest {
    /// It can be added.
    pub ok: bool,
    /// "Signed in as Ana. 12 unread", or what happened and what to do.
    pub text: String,
    /// A name for it.
    pub name: String,
}

/// This computer's own server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ServerView {
    /// Where it answers on this computer, for example `http://127.0.0.1:7878`; none where it does not run.
    pub url: Option<String>,
    /// The port that was set; none takes 7878, or a free one where that is taken.
    pub port: Option<u16>,
    /// Other devices may reach it.
    pub others: bool,
    /// Where other devices reach it.
    pub addresses: Vec<String>,
    /// Why it does not run: a sentence.
    pub trouble: Option<String>,
    /// Its tokens, the newest first; the app's own is not among them.
    pub tokens: Vec<TokenRow>,
}

/// A token, without its secret.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TokenRow {
    /// Names it to `revoke_token`.
    pub id: String,
    /// What its maker called it.
    pub label: String,
    /// It may read the inbox; else it only publishes.
    pub reads: bool,
    /// When it was made, milliseconds since 1970.
    #[ts(type = "number")]
    pub created_at: i64,
}

/// A token that was just made: the only time that it is shown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NewToken {
    /// The secret.
    pub token: String,
    /// A line that publishes with it.
    pub curl: String,
}

/// What lies on the disk.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct StorageView {
    /// The data folder.
    pub folder: String,
    /// The folder of the log files.
    pub logs: String,
    /// Bytes of the inbox, with its search index.
    #[ts(type = "number")]
    pub inbox: u64,
    /// Bytes of this computer's server.
    #[ts(type = "number")]
    pub server: u64,
    /// Bytes of fetched attachments.
    #[ts(type = "number")]
    pub attachments: u64,
    /// Notifications in the inbox.
    #[ts(type = "number")]
    pub items: u64,
    /// Bytes that compacting would give back, about.
    #[ts(type = "number")]
    pub spare: u64,
}

/// What an export is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    /// One JSON array.
    Json,
    /// A table.
    Csv,
    /// A mailbox file.
    Mbox,
}

/// A file that was asked for through the desktop's dialog, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FileResult {
    /// Where it is.
    pub path: String,
    /// What was done: "12,400 notifications written".
    pub text: String,
}

/// A folder that can be shown in the desktop's file manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Folder {
    /// Where everything is kept.
    Data,
    /// The log files.
    Logs,
}

/// How far a file that came with an item is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum FileState {
    /// On its way.
    Fetching {
        /// Bytes here.
        #[ts(type = "number")]
        done: u64,
        /// Bytes in all, where known.
        #[ts(type = "number | null")]
        of: Option<u64>,
    },
    /// Here.
    Here {
        /// Bytes.
        #[ts(type = "number")]
        size: u64,
    },
    /// It could not be downloaded.
    Failed {
        /// Why.
        why: String,
    },
}

/// What can be shown of a file without opening it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "preview", rename_all = "snake_case")]
pub enum Preview {
    /// A picture, as a `data:` address.
    Image {
        /// The address.
        src: String,
    },
    /// The beginning of a text, at most 64 KiB.
    Text {
        /// The text.
        text: String,
        /// There is more.
        cut: bool,
    },
    /// Neither.
    None,
}

/// A line of a native menu.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct MenuEntry {
    /// What the menu answers when it is chosen; empty is a line between groups.
    pub id: String,
    /// What it says.
    pub label: String,
    /// It can be chosen.
    pub enabled: bool,
    /// It has a check mark; none where it can have none.
    pub checked: Option<bool>,
    /// A menu of its own.
    pub lines: Vec<MenuEntry>,
}
