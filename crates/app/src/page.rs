//! What the page is told and what it may ask: the shapes that cross into the WebView, each exported to TypeScript.
//! Refuses to decide anything: a shape here holds words and numbers that are ready to be shown.

use serde::{Deserialize, Serialize};
use tidings_model::{Kind, Lang};
use ts_rs::TS;

mod find;
mod house;
mod talk;
mod tell;

pub use find::{Everything, Grouping, SavedSearch, Suggestion};
pub use house::{
    ExportFormat, FileDone, FileState, Folder, MenuEntry, NewToken, Preview, ServerView, SourceForm,
    SourceTest, StorageView, TokenRow,
};
pub use talk::{Composer, OutgoingView, ReadBy, Reader};
pub use tell::{Notifying, QuietHours, Rule, RuleThen, RuleTrial, RuleWhen, Tell, Telling};

/// A local thread's row id in the replica. Fits a JavaScript number.
pub type ThreadId = i64;
/// A source's row id in the replica.
pub type SourceId = i64;

/// Where a list of threads is taken from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "place", rename_all = "snake_case")]
pub enum Place {
    /// Everything that is neither done nor snoozed.
    Inbox,
    /// What of the inbox is unread.
    Unread,
    /// What was pinned, wherever it is.
    Pinned,
    /// What sleeps until a time.
    Snoozed,
    /// What was archived.
    Done,
    /// The threads of one kind.
    Kind {
        /// Which one.
        kind: Kind,
    },
    /// The threads of one source.
    Source {
        /// Which one.
        #[ts(type = "number")]
        source: SourceId,
    },
    /// What a kept search finds.
    Saved {
        /// Which one.
        #[ts(type = "number")]
        id: i64,
    },
}

/// Everything the page needs for its first paint, in one answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Bootstrap {
    /// The app's version.
    pub version: String,
    /// Settings in force.
    pub settings: Settings,
    /// The places and their numbers.
    pub places: Places,
    /// How the sources are doing.
    pub sync: Sync,
    /// The first page of the inbox.
    pub inbox: ThreadPage,
    /// What the first-run page says.
    pub first_run: FirstRun,
    /// What does not work on this desktop, in words, to be shown as banners.
    pub notices: Vec<Notice>,
    /// The thread that a toast, the tray or a link asked for before the page was there.
    #[ts(type = "number | null")]
    pub open: Option<ThreadId>,
    /// The item of it that was asked for.
    pub open_item: Option<String>,
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

/// The numbers beside the places. Unread *threads'* unread *items*, muted ones not counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Places {
    /// Unread items, as on the badge.
    #[ts(type = "number")]
    pub unread: u64,
    /// Pinned threads.
    #[ts(type = "number")]
    pub pinned: u64,
    /// Snoozed threads.
    #[ts(type = "number")]
    pub snoozed: u64,
    /// Unread announcements.
    #[ts(type = "number")]
    pub announcement: u64,
    /// Unread reminders.
    #[ts(type = "number")]
    pub reminder: u64,
    /// Unread messages.
    #[ts(type = "number")]
    pub message: u64,
    /// The sources in their order.
    pub sources: Vec<SourceRow>,
    /// The searches that were kept, in their order.
    pub saved: Vec<SavedSearch>,
}

/// A source as a place and as a line of the settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SourceRow {
    /// Row id.
    #[ts(type = "number")]
    pub id: SourceId,
    /// The name its reader gave it; the own server's is empty: the page says "This computer" in its language.
    pub name: String,
    /// `tidings`, `ntfy`, `gotify`, `github`.
    pub protocol: String,
    /// This is the server that the app itself runs.
    pub own: bool,
    /// Where it is, without credentials.
    pub url: String,
    /// Unread items.
    #[ts(type = "number")]
    pub unread: u64,
    /// How its pull is doing.
    pub state: SyncState,
    /// What it may do, as its reader set it.
    pub telling: Telling,
}

/// How one source's pull is doing. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum SyncState {
    /// Not started yet, or between two polls.
    Idle,
    /// Paused by its reader.
    Paused,
    /// Fetching what came; `of` is there when the server said how much to expect.
    Pulling {
        /// Items fetched in this pull.
        #[ts(type = "number")]
        done: u64,
        /// Items expected.
        #[ts(type = "number | null")]
        of: Option<u64>,
    },
    /// Up to date, with an open live channel.
    Live,
    /// The last try failed; the next one is at `at`.
    Retrying {
        /// When.
        #[ts(type = "number")]
        at: i64,
        /// What happened, in words without jargon, for example `No answer (503)`; already in the page's language.
        why: String,
        /// No network route at all, as opposed to a server that answers badly.
        offline: bool,
    },
    /// The token was refused.
    NeedsSignIn {
        /// When.
        #[ts(type = "number")]
        since: i64,
    },
}

/// How all sources are doing, for the foot of the places and the banner.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Sync {
    /// Every source that is not paused is idle or live.
    pub up_to_date: bool,
    /// No source could be reached.
    pub offline: bool,
    /// When anything was last pulled.
    #[ts(type = "number | null")]
    pub last_pull: Option<i64>,
    /// Marks and messages that wait to be sent.
    #[ts(type = "number")]
    pub waiting: u64,
    /// The messages among them.
    #[ts(type = "number")]
    pub waiting_messages: u64,
    /// Toasts are paused until then (0 = until switched on again).
    #[ts(type = "number | null")]
    pub paused_until: Option<i64>,
    /// Quiet hours are on and end then.
    #[ts(type = "number | null")]
    pub quiet_until: Option<i64>,
}

/// Which threads to list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ThreadQuery {
    /// Where.
    pub place: Place,
    /// A query that must match (`from:bob is:unread "exact words"`); none lists the place.
    pub search: Option<String>,
    /// What is searched for in `Inbox` is looked for there alone; else it is looked for everywhere.
    #[serde(default)]
    pub within: bool,
    /// How the rows are sorted.
    pub group: Grouping,
    /// Rows further down than this cursor (`ThreadPage.next`); without any cursor the page starts at the top.
    pub after: Option<String>,
    /// The rows just above this cursor (`ThreadPage.prev`), in the list's order.
    pub before: Option<String>,
    /// The last rows of the list; no cursor is looked at.
    pub bottom: bool,
    /// At most so many rows, 1 to 500.
    pub limit: u32,
}

impl ThreadQuery {
    /// The first page of a place, at most 500 rows.
    pub const fn top(place: Place) -> Self {
        Self {
            place,
            search: None,
            within: false,
            group: Grouping::Day,
            after: None,
            before: None,
            bottom: false,
            limit: 500,
        }
    }
}

/// One page of threads, newest first (pinned ones are not moved up; Pinned is a place).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct ThreadPage {
    /// The rows.
    pub rows: Vec<ThreadRow>,
    /// Ask for what follows with this; none at the end.
    pub next: Option<String>,
    /// Ask for what stands above with this; none at the top.
    pub prev: Option<String>,
    /// Threads in the place in all, for the scroll bar; with words, those found (at most 10,000).
    #[ts(type = "number")]
    pub total: u64,
}

/// A thread in the list: what the row says, ready to be shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ThreadRow {
    /// Row id.
    #[ts(type = "number")]
    pub id: ThreadId,
    /// Its source.
    #[ts(type = "number")]
    pub source: SourceId,
    /// Its kind.
    pub kind: Kind,
    /// The first line: "Ana, Bo and 3 others", a topic, "Announcement".
    pub who: String,
    /// The same where there is little room: "Ana, Bo +3".
    pub who_short: String,
    /// The second line, "commented on **Rust in 2026**".
    pub what: Vec<Span>,
    /// The newest body in one line of plain text, at most 200 characters.
    pub words: String,
    /// The whole sentence of the template, for a screen reader.
    pub sentence: String,
    /// What stands in the avatar.
    pub avatar: Avatar,
    /// `created_at` of the newest item, milliseconds since 1970.
    #[ts(type = "number")]
    pub time: i64,
    /// Unread items.
    #[ts(type = "number")]
    pub unread: u64,
    /// Items in all.
    #[ts(type = "number")]
    pub total: u64,
    /// The highest priority among the unread items, else of the newest: 1 to 5.
    pub priority: u8,
    /// Came since the list was last open.
    pub unseen: bool,
    /// A mark on it waits to be sent.
    pub pending: bool,
    /// Silenced.
    pub muted: bool,
    /// Pinned.
    pub pinned: bool,
    /// Everything in it is archived.
    pub archived: bool,
    /// Asleep until then, milliseconds since 1970.
    #[ts(type = "number | null")]
    pub snoozed_until: Option<i64>,
    /// What was begun in it and not sent, in one line; empty for nothing.
    pub draft: String,
}

/// A run of text; `strong` is the target of a sentence, or a word that was searched for when `found`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Span {
    /// Plain text.
    pub text: String,
    /// Set in medium.
    pub strong: bool,
    /// A search hit.
    pub found: bool,
}

/// Shape says who: circles are people and groups, rounded squares are things.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "shape", rename_all = "snake_case")]
pub enum Avatar {
    /// One person.
    Person {
        /// The person.
        face: Face,
    },
    /// Several people, the newest two.
    Stack {
        /// Above, left.
        front: Face,
        /// Below, right.
        back: Face,
    },
    /// A group of people.
    Group {
        /// 0 to 7.
        tint: u8,
    },
    /// A thing: a topic, an announcement, a pull request. The name of a Lucide icon.
    Thing {
        /// For example `megaphone`.
        icon: String,
    },
}

/// One or two letters on a tint that belongs to a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Face {
    /// `AR`, or one Chinese character.
    pub initials: String,
    /// 0 to 7: hash of the actor's id mod 8.
    pub tint: u8,
}

/// A thread that was opened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ThreadView {
    /// Its row.
    pub row: ThreadRow,
    /// The heading: the target's title, the peer, the topic.
    pub title: String,
    /// The line of facts under it: "Your article", "Work", "9 comments, 5 new".
    pub facts: Vec<String>,
    /// Where the target lives, an http(s) address.
    pub url: Option<String>,
    /// The items of this page, oldest first.
    pub items: Vec<ItemView>,
    /// Items before these.
    #[ts(type = "number")]
    pub earlier: u64,
    /// Who wrote the earlier ones, at most three.
    pub earlier_faces: Vec<Face>,
    /// `created_at` of the newest item that had been read when the thread was opened: "New since" stands behind it.
    /// None where nothing or everything is new.
    #[ts(type = "number | null")]
    pub new_since: Option<i64>,
    /// Where a message is written; only in conversations that can be written to.
    pub composer: Option<Composer>,
    /// What the thread may do, as its reader set it.
    pub telling: Telling,
}

/// One notification in the reading pane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ItemView {
    /// Its name in its source.
    pub msgid: String,
    /// Who.
    pub actor: String,
    /// What stands in the avatar.
    pub avatar: Avatar,
    /// The verb after the name, "commented"; may be empty.
    pub verb: String,
    /// A title of its own where it says more than the thread's.
    pub title: String,
    /// The body: sanitised HTML when `html`, else plain text to be shown with its line breaks.
    pub body: String,
    /// Whether `body` is HTML. Remote images have been replaced by `<span data-image="…" data-host="…">`.
    pub html: bool,
    /// `created_at`, milliseconds since 1970.
    #[ts(type = "number")]
    pub time: i64,
    /// Not read yet.
    pub unread: bool,
    /// From the user itself.
    pub own: bool,
    /// 1 to 5.
    pub priority: u8,
    /// Words that its sender put on it.
    pub tags: Vec<String>,
    /// What it leads to.
    pub url: Option<String>,
    /// A file.
    pub attachment: Option<AttachmentView>,
    /// Buttons under the body.
    pub actions: Vec<ActionView>,
    /// `{read, members}` of a group message that the user sent.
    pub receipt: Option<(u32, u32)>,
    /// A mark on it, or the message itself, waits to be sent.
    pub pending: bool,
}

/// A file that came with a notification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AttachmentView {
    /// File name.
    pub name: String,
    /// Where it is, http(s).
    pub url: String,
    /// Bytes, where known.
    #[ts(type = "number | null")]
    pub size: Option<u64>,
    /// Media type, where known.
    pub media: Option<String>,
}

/// A button under an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ActionView {
    /// What it says.
    pub label: String,
    /// It opens something outside; else it calls out and `host` says where.
    pub opens: bool,
    /// The host that it opens or calls.
    pub host: String,
}

/// What to do with threads, or with single items of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Mark {
    /// Read.
    Read,
    /// Unread again: of a thread, its newest item.
    Unread,
    /// Seen in the list.
    Seen,
    /// Done.
    Archive,
    /// Not done after all.
    Unarchive,
    /// Asleep until a time, milliseconds since 1970.
    Snooze {
        /// When it wakes.
        #[ts(type = "number")]
        until: i64,
    },
    /// Awake.
    Unsnooze,
    /// Pinned.
    Pin,
    /// Not pinned.
    Unpin,
    /// Silenced: toasts and badge pass it by.
    Mute,
    /// Heard again.
    Unmute,
}

/// What a mark did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Marked {
    /// Give this to `undo`; none where nothing changed.
    #[ts(type = "number | null")]
    pub undo: Option<u64>,
    /// Threads that changed.
    #[ts(type = "number")]
    pub threads: u64,
}

/// What a reader set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Settings {
    /// `system`, `light` or `dark`.
    pub theme: Theme,
    /// `comfortable` or `compact`.
    pub density: Density,
    /// None follows the desktop.
    pub lang: Option<Lang>,
    /// The language in force.
    pub lang_now: Lang,
    /// Width of the places, px, 180 to 320.
    pub places_width: u32,
    /// Width of the list, px, 320 to 560.
    pub list_width: u32,
    /// The first-run page was closed by hand.
    pub welcome_closed: bool,
    /// How lists are sorted.
    pub group: Grouping,
    /// What is told of, and when not.
    pub notifying: Notifying,
    /// Archived items older than so many days are taken off this computer; none keeps everything.
    pub keep_days: Option<u32>,
}

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// As the desktop has it.
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// How close the rows stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Density {
    /// 64 px a row.
    Comfortable,
    /// 36 px a row.
    Compact,
}

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
pub enum PageEvent {
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
    /// Something that the reader is told once, in words, for example why a link opens nothing.
    Said {
        /// The words.
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
pub struct PageError {
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

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use ts_rs::{Config, TS};

    use super::*;

    fn written(to: &Path) -> Vec<(PathBuf, String)> {
        let config = Config::new().with_out_dir(to).with_large_int("number");
        Bootstrap::export_all(&config).unwrap();
        ThreadQuery::export_all(&config).unwrap();
        ThreadView::export_all(&config).unwrap();
        Mark::export_all(&config).unwrap();
        Marked::export_all(&config).unwrap();
        PageEvent::export_all(&config).unwrap();
        PageError::export_all(&config).unwrap();
        ReadBy::export_all(&config).unwrap();
        Suggestion::export_all(&config).unwrap();
        Everything::export_all(&config).unwrap();
        Rule::export_all(&config).unwrap();
        RuleTrial::export_all(&config).unwrap();
        SourceForm::export_all(&config).unwrap();
        SourceTest::export_all(&config).unwrap();
        ServerView::export_all(&config).unwrap();
        NewToken::export_all(&config).unwrap();
        StorageView::export_all(&config).unwrap();
        ExportFormat::export_all(&config).unwrap();
        FileDone::export_all(&config).unwrap();
        Folder::export_all(&config).unwrap();
        Preview::export_all(&config).unwrap();
        MenuEntry::export_all(&config).unwrap();
        let mut files: Vec<_> = std::fs::read_dir(to)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| (path.file_name().unwrap().into(), std::fs::read_to_string(&path).unwrap()))
            .collect();
        files.sort();
        files
    }

    /// Writes what differs and then fails, so that a change of a shape is seen where it is committed.
    #[test]
    fn export_keeps_the_types_of_the_page_as_they_are_here() {
        let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/src/generated");
        let fresh = tempfile::tempdir().unwrap();
        let mut stale = Vec::new();
        for (name, text) in written(fresh.path()) {
            let path = home.join(&name);
            if std::fs::read_to_string(&path).ok().as_deref() != Some(&text) {
                std::fs::create_dir_all(&home).unwrap();
                std::fs::write(&path, text).unwrap();
                stale.push(name);
            }
        }
        assert!(stale.is_empty(), "written anew, run again: {stale:?}");
    }
}
