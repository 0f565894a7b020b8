//! The recount: every counter, thread and search row is made anew from the items and compared; nothing is repaired. The
//! threads and counters of a source that is being removed are left out: they are not kept up to date on the way.

use rusqlite::Connection;
use rusqlite::types::Value;
use tidings_model::Stamp;

use crate::{Difference, Result, row, views};

/// A query that gives `what, kept, counted` for each difference.
const RECOUNTS: [&str; 13] = [
    // Whether an item is unread follows from its marks.
    "SELECT 'unread of item ' || msgid, unread, should FROM (
        SELECT i.msgid, i.unread,
            i.deleted = 0 AND i.own = 0 AND i.archived_at IS NULL AND i.asleep = 0
            AND i.read_at IS NULL AND (i.view IS NULL OR ifnull(v.through < i.content_at, 1)) AS should
        FROM items i LEFT JOIN views v ON v.id = i.view)
     WHERE unread <> should",
    // Announcements and messages are of auto class; an item of that class hangs on the view that it is about.
    "SELECT 'class of item ' || msgid, 'manual', 'auto' FROM items WHERE kind <> 2 AND view IS NULL",
    "SELECT 'view of item ' || msgid, kept, should FROM (
        SELECT i.msgid, v.source || ' ' || v.view AS kept, i.source || ' ' || CASE i.kind
            WHEN 1 THEN 'announcements/all'
            WHEN 2 THEN 'target/' || (i.rest ->> '$.t.type') || ':' || (i.rest ->> '$.t.id')
            ELSE 'conversation/' || (i.rest ->> '$.c') END AS should
        FROM items i JOIN views v ON v.id = i.view)
     WHERE kept IS NOT should",
    "SELECT 'sender of message ' || i.msgid, i.own, i.actor = s.user FROM items i JOIN sources s ON s.id = i.source
     WHERE i.kind = 3 AND i.own <> ifnull(i.actor = s.user, 0) AND s.going = 0 AND s.own_from IS NULL",
    "SELECT 'sleep of item ' || msgid, asleep, 0 FROM items WHERE asleep = 1 AND snoozed_until IS NULL",
    // Threads. With a single max(), the other columns of what is on its way come from the row that has it.
    "SELECT 'thread ' || t.key, kept, counted FROM threads t JOIN (
        SELECT t.id,
            t.total || ',' || t.archived || ',' || t.asleep || ',' || t.unread || ',' || t.unseen || ',' ||
            t.unread1 || ',' || t.unread2 || ',' || t.unread3 || ',' || t.unread4 || ',' || t.unread5 || ',' ||
            ifnull(t.wake_at, '-') || ',' || t.last_at || ',' || t.actor_count || ',' || t.place AS kept,
            ifnull(c.total, 0) || ',' || ifnull(c.archived, 0) || ',' || ifnull(c.asleep, 0) || ',' ||
            ifnull(c.unread, 0) || ',' || ifnull(c.unseen, 0) || ',' || ifnull(c.u1, 0) || ',' ||
            ifnull(c.u2, 0) || ',' || ifnull(c.u3, 0) || ',' || ifnull(c.u4, 0) || ',' || ifnull(c.u5, 0) || ',' ||
            ifnull(c.wake, '-') || ',' || coalesce(c.last_at, b.last_at, 0) || ',' || ifnull(c.actors, 0) || ',' ||
            CASE WHEN c.total IS NULL THEN iif(b.last_at IS NULL, 3, 0) WHEN c.total - c.archived - c.asleep > 0 THEN 0
                 WHEN c.asleep > 0 THEN 1 ELSE 2 END AS counted
        FROM threads t LEFT JOIN (
            SELECT thread, count(*) AS total, sum(archived_at IS NOT NULL) AS archived,
                sum(asleep = 1 AND archived_at IS NULL) AS asleep, sum(unread) AS unread,
                sum(unread = 1 AND seen_at IS NULL) AS unseen,
                sum(unread = 1 AND priority = 1) AS u1, sum(unread = 1 AND priority = 2) AS u2,
                sum(unread = 1 AND priority = 3) AS u3, sum(unread = 1 AND priority = 4) AS u4,
                sum(unread = 1 AND priority = 5) AS u5,
                min(CASE WHEN asleep = 1 AND archived_at IS NULL THEN snoozed_until END) AS wake,
                max(created_at) AS last_at, count(DISTINCT CASE WHEN own = 0 THEN actor END) AS actors
            FROM items WHERE deleted = 0 GROUP BY thread) c ON c.thread = t.id
        LEFT JOIN (SELECT source, conversation, max(seq), written_at AS last_at FROM outgoing
            GROUP BY source, conversation) b ON b.source = t.source AND b.conversation = t.key) x ON x.id = t.id
     WHERE kept <> counted AND t.source IN (SELECT id FROM sources WHERE going = 0)",
    "SELECT 'newest item of thread ' || t.key, t.last_item || ',' || t.last_priority || ',' || t.kind || ',' ||
        ifnull(t.last ->> '$.m', ''), i.id || ',' || i.priority || ',' || i.kind || ',' || i.msgid
     FROM threads t JOIN items i ON i.id = (
        SELECT id FROM items WHERE thread = t.id AND deleted = 0 ORDER BY created_at DESC, id DESC LIMIT 1)
     WHERE (t.last_item, t.last_priority, t.kind, t.last ->> '$.m')
        IS NOT (i.id, i.priority, i.kind, i.msgid) AND t.source IN (SELECT id FROM sources WHERE going = 0)",
    "SELECT 'actors of thread ' || t.key, t.actors, top FROM threads t JOIN (
        SELECT t.id, (SELECT json_group_array(json_object('id', actor, 'name', name)) FROM (
            SELECT actor, name FROM thread_actors WHERE thread = t.id ORDER BY last_at DESC, actor LIMIT 3)) AS top
        FROM threads t) x ON x.id = t.id
     WHERE json(t.actors) <> json(top) AND t.source IN (SELECT id FROM sources WHERE going = 0)",
    // In a longer thread an actor whose latest item left may keep its time.
    "SELECT 'actor ' || actor || ' of thread ' || thread, sum(kept), sum(counted) FROM (
        SELECT thread, actor, items AS kept, 0 AS counted, last_at FROM thread_actors
        UNION ALL
        SELECT thread, actor, 0, count(*), max(created_at) FROM items WHERE deleted = 0 AND own = 0
        GROUP BY thread, actor) x JOIN threads t ON t.id = x.thread
     WHERE t.source IN (SELECT id FROM sources WHERE going = 0)
     GROUP BY thread, actor HAVING sum(kept) <> sum(counted)
        OR iif(t.total < 100, max(x.last_at) <> min(x.last_at),
            max(iif(kept > 0, x.last_at, NULL)) < max(iif(counted > 0, x.last_at, NULL)))",
    // Counters.
    "SELECT 'counters of source ' || source || ', kind ' || kind || ': ' || name, sum(kept), sum(counted) FROM (
        SELECT source, kind, 'items' AS name, items AS kept, 0 AS counted FROM counters
        UNION ALL SELECT source, kind, 'unread', unread, 0 FROM counters
        UNION ALL SELECT source, kind, 'inbox', inbox, 0 FROM counters
        UNION ALL SELECT source, kind, 'unread threads', unread_threads, 0 FROM counters
        UNION ALL SELECT source, kind, 'pinned', pinned, 0 FROM counters
        UNION ALL SELECT source, kind, 'snoozed', snoozed, 0 FROM counters
        UNION ALL SELECT source, kind, 'done', done, 0 FROM counters
        UNION ALL SELECT source, kind, 'items', 0, 1 FROM items WHERE deleted = 0
        UNION ALL SELECT source, kind, 'unread', 0, unread FROM items
        UNION ALL SELECT source, kind, 'inbox', 0, 1 FROM threads WHERE place = 0
        UNION ALL SELECT source, kind, 'unread threads', 0, 1 FROM threads WHERE place = 0 AND unread > 0
        UNION ALL SELECT source, kind, 'pinned', 0, 1 FROM threads WHERE pinned = 1 AND place < 3
        UNION ALL SELECT source, kind, 'snoozed', 0, 1 FROM threads WHERE place = 1
        UNION ALL SELECT source, kind, 'done', 0, 1 FROM threads WHERE place = 2)
     WHERE source IN (SELECT id FROM sources WHERE going = 0)
     GROUP BY source, kind, name HAVING sum(kept) <> sum(counted)",
    // What is laid over the server's word, and the word itself, go together.
    "SELECT 'held word of item ' || item, 1, 0 FROM held h
     WHERE NOT EXISTS (SELECT 1 FROM outbox_items o WHERE o.item = h.item)
        AND NOT EXISTS (SELECT 1 FROM outbox o JOIN items i ON i.id = h.item
            WHERE o.act = 'read_all' AND o.source = i.source)",
    // A message that is gone has no readers, and one that has come is not on its way any more.
    "SELECT 'receipts of item ' || r.msgid, count(*), 0 FROM receipts r
     JOIN tombstones d ON d.source = r.source AND d.msgid = r.msgid GROUP BY r.source, r.msgid",
    "SELECT 'message on its way ' || o.posted, 1, 0 FROM outgoing o
     JOIN items i ON i.source = o.source AND i.msgid = o.posted",
];

/// The search index has a row for every item, and for nothing else.
const SEARCH: &str = "SELECT 'search row ' || id, sum(kept), sum(counted) FROM (
        SELECT id, 1 AS kept, 0 AS counted FROM search_docsize
        UNION ALL SELECT id, 0, 1 FROM items)
     GROUP BY id HAVING sum(kept) <> sum(counted) LIMIT 100";

/// What is heard of each source and kind, by priority and by who decides it.
fn heard() -> String {
    let mut parts = Vec::new();
    for (name, decides) in [("follow", "tell IS NULL"), ("heard", "tell IS NOT NULL")] {
        let from = format!("FROM threads WHERE muted = 0 AND {decides}");
        for priority in 1..=5 {
            parts.push(format!("SELECT source, kind, '{name}{priority}', {name}{priority}, 0 FROM counters"));
            parts.push(format!(
                "SELECT source, kind, '{name}{priority}', 0, unread{priority} {from} AND from_priority IS NULL"
            ));
            parts.push(format!(
                "SELECT source, kind, '{name}0', 0, unread{priority} {from} AND from_priority <= {priority}"
            ));
        }
        parts.push(format!("SELECT source, kind, '{name}0', {name}0, 0 FROM counters"));
        parts.push(format!("SELECT source, kind, '{name}_unseen', {name}_unseen, 0 FROM counters"));
        parts.push(format!("SELECT source, kind, '{name}_unseen', 0, unseen {from}"));
    }
    format!(
        "SELECT 'counters of source ' || source || ', kind ' || kind || ': ' || name, sum(kept), sum(counted) FROM (
            SELECT NULL AS source, NULL AS kind, NULL AS name, 0 AS kept, 0 AS counted UNION ALL {})
         WHERE source IN (SELECT id FROM sources WHERE going = 0)
         GROUP BY source, kind, name HAVING sum(kept) <> sum(counted)",
        parts.join(" UNION ALL ")
    )
}

/// Everything that differs.
pub(crate) fn recount(conn: &Connection) -> Result<Vec<Difference>> {
    let mut found = Vec::new();
    for sql in RECOUNTS.into_iter().chain([SEARCH, &heard()]) {
        let mut rows = conn.prepare(sql)?;
        let differences = rows.query_map([], |r| {
            Ok(Difference { what: text(r.get(0)?), kept: text(r.get(1)?), counted: text(r.get(2)?) })
        })?;
        for difference in differences {
            found.push(difference?);
        }
    }
    found.extend(marks(conn)?);
    Ok(found)
}

/// The mark of a view follows from what the server said and what waits to be sent. What was kept of a source that was
/// removed has no server any more.
fn marks(conn: &Connection) -> Result<Vec<Difference>> {
    let mut rows = conn.prepare(
        "SELECT v.id, v.view, v.through, v.server FROM views v JOIN sources s ON s.id = v.source
         WHERE s.protocol <> 'kept' AND s.going = 0",
    )?;
    let mut found = Vec::new();
    for view in rows.query_map([], |r| {
        Ok((r.get::<_, i64>(0)?, r.get::<_, String>(1)?, row::time(r, 2)?, row::time(r, 3)?))
    })? {
        let (id, view, kept, server) = view?;
        let counted = views::in_force(conn, id, server)?;
        if kept != counted {
            let word =
                |mark: Option<Stamp>| mark.map_or_else(|| "nothing".to_owned(), |mark| mark.to_string());
            let what = format!("mark of view {view}");
            found.push(Difference { what, kept: word(kept), counted: word(counted) });
        }
    }
    Ok(found)
}

fn text(value: Value) -> String {
    match value {
        Value::Null => "nothing".into(),
        Value::Integer(n) => n.to_string(),
        Value::Real(n) => n.to_string(),
        Value::Text(text) => text,
        Value::Blob(bytes) => format!("{} bytes", bytes.len()),
    }
}
