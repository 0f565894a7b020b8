//! The data that is read from a damaged replica: settings and texts of the reader, and the items with their marks.

use std::collections::{HashMap, HashSet};

use rusqlite::types::Value;
use tidings_model::notification::reminder_thread;
use tidings_model::{Kind, Notification, Stamp, View, wire};
use tidings_replica_tables::columns::{stamp, time};
use tidings_replica_tables::flags::Flags;
use tidings_replica_tables::item_state::Marks;
use tidings_replica_tables::items;

use super::damaged::Damaged;
use super::waiting::{WaitingMarks, WaitingOperation, server_marks, waiting};
use crate::upkeep::contents;
use crate::{Item, ItemId, NotifySettings, SourceId, Subscription, ThreadId};

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
    show_icons, catalog, attachment_bytes, stamp, epoch, generation, tick, server_wins, last_pull, forgotten_before, swept_to,
    not_before, poll_not_before";

/// The columns that [`items::item`] reads, of the table `items` alone. A question that ended by this device's clock alone
/// is open, as at its server.
const ITEM: &str =
    "id, thread, source, msgid, stamp, version, kind, created_at, '', actor, actor_name, action, own, priority,
    view IS NOT NULL, NULL, seen_at, read_at, archived_at, snoozed_until, deleted, unread,
    iif(question_due < 0 AND json_valid(content), json_remove(json_set(content, '$.question.state', 'open'), '$.question.answer'), content),
    target, conversation, 0, ifnull(revised_at, edited_at), content_at, receipt, late_answer";

/// A row id beyond those of any table.
const MAX_ROW_ID: i64 = 1 << 40;

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

/// A text that was not sent.
pub(super) struct Draft {
    pub(super) source: SourceId,
    pub(super) key: String,
    pub(super) text: String,
}

/// An item, as its server has it but for what only the reader did.
pub(super) struct ReadItem {
    pub(super) source: SourceId,
    pub(super) notification: Notification,
    /// It was deleted here, which was sent: its source may not say so.
    pub(super) deleted: bool,
    /// What the reader answered too late.
    pub(super) late_answer: Option<String>,
}

/// All that could be read but the items.
pub(super) struct Contents {
    pub(super) sources: Vec<(SourceId, RawRow)>,
    /// The names of the sources whose rows could not be read.
    pub(super) lost_sources: Vec<String>,
    pub(super) copied: Vec<Vec<RawRow>>,
    pub(super) threads: HashMap<ThreadId, Thread>,
    pub(super) marks: Vec<ServerMark>,
    pub(super) waiting: Vec<WaitingOperation>,
    pub(super) drafts: Vec<Draft>,
    /// What the reader wants of the subscriptions of threads at their services, and has not been sent.
    pub(super) wishes: Vec<(ThreadId, Subscription)>,
    server_marks: HashMap<ItemId, Marks>,
}

impl Contents {
    pub(super) fn read(from: &mut Damaged) -> Self {
        let (sources, lost_sources) = sources(from);
        let threads = threads(from);
        let waiting = waiting(from);
        let (server_marks, wishes) = (server_marks(from), wishes(from));
        let marks = marks(from, &sources);
        let drafts = from.by_key(("drafts", "source, key, text", "source, key"), |r| {
            Ok(Draft { source: r.get(0)?, key: r.get(1)?, text: r.get(2)? })
        });
        let copied = COPIED.iter().map(|(table, columns, key)| rows(from, table, columns, *key)).collect();
        // Marks in portions that were interrupted name rows of this file alone.
        from.lost += from.by_id("mark_steps", "seq", |_| Ok(())).len() as u64;
        Self { sources, lost_sources, copied, threads, marks, waiting, drafts, wishes, server_marks }
    }

    /// Hands over the items of the sources that are `known`, each in the state of its server as far as marks wait to be
    /// sent.
    pub(super) fn each_item(
        &self,
        from: &mut Damaged,
        known: &HashSet<SourceId>,
        mut found: impl FnMut(ReadItem),
    ) {
        let waiting = WaitingMarks::of(&self.waiting, &self.server_marks);
        let mut lost = 0;
        from.each_by_id("items", ITEM, items::item, |item| {
            let Item { id, source, thread, notification, late_answer, .. } = item;
            if !known.contains(&source) {
                return;
            }
            let Some(mut notification) = with_thread(notification, self.threads.get(&thread)) else {
                lost += 1;
                return;
            };
            // What was deleted here is deleted again, by the operation that waits if there is one.
            let was_deleted = std::mem::take(&mut notification.deleted);
            let deleted = was_deleted && !waiting.deletes(source, &notification.msgid);
            waiting.take_back(source, id, &mut notification);
            found(ReadItem { source, notification, deleted, late_answer });
        });
        from.lost += lost;
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
    let mut sound: Vec<RawRow> = all.into_iter().filter(is_sound).collect();
    from.lost += (count - sound.len()) as u64;
    if key.is_none() {
        with_sound_ids(&mut sound);
    }
    sound
}

/// Gives rows whose id is damaged others: after all that are sound.
fn with_sound_ids(rows: &mut [RawRow]) {
    let is_damaged = |row: &RawRow| !matches!(row.first(), Some(Value::Integer(1..=MAX_ROW_ID)));
    rows.sort_by_key(is_damaged);
    for row in rows.iter_mut().filter(|row| is_damaged(row)) {
        if let Some(id) = row.first_mut() {
            *id = Value::Null;
        }
    }
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
    let names = "SELECT id, name FROM sources INDEXED BY sqlite_autoindex_sources_1";
    let named: Vec<(SourceId, String)> = from.by_index(names, |r| Ok((r.get(0)?, r.get(1)?)));
    // Of one whose id is damaged the index has the id that its items name.
    let true_id = |id: SourceId, row: &RawRow| {
        let name = row.get(1).and_then(|name| if let Value::Text(name) = name { Some(name) } else { None });
        let true_id = named.iter().find(|(_, known)| Some(known) == name).map(|(id, _)| *id);
        if named.iter().any(|(known, _)| *known == id) { id } else { true_id.unwrap_or(id) }
    };
    let all: Vec<(SourceId, RawRow, bool)> = all
        .into_iter()
        .map(|(id, mut row, removing)| {
            let id = true_id(id, &row);
            if let Some(value) = row.first_mut() {
                *value = id.into();
            }
            (id, row, removing)
        })
        .collect();
    let read: HashSet<SourceId> = all.iter().map(|(id, ..)| *id).collect();
    let lost = named.iter().filter(|(id, _)| !read.contains(id)).map(|(_, name)| name.clone()).collect();
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
    if from.lost > 0 {
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

/// What the reader wants of subscriptions.
fn wishes(from: &mut Damaged) -> Vec<(ThreadId, Subscription)> {
    let rows = from.by_id("subscriptions", "thread, wanted", |r| {
        Ok((r.get::<_, ThreadId>(0)?, r.get::<_, Option<i64>>(1)?.and_then(Subscription::from_row)))
    });
    rows.into_iter().filter_map(|(thread, wanted)| Some((thread, wanted?))).collect()
}

/// The marks of views as their servers have them: what waits to be sent moves them again. A source that is kept has no
/// server.
fn marks(from: &mut Damaged, sources: &[(SourceId, RawRow)]) -> Vec<ServerMark> {
    let kept = Value::Text("kept".to_owned());
    let is_kept: HashSet<SourceId> =
        sources.iter().filter(|(_, row)| row.get(2) == Some(&kept)).map(|(id, _)| *id).collect();
    let columns = "id, source, view, through, ifnull(assumed_through, server_through), stamp";
    let rows = from.by_id("views", columns, |r| {
        let (source, name): (SourceId, String) = (r.get(1)?, r.get(2)?);
        let through = time(r, if is_kept.contains(&source) { 3 } else { 4 })?;
        Ok((source, name.parse::<View>().ok(), through, stamp(r, 5)?))
    });
    let mut lost = 0;
    let mark = |(source, view, through, stamp): (SourceId, Option<View>, Option<Stamp>, Stamp)| {
        lost += u64::from(view.is_none());
        Some(ServerMark { source, mark: wire::ViewMark { view: view?, through: through?, stamp } })
    };
    let marks = rows.into_iter().filter_map(mark).collect();
    from.lost += lost;
    marks
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
