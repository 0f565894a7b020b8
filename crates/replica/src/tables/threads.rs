//! The table `threads`: one row for each thread, with all values that a list shows.

use std::collections::HashMap;

use rusqlite::{Connection, Row, params};
use tidings_model::{Actor, Kind, Stamp};

use super::columns::{ThreadPlace, count, json, kind, optional_json, stamp, time};
use super::flags::{Flags, OriginMute};
use super::thread_counts::ThreadCounts;
use super::{outgoing, previews, sql, subscriptions};
use crate::{
    Error, NotifyLevel, NotifySettings, Result, SourceId, Subscription, Thread, ThreadId, ThreadQuestion,
};

/// The columns that [`thread`] reads. A peer who has not written yet has the name that a group of the same source
/// gives.
const COLUMNS: &str = "t.id, t.source, t.key, t.kind,
    CASE WHEN t.actor_count > 0 OR t.key < 'user:' OR t.key >= 'user;' THEN t.actors ELSE ifnull(
        (SELECT json_array(json(m.value)) FROM groups g, json_each(g.members) m
         WHERE g.source = t.source AND m.type = 'object' AND m.value ->> 'id' = substr(t.key, 6) LIMIT 1),
        t.actors) END,
    t.actor_count, t.last_at,
    CASE t.place WHEN 0 THEN t.total - t.archived - t.asleep WHEN 1 THEN t.asleep ELSE t.total END, t.unread, t.unseen,
    iif(t.unread_p5 > 0, 5, iif(t.unread_p4 > 0, 4, iif(t.unread_p3 > 0, 3, iif(t.unread_p2 > 0, 2,
        iif(t.unread_p1 > 0, 1, t.last_priority))))),
    t.pinned, t.muted, t.place, t.wake_at,
    EXISTS (SELECT 1 FROM outbox_items o JOIN outbox b ON b.seq = o.op
            WHERE o.thread = t.id AND b.operation <> 'seen')
        OR EXISTS (SELECT 1 FROM outbox_views o WHERE o.view = n.view)
        OR EXISTS (SELECT 1 FROM outgoing o WHERE o.source = t.source AND o.conversation = t.key
                   AND o.posted_as IS NULL)
        OR EXISTS (SELECT 1 FROM subscriptions u WHERE u.thread = t.id AND u.wanted IS NOT NULL),
    ifnull((SELECT substr(d.text, 1, 400) FROM drafts d WHERE d.source = t.source AND d.key = t.key), ''),
    t.notify_level, t.notify_from_priority, t.notify_sound,
    (SELECT ifnull(u.wanted, u.known) FROM subscriptions u WHERE u.thread = t.id),
    iif(t.woken_at = t.last_at, t.woken_at, NULL), t.last_priority,
    (SELECT json_object('msgid', q.msgid, 'actor', json_object('id', q.actor, 'name', q.actor_name),
            'own', json(iif(q.own, 'true', 'false')), 'title', ifnull(q.content ->> '$.title', ''),
            'body', substr(ifnull(q.content ->> '$.body', ''), 1, 400),
            'format', ifnull(q.content ->> '$.format', 'plain'), 'question', q.content -> '$.question',
            'url', q.content ->> '$.url', 'icon', q.content ->> '$.icon',
            'tags', json(ifnull(q.content -> '$.tags', '[]')), 'action', q.action, 'target', json(q.target),
            'data', json(ifnull(iif(length(q.content -> '$.data') <= 4096, q.content -> '$.data', NULL), '{}')),
            'at', q.listed_at, 'priority', q.priority,
            'archived', json(iif(q.archived_at IS NULL, 'false', 'true'))) FROM items q
     WHERE q.thread = t.id AND q.question_due IS NOT NULL AND q.deleted = 0
     ORDER BY q.question_due > 0 DESC, q.listed_at DESC LIMIT 1), t.muted_until, t.origin_mute";

/// The tables of these columns, with the newest item and what is stored of a long one.
fn from() -> String {
    format!("threads t LEFT JOIN items n ON n.id = t.last_item {}", previews::JOIN)
}

fn thread(r: &Row<'_>) -> rusqlite::Result<Thread> {
    let place: ThreadPlace = r.get(13)?;
    let mut actors: Vec<Actor> = json(r, 4)?;
    actors.truncate(Thread::MAX_ACTORS);
    Ok(Thread {
        id: r.get(0)?,
        source: r.get(1)?,
        key: r.get(2)?,
        kind: kind(r, 3)?,
        actors,
        actor_count: count(r, 5)?,
        last_at: stamp(r, 6)?,
        total: count(r, 7)?,
        unread: count(r, 8)?,
        unseen: count(r, 9)?,
        unread_priority: r.get(10)?,
        priority: r.get(22)?,
        pinned: r.get(11)?,
        muted: r.get(12)?,
        muted_until: time(r, 24)?,
        muted_with_origin: r.get::<_, OriginMute>(25)? == OriginMute::Muted,
        archived: place == ThreadPlace::Done,
        archived_in_part: false,
        snoozed_until: if place == ThreadPlace::Snoozed { time(r, 14)? } else { None },
        pending: r.get(15)?,
        draft: r.get(16)?,
        notify: NotifySettings::of(r, 17)?,
        subscription: r.get::<_, Option<i64>>(20)?.and_then(Subscription::from_row),
        woken_at: time(r, 21)?,
        question: optional_json(r, 23)?
            .filter(|asked: &ThreadQuestion| !asked.archived || place == ThreadPlace::Done),
        preview: previews::read(r, 26)?.unwrap_or_default(),
    })
}

/// A thread without items shows the user's newest message in it.
fn with_outgoing(conn: &Connection, mut thread: Thread) -> Result<Thread> {
    if thread.total == 0
        && let Some((_, preview)) = outgoing::preview(conn, thread.id)?
    {
        thread.preview = preview;
    }
    Ok(thread)
}

/// Threads by id, in this order; threads that no list shows are left out.
pub(crate) fn by_id(conn: &Connection, ids: &[ThreadId]) -> Result<Vec<Thread>> {
    let sql = format!(
        "SELECT {COLUMNS}, {} FROM json_each(?1) x CROSS JOIN {} WHERE t.id = x.value AND t.place < 3
         AND t.source IN (SELECT id FROM sources WHERE removing = 0)",
        previews::COLUMNS,
        from()
    );
    let found = sql::all(conn, &sql, [serde_json::to_string(ids)?], thread)?;
    let mut found: HashMap<ThreadId, Thread> = found.into_iter().map(|thread| (thread.id, thread)).collect();
    ids.iter().filter_map(|id| found.remove(id)).map(|thread| with_outgoing(conn, thread)).collect()
}

/// The listed thread with this key.
pub(crate) fn by_key(conn: &Connection, source: SourceId, key: &str) -> Result<Option<Thread>> {
    let sql = format!(
        "SELECT {COLUMNS}, {} FROM {} WHERE t.source = ?1 AND t.key = ?2 AND t.place < 3",
        previews::COLUMNS,
        from()
    );
    let found = sql::first(conn, &sql, params![source, key], thread)?;
    found.map(|thread| with_outgoing(conn, thread)).transpose()
}

/// The id of the thread with this key, including threads that no list shows.
pub(crate) fn find(conn: &Connection, source: SourceId, key: &str) -> Result<Option<ThreadId>> {
    sql::first(conn, "SELECT id FROM threads WHERE source = ?1 AND key = ?2", params![source, key], |r| {
        r.get(0)
    })
}

/// The columns of a thread's row that follow from its items and marks.
pub(crate) struct ThreadRow {
    pub(crate) source: SourceId,
    pub(crate) counts: ThreadCounts,
    /// The time of the newest item; `None` if it is not known, because the thread came back from a snooze after it.
    pub(crate) newest_at: Option<Stamp>,
    /// When the thread last came back from a snooze.
    pub(crate) woken_at: Option<Stamp>,
    pub(crate) last_item: i64,
    pub(crate) last_priority: u8,
    /// The time at which its first snoozed item wakes.
    pub(crate) wake_at: Option<Stamp>,
    /// The time of its newest archived item.
    pub(crate) done_at: Option<Stamp>,
    /// All actors, or the latest of many, as JSON.
    pub(crate) actors: String,
    pub(crate) actor_count: i64,
}

/// The columns that [`ThreadRow::of`] reads.
macro_rules! row_columns {
    () => {
        "id, source, kind, last_at, last_item, last_priority, total, archived, asleep, unread, unseen,
        unread_p1, unread_p2, unread_p3, unread_p4, unread_p5, wake_at, pinned, muted, actor_count, actors,
        notify_level, notify_from_priority, notify_sound, place, woken_at, muted_until, origin_mute, done_at"
    };
}

impl ThreadRow {
    /// The row of a thread without items.
    pub(crate) fn empty(source: SourceId, counts: ThreadCounts) -> Self {
        Self {
            source,
            counts,
            newest_at: Some(Stamp::ZERO),
            woken_at: None,
            last_item: 0,
            last_priority: 3,
            wake_at: None,
            done_at: None,
            actors: "[]".into(),
            actor_count: 0,
        }
    }

    pub(crate) fn read(tx: &Connection, id: ThreadId) -> Result<Self> {
        let sql = concat!("SELECT ", row_columns!(), " FROM threads WHERE id = ?1");
        sql::first(tx, sql, [id], |r| Self::of(r).map(|(_, row)| row))?.ok_or(Error::NoThread(id))
    }

    /// The thread with this key, including threads that no list shows.
    pub(crate) fn find(tx: &Connection, source: SourceId, key: &str) -> Result<Option<(ThreadId, Self)>> {
        let sql = concat!("SELECT ", row_columns!(), " FROM threads WHERE source = ?1 AND key = ?2");
        sql::first(tx, sql, params![source, key], Self::of)
    }

    fn of(r: &Row<'_>) -> rusqlite::Result<(ThreadId, Self)> {
        let total = r.get(6)?;
        let counts = ThreadCounts {
            kind: kind(r, 2)?,
            total,
            archived: r.get(7)?,
            asleep: r.get(8)?,
            unread: r.get(9)?,
            unseen: r.get(10)?,
            by_priority: [r.get(11)?, r.get(12)?, r.get(13)?, r.get(14)?, r.get(15)?],
            flags: Flags { pinned: r.get(17)?, muted: r.get(18)?, until: time(r, 26)?, origin: r.get(27)? },
            notify: NotifySettings::of(r, 21)?,
            has_outgoing: total == 0 && r.get::<_, ThreadPlace>(24)? == ThreadPlace::Inbox,
        };
        let (last_at, woken_at) = (stamp(r, 3)?, time(r, 25)?);
        let row = Self {
            source: r.get(1)?,
            counts,
            newest_at: Some(last_at).filter(|_| woken_at != Some(last_at)),
            woken_at,
            last_item: r.get(4)?,
            last_priority: r.get(5)?,
            wake_at: time(r, 16)?,
            done_at: time(r, 28)?,
            actors: r.get(20)?,
            actor_count: r.get(19)?,
        };
        Ok((r.get(0)?, row))
    }

    /// The time by which lists are sorted.
    fn last_at(&self) -> Stamp {
        self.newest_at.max(self.woken_at).unwrap_or(Stamp::ZERO)
    }

    pub(crate) fn write(&self, tx: &Connection, id: ThreadId) -> Result<()> {
        let n = &self.counts;
        let [p1, p2, p3, p4, p5] = n.by_priority;
        let sql = "UPDATE threads SET kind = ?2, place = ?3, last_at = ?4, last_item = ?5, last_priority = ?6, total = ?7,
                archived = ?8, asleep = ?9, unread = ?10, unseen = ?11, unread_p1 = ?12, unread_p2 = ?13,
                unread_p3 = ?14, unread_p4 = ?15, unread_p5 = ?16, wake_at = ?17, pinned = ?18, muted = ?19,
                actor_count = ?20, actors = ?21, woken_at = ?22, muted_until = ?23, origin_mute = ?24,
                done_at = ?25
             WHERE id = ?1";
        sql::run(
            tx,
            sql,
            params![
                id,
                n.kind.as_row(),
                n.place(),
                self.last_at().as_micros(),
                self.last_item,
                self.last_priority,
                n.total,
                n.archived,
                n.asleep,
                n.unread,
                n.unseen,
                p1,
                p2,
                p3,
                p4,
                p5,
                self.wake_at.map(Stamp::as_micros),
                n.flags.pinned,
                n.flags.muted,
                self.actor_count,
                self.actors,
                self.woken_at.map(Stamp::as_micros),
                n.flags.until.map(Stamp::as_micros),
                n.flags.origin,
                self.done_at.map(Stamp::as_micros)
            ],
        )
        .map(drop)
    }
}

/// Inserts a thread without items.
pub(crate) fn insert(tx: &Connection, source: SourceId, key: &str, kind: Kind) -> Result<ThreadId> {
    let sql = "INSERT INTO threads (source, key, kind, place, last_at, last_item, last_priority, total, archived, asleep,
            unread, unseen, unread_p1, unread_p2, unread_p3, unread_p4, unread_p5, wake_at, actor_count,
            actors, pinned, muted)
         VALUES (?1, ?2, ?3, 3, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0, '[]', 0, 0)";
    sql::run(tx, sql, params![source, key, kind.as_row()])?;
    Ok(tx.last_insert_rowid())
}

/// Deletes a thread without items; `false` if it still has a row of an item that was deleted here and waits for its
/// tombstone.
pub(crate) fn delete(tx: &Connection, id: ThreadId) -> Result<bool> {
    let named: bool =
        sql::one(tx, "SELECT EXISTS (SELECT 1 FROM items WHERE thread = ?1)", [id], |r| r.get(0))?;
    if !named {
        subscriptions::forget(tx, id)?;
        sql::run(tx, "DELETE FROM threads WHERE id = ?1", [id])?;
    }
    Ok(!named)
}

/// The time at which the first snoozed item of a thread wakes.
pub(crate) fn next_wake(tx: &Connection, id: ThreadId) -> Result<Option<Stamp>> {
    let sql = "SELECT min(snoozed_until) FROM items
             WHERE asleep = 1 AND thread = ?1 AND archived_at IS NULL AND deleted = 0";
    sql::one(tx, sql, [id], |r| time(r, 0))
}

/// Writes the notify settings of a thread, which apply while it is not muted.
pub(crate) fn set_notify(tx: &Connection, id: ThreadId, notify: NotifySettings) -> Result<()> {
    let [level, from_priority, sound] = notify.columns();
    let sql =
        "UPDATE threads SET notify_level = ?2, notify_from_priority = ?3, notify_sound = ?4 WHERE id = ?1";
    sql::run(tx, sql, params![id, level, from_priority, sound]).map(drop)
}

/// The notify settings that were set for a thread; a muted thread has the level `Nothing`.
pub(crate) fn notify(conn: &Connection, id: ThreadId) -> Result<NotifySettings> {
    let sql = "SELECT muted, notify_level, notify_from_priority, notify_sound FROM threads WHERE id = ?1";
    sql::first(conn, sql, [id], |r| {
        let notify = NotifySettings::of(r, 1)?;
        let muted: bool = r.get(0)?;
        Ok(if muted { NotifySettings { level: Some(NotifyLevel::Nothing), ..notify } } else { notify })
    })?
    .ok_or(Error::NoThread(id))
}
