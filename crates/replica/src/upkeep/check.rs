//! The recount: computes every counter, thread and search row from the items again and compares; it repairs nothing.
//! Threads and counters of a source that is being removed are left out, because they are not updated any more.

use rusqlite::Connection;
use rusqlite::types::Value;
use tidings_model::Stamp;
use tidings_replica_tables::columns::time;
use tidings_replica_tables::counters::Counters;

use crate::outbox::view_marks;
use crate::{Difference, Result};

/// Queries that return `what, kept, counted` for each difference.
const RECOUNTS: [&str; 14] = [
    // The unread flag of an item follows from its marks.
    "SELECT 'unread of item ' || msgid, unread, should FROM (
        SELECT i.msgid, i.unread,
            i.deleted = 0 AND i.own = 0 AND i.archived_at IS NULL AND i.asleep = 0
            AND ifnull(i.question_due, 1) > 0 AND i.read_at IS NULL AND (i.view IS NULL OR ifnull(v.through < i.content_at, 1)) AS should
        FROM items i LEFT JOIN views v ON v.id = i.view)
     WHERE unread <> should",
    // Announcements and messages of a Tidings server are of auto class; an item of that class refers to the view of its
    // kind, target or conversation.
    "SELECT 'class of item ' || i.msgid, 'manual', 'auto' FROM items i JOIN sources s ON s.id = i.source
     WHERE i.kind <> 2 AND i.view IS NULL AND s.protocol = 'tidings'",
    "SELECT 'view of item ' || msgid, kept, should FROM (
        SELECT i.msgid, v.source || ' ' || v.view AS kept, i.source || ' ' || CASE i.kind
            WHEN 1 THEN 'announcements/all'
            WHEN 2 THEN 'target/' || (i.target ->> '$.type') || ':' || (i.target ->> '$.id')
            ELSE 'conversation/' || i.conversation END AS should
        FROM items i JOIN views v ON v.id = i.view)
     WHERE kept IS NOT should",
    "SELECT 'sender of message ' || i.msgid, i.own, i.actor = s.user FROM items i JOIN sources s ON s.id = i.source
     WHERE i.kind = 3 AND i.own <> ifnull(i.actor = s.user, 0) AND s.removing = 0 AND s.own_recheck_from IS NULL",
    // A message keeps its place; everything else moves to where it was revised, since that is stored.
    "SELECT 'time of item ' || msgid, listed_at, content_at FROM items WHERE listed_at <> content_at
        AND (listed_at <> created_at OR kind = 3)",
    "SELECT 'revision of message ' || msgid, revised_at, edited_at FROM items WHERE kind = 3 AND revised_at IS NOT NULL",
    "SELECT 'sleep of item ' || msgid, asleep, 0 FROM items WHERE asleep = 1 AND snoozed_until IS NULL",
    // Threads. With a single `max()`, the other columns of `outgoing` come from the row with that value.
    "SELECT 'thread ' || t.key, kept, counted FROM threads t JOIN (
        SELECT t.id,
            t.total || ',' || t.archived || ',' || t.asleep || ',' || t.unread || ',' || t.unseen || ',' ||
            t.unread_p1 || ',' || t.unread_p2 || ',' || t.unread_p3 || ',' || t.unread_p4 || ',' || t.unread_p5 || ',' ||
            ifnull(t.wake_at, '-') || ',' || t.last_at || ',' || t.actor_count || ',' || t.place || ',' ||
            ifnull(t.done_at, '-') || ',' || ifnull(t.woken_at, '-') AS kept,
            ifnull(c.total, 0) || ',' || ifnull(c.archived, 0) || ',' || ifnull(c.asleep, 0) || ',' ||
            ifnull(c.unread, 0) || ',' || ifnull(c.unseen, 0) || ',' || ifnull(c.u1, 0) || ',' ||
            ifnull(c.u2, 0) || ',' || ifnull(c.u3, 0) || ',' || ifnull(c.u4, 0) || ',' || ifnull(c.u5, 0) || ',' ||
            ifnull(c.wake, '-') || ',' || max(coalesce(c.last_at, b.last_at, 0), ifnull(c.woken_at, 0)) || ',' || ifnull(c.actors, 0) || ',' ||
            CASE WHEN c.total IS NULL THEN iif(b.last_at IS NULL, 3, 0) WHEN c.total - c.archived - c.asleep > 0 THEN 0
                 WHEN c.asleep > 0 THEN 1 ELSE 2 END || ',' || ifnull(c.done_at, '-') || ',' || ifnull(c.woken_at, '-') AS counted
        FROM threads t LEFT JOIN (
            SELECT thread, count(*) AS total, sum(archived_at IS NOT NULL) AS archived,
                sum(asleep = 1 AND archived_at IS NULL) AS asleep, sum(unread) AS unread,
                sum(unread = 1 AND seen_at IS NULL) AS unseen,
                sum(unread = 1 AND priority = 1) AS u1, sum(unread = 1 AND priority = 2) AS u2,
                sum(unread = 1 AND priority = 3) AS u3, sum(unread = 1 AND priority = 4) AS u4,
                sum(unread = 1 AND priority = 5) AS u5,
                min(CASE WHEN asleep = 1 AND archived_at IS NULL THEN snoozed_until END) AS wake,
                coalesce(max(iif(archived_at IS NULL AND asleep = 0, listed_at, NULL)),
                    max(iif(archived_at IS NULL, listed_at, NULL)), max(listed_at)) AS last_at, count(DISTINCT CASE WHEN own = 0 THEN actor END) AS actors,
                max(iif(archived_at IS NOT NULL, listed_at, NULL)) AS done_at,
                max(iif(asleep = 0 AND archived_at IS NULL, snoozed_until, NULL)) AS woken_at
            FROM items WHERE deleted = 0 GROUP BY thread) c ON c.thread = t.id
        LEFT JOIN (SELECT source, conversation, max(seq), written_at AS last_at FROM outgoing
            GROUP BY source, conversation) b ON b.source = t.source AND b.conversation = t.key) x ON x.id = t.id
     WHERE kept <> counted AND t.source IN (SELECT id FROM sources WHERE removing = 0)",
    "SELECT 'newest item of thread ' || t.key, t.last_item || ',' || t.last_priority || ',' || t.kind,
        i.id || ',' || i.priority || ',' || i.kind
     FROM threads t JOIN items i ON i.id = (
        SELECT id FROM items WHERE thread = t.id AND deleted = 0
        ORDER BY archived_at IS NOT NULL, asleep AND archived_at IS NULL, listed_at DESC, id DESC LIMIT 1)
     WHERE (t.last_item, t.last_priority, t.kind) IS NOT (i.id, i.priority, i.kind) AND t.source IN (SELECT id FROM sources WHERE removing = 0)",
    // The row has all actors if they are few, and the table none of them.
    "SELECT 'actors of thread ' || t.key, t.actors, top FROM threads t JOIN (
        SELECT t.id, iif(t.actor_count > 8,
            (SELECT json_group_array(json_array(actor, name, last_at, 0)) FROM (
                SELECT actor, name, last_at FROM thread_actors WHERE thread = t.id ORDER BY last_at DESC, actor LIMIT 3)),
            (SELECT json_group_array(json(value)) FROM (
                SELECT value FROM json_each(t.actors) ORDER BY value ->> 2 DESC, value ->> 0))) AS top
        FROM threads t) x ON x.id = t.id
     WHERE (json(t.actors) <> json(top)
        OR t.actor_count <= 8 AND EXISTS (SELECT 1 FROM thread_actors WHERE thread = t.id)) AND t.source IN (SELECT id FROM sources WHERE removing = 0)",
    // In a longer thread an actor whose latest item left may keep an approximate time.
    "SELECT 'actor ' || actor || ' of thread ' || thread, sum(kept), sum(counted) FROM (
        SELECT thread, actor, items AS kept, 0 AS counted, last_at FROM thread_actors
        UNION ALL
        SELECT t.id, value ->> 0, value ->> 3, 0, value ->> 2 FROM threads t, json_each(t.actors)
        WHERE t.actor_count <= 8
        UNION ALL
        SELECT thread, actor, 0, count(*), max(listed_at) FROM items WHERE deleted = 0 AND own = 0
        GROUP BY thread, actor) x JOIN threads t ON t.id = x.thread
     WHERE t.source IN (SELECT id FROM sources WHERE removing = 0)
     GROUP BY thread, actor HAVING sum(kept) <> sum(counted)
        OR iif(t.total < 100, max(x.last_at) <> min(x.last_at),
            max(iif(kept > 0, x.last_at, NULL)) < max(iif(counted > 0, x.last_at, NULL)))",
    // The server's state is stored for items on which an operation waits or is assumed, and for no others.
    "SELECT 'server state of item ' || item, 1, 0 FROM server_state h
     WHERE assumed IS NULL AND NOT EXISTS (SELECT 1 FROM outbox_items o WHERE o.item = h.item)
        AND NOT EXISTS (SELECT 1 FROM outbox o JOIN items i ON i.id = h.item
            WHERE o.operation = 'read_all' AND o.source = i.source)",
    // A deleted message has no receipts, and an outgoing message is deleted once a pull has brought it.
    "SELECT 'receipts of item ' || r.msgid, count(*), 0 FROM receipts r
     JOIN tombstones d ON d.source = r.source AND d.msgid = r.msgid GROUP BY r.source, r.msgid",
    "SELECT 'message on its way ' || o.posted_as, 1, 0 FROM outgoing o
     JOIN items i ON i.source = o.source AND i.msgid = o.posted_as",
];

/// The search index has exactly one row for each item.
const SEARCH: &str = "SELECT 'search row ' || id, sum(kept), sum(counted) FROM (
        SELECT id, 1 AS kept, 0 AS counted FROM search_docsize
        UNION ALL SELECT id, 0, 1 FROM items)
     GROUP BY id HAVING sum(kept) <> sum(counted)";

/// The recount of the counters of each source and kind; the lists contain every column of the table.
fn counters() -> String {
    let mut recounts: Vec<(String, String)> = [
        ("items", "1 FROM items WHERE deleted = 0"),
        ("unread", "unread FROM items"),
        ("inbox_threads", "1 FROM threads WHERE place = 0"),
        ("unread_threads", "1 FROM threads WHERE place = 0 AND unread > 0"),
        ("pinned_threads", "1 FROM threads WHERE pinned = 1 AND place < 3"),
        ("snoozed_threads", "1 FROM threads WHERE place = 1"),
        ("done_threads", "1 FROM threads WHERE archived > 0"),
        ("archived_threads", "1 FROM threads WHERE place = 2"),
    ]
    .map(|(column, counted)| (column.to_owned(), counted.to_owned()))
    .into();
    for (scope, level) in [("inherited", "notify_level IS NULL"), ("explicit", "notify_level IS NOT NULL")] {
        let from = format!("FROM threads WHERE muted = 0 AND {level}");
        recounts.push((format!("{scope}_unseen"), format!("unseen {from}")));
        for n in 1..=5 {
            let reaching = format!("unread_p{n} {from} AND notify_from_priority <= {n}");
            recounts.push((format!("{scope}_badge"), reaching));
            let following = format!("unread_p{n} {from} AND notify_from_priority IS NULL");
            recounts.push((format!("{scope}_unread_p{n}"), following));
        }
    }
    let stored = Counters::COLUMNS
        .iter()
        .map(|name| format!("SELECT source, kind, '{name}', {name}, 0 FROM counters"));
    let counted = recounts.iter().map(|(name, of)| format!("SELECT source, kind, '{name}', 0, {of}"));
    let parts: Vec<String> = stored.chain(counted).collect();
    format!(
        "SELECT 'counters of source ' || source || ', kind ' || kind || ': ' || name, sum(kept), sum(counted) FROM (
            SELECT NULL AS source, NULL AS kind, NULL AS name, 0 AS kept, 0 AS counted UNION ALL {})
         WHERE source IN (SELECT id FROM sources WHERE removing = 0)
         GROUP BY source, kind, name HAVING sum(kept) <> sum(counted)",
        parts.join(" UNION ALL ")
    )
}

/// The most differences that are listed.
const MAX_LISTED: usize = 1_000;

/// How many more differences are looked for: one above the bound tells that there are more.
pub(crate) const fn room(found: &[Difference]) -> usize {
    (MAX_LISTED + 1).saturating_sub(found.len())
}

/// The differences of all counters, threads, search rows and marks, up to one above the bound.
pub(crate) fn recount(conn: &Connection) -> Result<Vec<Difference>> {
    let mut found = Vec::new();
    for sql in RECOUNTS.into_iter().chain([SEARCH, &counters()]) {
        let mut rows = conn.prepare(sql)?;
        let differences = rows.query_map([], |r| {
            Ok(Difference { what: text(r.get(0)?), stored: text(r.get(1)?), counted: text(r.get(2)?) })
        })?;
        for difference in differences.take(room(&found)) {
            found.push(difference?);
        }
    }
    marks(conn, &mut found)?;
    Ok(found)
}

/// The differences up to the bound, with one more that says so if there are more.
pub(crate) fn bounded(mut found: Vec<Difference>) -> Vec<Difference> {
    if found.len() > MAX_LISTED {
        found.truncate(MAX_LISTED);
        let (what, unknown) =
            (format!("further differences than the {MAX_LISTED} that are listed"), "?".to_owned());
        found.push(Difference { what, stored: unknown.clone(), counted: unknown });
    }
    found
}

/// Compares view marks with the server's mark and the moves in the outbox. A kept source is left out, because it has
/// no server any more.
fn marks(conn: &Connection, found: &mut Vec<Difference>) -> Result<()> {
    let mut rows = conn.prepare(
        "SELECT v.id, v.view, v.through, ifnull(v.assumed_through, v.server_through) FROM views v JOIN sources s ON s.id = v.source
         WHERE s.protocol <> 'kept' AND s.removing = 0",
    )?;
    let views =
        rows.query_map([], |r| Ok((r.get::<_, i64>(0)?, r.get::<_, String>(1)?, time(r, 2)?, time(r, 3)?)))?;
    for view in views {
        if room(found) == 0 {
            break;
        }
        let (id, view, stored, server) = view?;
        let counted = view_marks::in_force(conn, id, server)?;
        if stored != counted {
            let text_of =
                |mark: Option<Stamp>| mark.map_or_else(|| "nothing".to_owned(), |mark| mark.to_string());
            let what = format!("mark of view {view}");
            found.push(Difference { what, stored: text_of(stored), counted: text_of(counted) });
        }
    }
    Ok(())
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
