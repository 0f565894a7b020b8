//! The types of the settings dialog: the form of a source, the own server, storage, files and their previews; and native menus.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The form that adds or edits a source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SourceForm {
    /// The protocol: the name of one of `Bootstrap.protocols`.
    pub protocol: String,
    /// The address as the reader typed it; without a scheme https is tried, and http on this computer and in its network.
    /// An empty one stands for the protocol's own.
    pub url: String,
    /// The token in plain text, or none; it is stored in the keyring.
    pub token: String,
    /// The reader's name for the source; an empty one is replaced by the host's name.
    pub name: String,
    /// The id of a sign-in with the browser that succeeded, whose token is taken in place of `token`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub sign_in: Option<u64>,
}

/// The result of testing a source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SourceTest {
    /// Whether the source can be added.
    pub ok: bool,
    /// A sentence: "Signed in as Ana. 12 unread", or what failed and what to do.
    pub text: String,
    /// A suggested name: the service's, a document's title, or the host.
    pub name: String,
}

/// The state of this computer's own server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ServerView {
    /// The address for programs on this computer, for example `http://127.0.0.1:7878`; none if the server does not run.
    pub url: Option<String>,
    /// The port in the settings; none takes 7878, or a free port if 7878 is in use.
    pub port: Option<u16>,
    /// Whether other devices may connect.
    pub others: bool,
    /// The origins of pages in a browser that may use the server with a token.
    pub origins: Vec<String>,
    /// The addresses for other devices, the likeliest first; empty if they may not connect.
    pub addresses: Vec<String>,
    /// The reason why the server does not run, a sentence.
    pub trouble: Option<String>,
    /// The reason why other devices do not find the server by themselves, a sentence; its addresses work all the same.
    pub discovery_trouble: Option<String>,
    /// The tokens of the owner, newest first; the app's own tokens are left out.
    pub tokens: Vec<TokenRow>,
    /// The users, by id.
    pub users: Vec<UserRow>,
}

/// A user of the own server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct UserRow {
    /// The user's id.
    pub id: String,
    /// The name that others see.
    pub name: String,
    /// Whether this is the app's own user, which can't be removed.
    pub me: bool,
}

/// A token, without its secret.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TokenRow {
    /// The token's id, for `revoke_token`.
    pub id: String,
    /// The label that the reader gave the token.
    pub label: String,
    /// Whether the token may read the inbox; else it only publishes.
    pub reads: bool,
    /// The time of creation, milliseconds since 1970.
    pub created_at: i64,
    /// The label of the token that made it, as a phone's does when it signs in, and with which it is revoked; null if
    /// the reader made it.
    pub made_by: Option<String>,
    /// How many tokens are revoked with it, because it made them, or what it made did.
    pub made: u32,
}

/// A token that was just created; its secret is shown only here.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NewToken {
    /// The secret.
    pub token: String,
    /// A `curl` command that publishes with the token, with the address for other devices.
    pub curl: String,
    /// A sentence: why the command works on this computer alone. None if other devices may connect.
    pub only_here: Option<String>,
}

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

/// The state of an attachment's local copy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum FileState {
    /// The download runs.
    Fetching {
        /// Bytes downloaded so far.
        done: u64,
        /// Bytes in total; null if unknown.
        of: Option<u64>,
    },
    /// The file was downloaded.
    Here {
        /// Size in bytes.
        size: u64,
    },
    /// The download failed.
    Failed {
        /// The reason, a sentence.
        why: String,
    },
}

/// The preview of a downloaded file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "preview", rename_all = "snake_case")]
pub enum Preview {
    /// A picture.
    Image {
        /// The picture as a `data:` address.
        src: String,
        /// Its width by its height, each in pixels; the page bounds how many it shows at once.
        pixels: u32,
    },
    /// The beginning of a text, at most 64 KiB.
    Text {
        /// The text.
        text: String,
        /// Whether the text goes on after the preview.
        cut: bool,
    },
    /// Neither a picture nor a text: no preview.
    None,
}

/// A line of a native context menu.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct MenuEntry {
    /// The id that `popup` returns when the line is chosen; an empty id makes a separator.
    pub id: String,
    /// The text of the line; a shortcut may follow it after a tab.
    pub label: String,
    /// Whether the line can be chosen.
    pub enabled: bool,
    /// The state of the line's check mark; none for a line without one.
    pub checked: Option<bool>,
    /// The lines of its submenu; empty for none.
    pub lines: Vec<MenuEntry>,
}
