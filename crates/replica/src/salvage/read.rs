//! The data that is read from a damaged replica: settings and texts of the reader, and the items with their marks.

use std::collections::{HashMap, HashSet};

use rusqlite::types::Value;
use tidings_model::notification::reminder_thread;
use tidings_model::{Kind, MsgId, Notification, QuestionState, Stamp, View, wire};
use tidings_replica_tables::columns::{json, stamp, time};
use tidings_replica_tables::flags::Flags;
use tidings_replica_tables::items;

use super::damaged::Damaged;
use crate::upkeep::contents;
use crate::{Item, Mark, NotifySettings, SourceId, ThreadId};

/// A row that is copied as it is.
pub(super) type RawRow = Vec<Value>;

/// The tables that are copied as they are, with their columns and their key; those with a row id have none.
pub(super) const COPIED: [(&str, &str, Option<&str>); 8] = [
    ("settings", "key, value", Some("key")),
    ("rules", "id, position, name, active, condition, actions", None),
    ("saved_searches", "id, position, name, query", None),
    ("groups", "source, gid, name, owner, members, withheld, fetched_at", Some("source, gid")),
    ("group_changes", "id, source, gid, at, change, who, name", None),
    ("mutes", "source, origin, until", Some("source, origin")),
    ("tombstones", "source, msgid, generation, stamp", Some("source, msgid")),
    ("outgoing", "seq, id, source, conversation, message, file, written_at, refusal, posted_as", None),
];

/// The columns of a source that are copied; what a pull needs to go on is not among them.
pub(super) const SOURCE_COLUMNS: &str =
    "id, name, protocol, url, user, own, paused, paused_at, position, notify_level, notify_from_priority, notify_sound,
    show_icons, catalog, attachment_bytes, stamp, epoch, generation, tick, server_wins, last_pull, forgotten_before, swept_to";

/// The columns that [`items::item`] reads, of the table `items` alone. A question that ended by this device's clock alone
/// is open, as at its server.
const ITEM: &str =
    "id, thread, source, msgid, stamp, version, kind, created_at, '', actor, actor_name, action, own, priority,
    view IS NOT NULL, NULL, seen_at, read_at, archived_at, snoozed_until, deleted, unread,
    iif(question_due < 0, json_remove(json_set(content, '$.question.state', 'open'), '$.question.answer'), content),
    target, conversation, 0, ifnull(revised_at, edited_at), content_at, receipt, NULL";

/// A thread, with what the reader set.
pub(super) struct Thread {
    pub(super) source: SourceId,
    pub(super) key: String,
    pub(super) kind: Option<Kind>,
    pub(super) flags: Flags,
    pub(super) notify: NotifySettings,
}

/// The mark of a view that its server has.
pub(super) struct ServerMark {
    pub(super) source: SourceId,
    pub(super) mark: wire::ViewMark,
}

/// An operation that waits to be sent.
pub(super) struct Waiting {
    pub(super) source: SourceId,
    pub(super) change: wire::Change,
}

/// A text that was not sent.
pub(super) struct Draft {
    pub(super) source: SourceId,
    pub(super) key: String,
    pub(super) text: String,
}

/// All that could be read but the items.
pub(super) struct Contents {
    pub(super) sources: Vec<(SourceId, RawRow)>,
    /// The names of the sources whose rows could not be read.
    pub(super) lost_sources: Vec<String>,
    pub(super) copied: Vec<Vec<RawRow>>,
    pub(super) threads: HashMap<ThreadId, Thread>,
    pub(super) marks: Vec<ServerMark>,
    pub(super) waiting: Vec<Waiting>,
    pub(super) drafts: Vec<Draft>,
}

impl Contents {
    pub(super) fn read(from: &mut Damaged) -> Self {
        let (sources, lost_sources) = sources(from);
        let threads = threads(from);
        let waiting = waiting(from);
        let marks = marks(from, &waiting);
        let drafts = from.by_key(("drafts", "source, key, text", "source, key"), |r| {
            Ok(Draft { source: r.get(0)?, key: r.get(1)?, text: r.get(2)? })
        });
        let copied = COPIED.iter().map(|(table, columns, key)| rows(from, table, columns, *key)).collect();
        Self { sources, lost_sources, copied, threads, marks, waiting, drafts }
    }

    /// Hands over the items of the sources that could be read, each in the state of its server as far as marks wait to be
    /// sent.
    pub(super) fn each_item(&self, from: &mut Damaged, mut found: impl FnMut(SourceId, Notification)) {
        let known: HashSet<SourceId> = self.sources.iter().map(|(id, _)| *id).collect();
        let waiting = WaitingMarks::of(&self.waiting);
        from.each_by_id("items", ITEM, items::item, |item| {
            let Item { source, thread, mut notification, .. } = item;
            // What was deleted here is deleted again by the operation that waits.
            notification.deleted = false;
            if known.contains(&source)
                && let Some(mut notification) = with_thread(notification, self.threads.get(&thread))
            {
                waiting.take_back(source, &mut notification);
                found(source, notification);
            }
        });
    }
}

/// The rows of a table as they are, without those of which a part is to be JSON and is not.
fn rows(from: &mut Damaged, table: &str, columns: &str, key: Option<&str>) -> Vec<RawRow> {
    let count = columns.split(',').count();
    let row =
        move |r: &rusqlite::Row<'_>| (0..count).map(|at| r.get(at)).collect::<rusqlite::Result<RawRow>>();
    let all = match key {
        Some(key) => from.by_key((table, columns, key), row),
        None => from.by_id(table, columns, row),
    };
    let has_json: Vec<bool> =
        columns.split(',').map(|column| contents::has_json(table, column.trim())).collect();
    let count = all.len();
    let is_sound = |row: &RawRow| row.iter().zip(&has_json).all(|(value, has)| !has || is_json(value));
    let sound: Vec<RawRow> = all.into_iter().filter(is_sound).collect();
    from.lost_any |= sound.len() < count;
    sound
}

/// Whether a value is JSON, or nothing.
fn is_json(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Text(text) => contents::is_json(text),
        _ => false,
    }
}

/// The sources, and the names of those that could not be read; an index has these as well.
fn sources(from: &mut Damaged) -> (Vec<(SourceId, RawRow)>, Vec<String>) {
    let count = SOURCE_COLUMNS.split(',').count();
    let columns = format!("{SOURCE_COLUMNS}, removing");
    let all = from.by_id("sources", &columns, move |r| {
        let row = SOURCE_COLUMNS.split(',').enumerate().map(|(at, column)| {
            // A pull brings it again.
            let value: Value = r.get(at)?;
            let is_lost = contents::has_json("sources", column.trim()) && !is_json(&value);
            Ok::<_, rusqlite::Error>(if is_lost { Value::Null } else { value })
        });
        let row = row.collect::<rusqlite::Result<RawRow>>()?;
        Ok((r.get::<_, SourceId>(0)?, row, r.get::<_, bool>(count)?))
    });
    let read: HashSet<SourceId> = all.iter().map(|(id, ..)| *id).collect();
    let names = "SELECT id, name FROM sources INDEXED BY sqlite_autoindex_sources_1";
    let named: Vec<(SourceId, String)> = from.by_index(names, |r| Ok((r.get(0)?, r.get(1)?)));
    let lost = named.into_iter().filter(|(id, _)| !read.contains(id)).map(|(_, name)| name).collect();
    let kept = all.into_iter().filter(|(.., removing)| !removing).map(|(id, row, _)| (id, row)).collect();
    (kept, lost)
}

/// The threads by their ids. If the table is damaged, an index has the keys.
fn threads(from: &mut Damaged) -> HashMap<ThreadId, Thread> {
    let columns =
        "id, source, key, kind, pinned, muted, muted_until, origin_mute, notify_level, notify_from_priority,
        notify_sound";
    let rows = from.by_id("threads", columns, |r| {
        let thread = Thread {
            source: r.get(1)?,
            key: r.get(2)?,
            kind: Some(tidings_replica_tables::columns::kind(r, 3)?),
            flags: Flags { pinned: r.get(4)?, muted: r.get(5)?, until: time(r, 6)?, origin: r.get(7)? },
            notify: NotifySettings::of(r, 8)?,
        };
        Ok((r.get(0)?, thread))
    });
    let mut threads: HashMap<ThreadId, Thread> = rows.into_iter().collect();
    if from.lost_any {
        let sql = "SELECT id, source, key FROM threads INDEXED BY sqlite_autoindex_threads_1";
        let keys: Vec<(ThreadId, SourceId, String)> =
            from.by_index(sql, |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)));
        for (id, source, key) in keys {
            let notify = NotifySettings::default();
            let unset = Thread { source, key, kind: None, flags: Flags::default(), notify };
            threads.entry(id).or_insert(unset);
        }
    }
    threads
}

/// The operations that wait, in their order.
fn waiting(from: &mut Damaged) -> Vec<Waiting> {
    from.by_id("outbox", "seq, source, change", |r| Ok(Waiting { source: r.get(1)?, change: json(r, 2)? }))
}

/// The marks of views, without those that wait to be sent.
fn marks(from: &mut Damaged, waiting: &[Waiting]) -> Vec<ServerMark> {
    let visited = |source: SourceId, view: &View| {
        waiting.iter().any(|one| {
            one.source == source
                && matches!(&one.change, wire::Change::Visit { view: visited, .. } if visited == view)
        })
    };
    let rows = from.by_id("views", "id, source, view, through, server_through, stamp", |r| {
        let (source, name): (SourceId, String) = (r.get(1)?, r.get(2)?);
        Ok((source, name.parse::<View>().ok(), time(r, 3)?, time(r, 4)?, stamp(r, 5)?))
    });
    let mark = |(source, view, through, server, stamp): (
        SourceId,
        Option<View>,
        Option<Stamp>,
        Option<Stamp>,
        Stamp,
    )| {
        let view = view?;
        let through = if visited(source, &view) { server } else { through }?;
        Some(ServerMark { source, mark: wire::ViewMark { view, through, stamp } })
    };
    rows.into_iter().filter_map(mark).collect()
}

/// A notification with the key of its thread; `None` if that can't be known, so that a pull brings it.
fn with_thread(notification: Notification, thread: Option<&Thread>) -> Option<Notification> {
    let key = match (thread, notification.kind) {
        (Some(thread), _) => thread.key.clone(),
        (None, Kind::Announcement) => "announcements".to_owned(),
        (None, Kind::Reminder) => {
            reminder_thread(notification.target.as_ref()?, notification.action.as_deref()?)
        }
        (None, Kind::Message) => notification.conversation.clone()?,
    };
    Some(Notification { thread: key, ..notification })
}

/// The marks and answers that wait to be sent, by the item.
struct WaitingMarks<'a> {
    by_item: HashMap<(SourceId, &'a MsgId), Vec<Mark>>,
    read_all: Vec<(SourceId, Option<Kind>, Stamp)>,
    answered: HashSet<(SourceId, &'a MsgId)>,
}

impl<'a> WaitingMarks<'a> {
    fn of(waiting: &'a [Waiting]) -> Self {
        let (mut by_item, mut read_all) = (HashMap::<_, Vec<Mark>>::new(), Vec::new());
        let mut answered = HashSet::new();
        for Waiting { source, change } in waiting {
            match change {
                wire::Change::Mark { mark, msgids, .. } => {
                    for msgid in msgids {
                        by_item.entry((*source, msgid)).or_default().push(*mark);
                    }
                }
                wire::Change::ReadAll { kind, through } => read_all.push((*source, *kind, *through)),
                wire::Change::Answer { msgids: [msgid], .. } => drop(answered.insert((*source, msgid))),
                wire::Change::Visit { .. } => {}
            }
        }
        Self { by_item, read_all, answered }
    }

    /// Takes the marks of an item back, the last one first: they are put again, and are sent then.
    fn take_back(&self, source: SourceId, item: &mut Notification) {
        let marks = self.by_item.get(&(source, &item.msgid)).cloned().unwrap_or_default();
        for mark in marks.into_iter().rev() {
            take_mark_back(item, mark);
        }
        let is_covered = |(of, kind, through): &(SourceId, Option<Kind>, Stamp)| {
            *of == source && item.created_at <= *through && kind.is_none_or(|kind| item.kind == kind)
        };
        if self.read_all.iter().any(is_covered) {
            item.read_at = None;
        }
        if self.answered.contains(&(source, &item.msgid))
            && let Some(question) = &mut item.content.question
        {
            (question.state, question.answer) = (QuestionState::Open, None);
        }
    }
}

fn take_mark_back(item: &mut Notification, mark: Mark) {
    match mark {
        Mark::Read => item.read_at = None,
        Mark::Unread => item.read_at = item.read_at.or(Some(item.created_at)),
        Mark::Seen => item.seen_at = None,
        Mark::Archive => item.archived_at = None,
        Mark::Unarchive => item.archived_at = item.archived_at.or(Some(item.created_at)),
        Mark::Snooze { .. } => item.snoozed_until = None,
        _ => {}
    }
}
