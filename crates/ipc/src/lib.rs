//! The types that cross between page and program, each exported to TypeScript. Text in them is rendered and
//! safe to show.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

mod certificates;
mod conversation;
mod digest;
mod doctor;
mod event;
mod files;
mod import;
mod keys;
mod list;
mod mark;
mod menu;
mod noise;
mod notify;
mod own_server;
mod place;
mod places;
mod protocol;
mod proxy;
mod publish;
mod quiet;
mod reading;
mod releases;
mod search;
mod settings;
mod sign_in;
mod sounds;
mod source_form;
mod storage;
mod topics;

pub use certificates::{CertificateRow, CertificatesView};
pub use conversation::{
    AttachedFile, Closed, Composer, GroupChange, Member, NewConversation, OutgoingView, PeerReadView, Person,
    ReadBy, Reader, Upload,
};
pub use digest::{
    Away, Digest, DigestBar, DigestLine, DigestPerson, DigestQuery, DigestSource, DigestSpan, DigestTarget,
};
pub use doctor::{Diagnosis, Finding, FindingPart, FindingState};
pub use event::{ErrorCode, IpcError, IpcEvent, Notice, NoticeCode};
pub use files::{FileState, Preview};
pub use import::{ImportLine, ImportToken, ImportView};
pub use keys::Keys;
pub use list::{Avatar, Face, Follow, Link, Origin, RowQuestion, Span, ThreadPage, ThreadQuery, ThreadRow};
pub use mark::Marked;
pub use menu::MenuEntry;
pub use noise::{Noise, NoiseOrigin, NoiseSource};
pub use notify::{
    BusyTime, NotifyLevel, NotifySettings, QuietHours, QuietScope, Rule, RuleAct, RuleDay, RuleField,
    RuleThen, RuleTrial, RuleValue, RuleWhen, TestNotification, TestOutcome,
};
pub use own_server::{NewToken, ServerView, TokenRow, UserRow};
pub use place::Place;
pub use places::{
    DesktopApplication, DoneToday, MalformedItems, Places, SourceRow, Sync, SyncState, UnreadCount,
};
pub use protocol::{Abilities, Credential, Keeps, ProtocolView, ReasonView};
pub use proxy::{ProxyForm, ProxyUse, ProxyView};
pub use publish::{
    NewPublication, NotPublished, PhoneApp, PhoneLink, PublishDoor, PublishForm, PublishLine, PublishTool,
    PublishView,
};
pub use quiet::{CalendarReading, CalendarTrouble, QuietCause, QuietName, QuietNow, QuietWhat};
pub use reading::{
    ActionView, AnnouncementReaders, AttachmentView, GroupLine, ItemView, OverBudget, PendingAction,
    QuestionView, ThreadPosition, ThreadView,
};
pub use releases::{NewerVersion, Releases};
pub use search::{BulkTarget, Correction, Grouping, SavedSearch, Suggestion};
pub use settings::{
    Behaviour, Density, GlobalShortcutView, NotifyDefaults, Scale, Settings, Theme, ToastClick,
};
pub use sign_in::{SignInForm, SignInPrompt, SignInView, Worded};
pub use sounds::{ChosenSound, Sound, Sounds};
pub use source_form::{SourceForm, SourceTest};
pub use storage::{ExportFormat, FileResult, Folder, StorageView};
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
    /// The BCP 47 tag of the locale in which the desktop writes times; none if the desktop names no locale.
    pub time_locale: Option<String>,
    /// The family of the desktop's font for interfaces; none if the desktop names no font of its own.
    pub font: Option<String>,
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
    pub open: Option<ThreadId>,
    /// The msgid of the item to show in it.
    pub open_item: Option<String>,
    /// A button of that item that was pressed in a toast; the page asks for a confirmation before it runs it.
    pub open_action: Option<PendingAction>,
    /// The protocols that sources may have, in the order in which they are offered.
    pub protocols: Vec<ProtocolView>,
    /// The files that are being sent.
    pub uploads: Vec<Upload>,
}

/// The data of the first-run page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FirstRun {
    /// Whether to show the page in place of list and reading pane: nothing has ever arrived, no source was added, and
    /// the reader has not closed it.
    pub show: bool,
    /// The address at which the own server takes publications, for example `http://127.0.0.1:7878`; none if it does not
    /// run.
    pub publish_url: Option<String>,
    /// Whether autostart is on; none if the desktop does not report it.
    pub autostart: Option<bool>,
}
