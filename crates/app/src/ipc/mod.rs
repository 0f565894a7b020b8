//! The types that cross between page and program, each exported to TypeScript, and the commands. Text in them is
//! rendered and safe to show.

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
mod publish;
mod reading;
mod search;
mod settings;
mod topics;

pub use admin::{
    ExportFormat, FileResult, FileState, Folder, MenuEntry, NewToken, Preview, ServerView, SourceForm,
    SourceTest, StorageView, TokenRow,
};
pub use commands::Command;
pub use conversation::{
    AttachedFile, Composer, Member, NewConversation, OutgoingView, Person, ReadBy, Reader, Upload,
};
pub use event::{ErrorCode, IpcError, IpcEvent, Notice, NoticeCode};
pub use list::{Avatar, Face, Span, ThreadPage, ThreadQuery, ThreadRow};
pub use mark::Marked;
pub use notify::{
    NotifyDefaults, NotifyLevel, NotifySettings, QuietHours, Rule, RuleThen, RuleTrial, RuleWhen,
};
pub use places::{Place, Places, SourceRow, Sync, SyncState, UnreadCount};
pub use publish::{PhoneApp, PhoneLink, PublishDoor, PublishForm, PublishLine, PublishTool, PublishView};
pub use reading::{ActionView, AttachmentView, ItemView, PendingAction, ThreadView};
pub use search::{BulkTarget, Grouping, SavedSearch, Suggestion};
pub use settings::{Density, Settings, Theme};
pub use topics::{
    SecretChange, SigningSender, TemplateTrial, TopicField, TopicForm, TopicProblem, TopicRow, TopicSaved,
    TopicsView, TriedBy, TriedNotice, TriedPayload,
};

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
    /// The BCP 47 tag of the locale in which the desktop writes times; none where the desktop names no locale.
    pub time_locale: Option<String>,
    /// The counts beside the places.
    pub places: Places,
    /// The status of the sources.
    pub sync: Sync,
    /// The first page of the inbox.
    pub inbox: ThreadPage,
    /// The data of the first-run page.
    pub first_run: FirstRun,
    /// The notices in force, shown as banners.
    pub notices: Vec<Notice>,
    /// The thread that a toast, the tray or a link opened before the page was there.
    #[ts(type = "number | null")]
    pub open: Option<ThreadId>,
    /// The msgid of the item to show in it.
    pub open_item: Option<String>,
    /// A button of that item that was pressed in a toast; the page asks for a confirmation before it runs it.
    pub open_action: Option<PendingAction>,
    /// The protocols that a new source may have, for the form that adds one.
    pub protocols: Vec<String>,
    /// The files that are being sent.
    pub uploads: Vec<Upload>,
}

/// The data of the first-run page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FirstRun {
    /// Whether to show the page in place of list and reading pane: nothing has ever arrived, no source was added, and
    /// the reader has not closed it.
    pub show: bool,
    /// The address at which the own server takes publications, for example `http://127.0.0.1:7878`; none where it does
    /// not run.
    pub publish_url: Option<String>,
    /// Whether autostart is on; none where the desktop cannot tell.
    pub autostart: Option<bool>,
}
