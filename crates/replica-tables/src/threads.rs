//! The table `threads`: one row for each thread, with all values that a list shows.

mod row;

use std::collections::HashMap;

use rusqlite::{Connection, Row, params};
use tidings_model::{Actor, Kind, Stamp};

pub(crate) use self::row::ThreadRow;
use super::columns::{ThreadPlace, count, json, kind, optional_json, stamp, time};
use super::flags::OriginMute;
use super::thread_actors::RowActor;
use super::{outgoing, previews, sql, subscriptions};
use crate::{
    Error, NotifyLevel, NotifySettings, Result, SourceId, Subscription, Thread, ThreadId, ThreadQuestion,
};

/// The columns that [`thread`] reads. A peer who has not written yet has the name that a group of the same source, or the
/// server, gives.
const COLUMNS: &str = "t.id, t.source, t.key, t.kind,
    CASE WHEN t.actor_count > 0 OR t.key < 'user:' OR t.key >= 'user;' THEN t.actors ELSE coalesce(
        (SELECT json_array(json_array(m.value ->> 'id', ifnull(m.value ->> 'name', ''), 0, 0))
         FROM groups g, json_each(g.members) m WHERE g.source = t.source AND m.type = 'object' AND m.value ->> 'id' = substr(t.key, 6) LIMIT 1),
        (SELECT json_array(json_array(p.actor, p.name, 0, 0)) FROM people p
         WHERE p.source = t.source AND p.actor = substr(t.key, 6)),
        t.actors) END,
    t.actor_count, t.last_at,
    CASE t.place WHEN 0 THEN t.total - t.archived - t.asleep WHEN 1 THEN t.asleep ELSE t.total END, t.unread, t.unseen,
    iif(t.unread_p5 > 0, 5, iif(t.unread_p4 > 0, 4, iif(t.unread_p3 > 0, 3, iif(t.unread_p2 > 0, 2,
        iif(t.unread_p1 > 0, 1, ifnull(n.priority, t.last_priority)))))),
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
    iif(t.woken_at = t.last_at, t.woken_at, NULL), ifnull(n.priority, t.last_priority),
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

/// The tables of these columns, with the item for which the row speaks and what is stored of a long one. It is the newest
/// item, or, while a thread is listed by its return from a snooze, the newest one that came back then.
fn from() -> String {
    format!(
        "threads t LEFT JOIN items n ON n.id = iif(t.woken_at = t.last_at, ifnull(
            (SELECT w.id FROM items w INDEXED BY items_woken_thread
             WHERE w.thread = t.id AND w.asleep = 0 AND w.snoozed_until = t.woken_at AND w.archived_at IS NULL
                AND w.deleted = 0 ORDER BY w.listed_at DESC, w.id DESC LIMIT 1), t.last_item), t.last_item) {}",
        previews::JOIN
    )
}

fn thread(r: &Row<'_>) -> rusqlite::Result<Thread> {
    let place: ThreadPlace = r.get(13)?;
    let mut actors: Vec<RowActor> = json(r, 4)?;
    actors.truncate(Thread::MAX_ACTORS);
    Ok(Thread {
        id: r.get(0)?,
        source: r.get(1)?,
        key: r.get(2)?,
        kind: kind(r, 3)?,
        actors: actors.into_iter().map(|RowActor { id, name, .. }| Actor { id, name }).collect(),
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
pub fn by_id(conn: &Connection, ids: &[ThreadId]) -> Result<Vec<Thread>> {
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
pub fn by_key(conn: &Connection, source: SourceId, key: &str) -> Result<Option<Thread>> {
    let sql = format!(
        "SELECT {COLUMNS}, {} FROM {} WHERE t.source = ?1 AND t.key = ?2 AND t.place < 3",
        previews::COLUMNS,
        from()
    );
    let found = sql::first(conn, &sql, params![source, key], thread)?;
    found.map(|thread| with_outgoing(conn, thread)).transpose()
}

/// The id of the thread with this key, including threads that no list shows.
pub fn find(conn: &Connection, source: SourceId, key: &str) -> Result<Option<ThreadId>> {
    sql::first(conn, "SELECT id FROM threads WHERE source = ?1 AND key = ?2", params![source, key], |r| {
        r.get(0)
    })
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
pub fn set_notify(tx: &Connection, id: ThreadId, notify: NotifySettings) -> Result<()> {
    let [level, from_priority, sound] = notify.columns();
    let sql =
        "UPDATE threads SET notify_level = ?2, notify_from_priority = ?3, notify_sound = ?4 WHERE id = ?1";
    sql::run(tx, sql, params![id, level, from_priority, sound]).map(drop)
}

/// The notify settings that were set for a thread; a muted thread has the level `Nothing`.
pub fn notify(conn: &Connection, id: ThreadId) -> Result<NotifySettings> {
    let sql = "SELECT muted, notify_level, notify_from_priority, notify_sound FROM threads WHERE id = ?1";
    sql::first(conn, sql, [id], |r| {
        let notify = NotifySettings::of(r, 1)?;
        let muted: bool = r.get(0)?;
        Ok(if muted { NotifySettings { level: Some(NotifyLevel::Nothing), ..notify } } else { notify })
    })?
    .ok_or(Error::NoThread(id))
}
