//! The types of the settings dialog: sources, the own server, storage, files and their previews; and native menus.

use serde::{Deserialize, Serialize};
use tidings_replica::NotifyLevel;
use tidings_sync::source;
use ts_rs::TS;

use super::sign_in::SignInView;

/// A protocol that a source may have: the data for the form that adds one, and the abilities of its sources.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProtocolView {
    /// Its name, as in `SourceForm.protocol` and `SourceRow.protocol`.
    pub name: String,
    /// The name of the service, for example `GitHub`.
    pub label: String,
    /// The address that is asked if none is entered; null if one has to be.
    pub default_url: Option<String>,
    /// An address as one types it, for an empty field.
    pub example: String,
    /// The credential that it takes.
    pub credential: Credential,
    /// Its sign-in with the browser; null if it has none.
    pub sign_in: Option<SignInView>,
    /// What it can do.
    pub abilities: Abilities,
    /// The notify level of a new source.
    pub notify: NotifyLevel,
    /// The reasons of its items, in the order in which they are shown; empty if an item has no reason.
    pub reasons: Vec<ReasonView>,
}

/// A reason for which a service notifies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ReasonView {
    /// The action of its items.
    pub action: String,
    /// Whether a new source makes toasts of them; else a rule lets them only count.
    pub toast: bool,
}

/// The credential that a protocol takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Credential {
    /// None at all.
    None,
    /// A token, without which it can't be asked.
    Token,
    /// None, a token, or `user:password`.
    Optional,
}

/// What the sources of a protocol can do. Marks that a service does not keep are kept on this computer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[allow(clippy::struct_excessive_bools, reason = "each is an ability of its own")]
pub struct Abilities {
    /// Whether news comes at once, over a live channel.
    pub live: bool,
    /// Whether items from before it was added can be pulled.
    pub history: bool,
    /// Where the read state is kept.
    pub read: Keeps,
    /// Where the archived state is kept.
    pub archive: Keeps,
    /// Whether an item can be deleted at the service.
    pub delete: bool,
    /// Whether messages can be sent.
    pub reply: bool,
    /// The longest text that can be published on a topic of a source (`SourceRow.topics`), in bytes of UTF-8; null if
    /// nothing can.
    pub publish_bytes: Option<u32>,
    /// Whether a thread can be subscribed to, unsubscribed from and muted at the service.
    pub follow: bool,
    /// Whether details that an item lacks, such as the latest comment, are fetched when its thread is opened.
    pub details: bool,
    /// Whether it has groups of people.
    pub groups: bool,
    /// The shortest time between two pulls without a live channel, in seconds; 0 for no limit of its own.
    pub poll_seconds: u32,
}

/// Where the state of an item is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Keeps {
    /// On this computer only.
    Here,
    /// Also at the service, which does not report changes that were made elsewhere.
    Sent,
    /// At the service, in both directions.
    Both,
}

impl ProtocolView {
    /// Every protocol, in the order in which they are offered.
    pub(crate) fn all() -> Vec<Self> {
        source::PROTOCOLS.iter().map(|known| Self::of(known)).collect()
    }

    fn of(known: &source::Protocol) -> Self {
        let able = known.abilities;
        Self {
            name: known.name.to_owned(),
            label: known.label.to_owned(),
            default_url: known.default_url.map(str::to_owned),
            example: known.example.to_owned(),
            credential: match known.credential {
                source::Credential::None => Credential::None,
                source::Credential::Token => Credential::Token,
                source::Credential::Optional => Credential::Optional,
            },
            sign_in: SignInView::of(known),
            abilities: Abilities {
                live: able.live,
                history: able.history,
                read: able.read.into(),
                archive: able.archive.into(),
                delete: able.delete,
                reply: able.reply,
                publish_bytes: able.publish_bytes.and_then(|bytes| u32::try_from(bytes).ok()),
                follow: able.follow,
                details: able.details,
                groups: source::has_groups(known.name),
                poll_seconds: u32::try_from(able.poll_interval.as_secs()).unwrap_or(u32::MAX),
            },
            notify: known.notify,
            reasons: known
                .reasons
                .iter()
                .map(|reason| ReasonView { action: reason.action.to_owned(), toast: reason.toast })
                .collect(),
        }
    }
}

impl From<source::Keeps> for Keeps {
    fn from(keeps: source::Keeps) -> Self {
        match keeps {
            source::Keeps::Here => Self::Here,
            source::Keeps::Sent => Self::Sent,
            source::Keeps::Both => Self::Both,
        }
    }
}

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
