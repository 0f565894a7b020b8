//! The types that cross between page and program, each exported to TypeScript, and the commands. Text in them is ready
//! to be shown.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

mod admin;
mod commands;
mod conversation;
mod event;
pub mod events;
mod list;
mod mark;
mod notify;
mod places;
mod reading;
mod search;
mod settings;

pub use admin::{
    ExportFormat, FileResult, FileState, Folder, MenuEntry, NewToken, Preview, ServerView, SourceForm,
    SourceTest, StorageView, TokenRow,
};
pub use commands::Command;
pub use conversation::{Composer, Member, NewConversation, OutgoingView, Person, ReadBy, Reader};
pub use event::{ErrorCode, IpcError, IpcEvent, Notice, NoticeCode};
pub use list::{Avatar, Face, Span, ThreadPage, ThreadQuery, ThreadRow};
pub use mark::Marked;
pub use notify::{
    NotifyDefaults, NotifyLevel, NotifySettings, QuietHours, Rule, RuleThen, RuleTrial, RuleWhen,
};
pub use places::{Place, Places, SourceRow, Sync, SyncState};
pub use reading::{ActionView, AttachmentView, ItemView, PendingAction, ThreadView};
pub use search::{BulkTarget, Grouping, SavedSearch, Suggestion};
pub use settings::{Density, Settings, Theme};

/// A local thread's row id in the replica. Fits a JavaScript number.
pub type ThreadId = i64;
/// A source's row id in the replica.
pub type SourceId = i64;

/// Everything the page needs for its first paint, in one answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Bootstrap {
    /// The app's version.
    pub version: String,
    /// Settings in force.
    pub settings: Settings,
    /// The BCP 47 tag of those who write times as the desktop does; none where it does not say.
    pub time_locale: Option<String>,
    /// The places and their numbers.
    pub places: Places,
    /// How the sources are doing.
    pub sync: Sync,
    /// The first page of the inbox.
    pub inbox: ThreadPage,
    /// What the first-run page says.
    pub first_run: FirstRun,
    /// The degradations of this desktop, to be shown as banners.
    pub notices: Vec<Notice>,
    /// The thread that a toast, the tray or a link asked for before the page was there.
    #[ts(type = "number | null")]
    pub open: Option<ThreadId>,
    /// The item of it that was asked for.
    pub open_item: Option<String>,
    /// A button of that item that was pressed elsewhere, which its reader is asked about.
    pub open_action: Option<PendingAction>,
    /// What sources can speak, for the form that adds one.
    pub protocols: Vec<String>,
}

/// What the page says while there is nothing to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FirstRun {
    /// Nothing has ever arrived and the page was not closed by hand: show it in place of list and reading pane.
    pub show: bool,
    /// Where this computer's own server publishes, for example `http://127.0.0.1:7878`; none where it does not run.
    pub publish_url: Option<String>,
    /// Whether the app starts with the computer; none where the desktop cannot say.
    pub autostart: Option<bool>,
}
