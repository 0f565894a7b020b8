//! Recounts counters, compares redundant columns with the rows that they follow from, and reads what has to be JSON.

use rusqlite::{Connection, Row, params};
use serde::de::IgnoredAny;
use tidings_model::{Content, Stamp};
use tidings_sqlite::Database;
use tidings_store::checks::STORE_CHECKS;
use tidings_store::domain::account::UserKey;
use tidings_store::{Bounds, Difference, Error};

use crate::sql;
use crate::tables::items::UNREAD;
use crate::tables::meta::newest_stamp;

/// The query of wrong `unread` columns. What is to come into its inbox with new content is left out: the mark that covers its
/// former content may be gone. Each row has the name, the stored and the counted value of a difference.
fn unread_check(condition: &str, limit: &str) -> String {
    format!(
        "SELECT 'unread mark of ' || n.msgid || ' for ' || u.id, i.unread, {UNREAD} FROM items i
         JOIN users u ON u.key = i.user JOIN notifications n ON n.created_at = i.created_at
         LEFT JOIN read_marks v ON v.user = i.user AND v.kind = i.kind AND v.view = i.view
         WHERE i.unread <> {UNREAD} AND n.content_revised_at <= max(i.revised_at, i.edited_at) {condition}
         LIMIT {limit}"
    )
}

/// Conversations of a user whose row names another item than the newest; 0 if there is no item.
const LISTED_CHECK: &str = "SELECT 'newest item of ' || c.view || ' of ' || u.id, c.newest_at, coalesce((SELECT i.created_at
         FROM items i INDEXED BY items_of_conversation WHERE i.user = c.user AND i.kind = 3 AND i.view = c.view
             AND i.deleted = 0 ORDER BY i.created_at DESC LIMIT 1), 0) AS newest
     FROM conversations c CROSS JOIN users u ON u.key = c.user WHERE c.user = ?1 AND c.newest_at <> newest LIMIT ?2";

/// Conversations of a user that have items and no row.
const UNLISTED_CHECK: &str = "SELECT 'newest item of ' || i.view || ' of ' || u.id, 0, max(i.created_at)
     FROM items i INDEXED BY items_of_conversation CROSS JOIN users u ON u.key = i.user
     WHERE i.user = ?1 AND i.kind = 3 AND i.deleted = 0
         AND NOT EXISTS (SELECT 1 FROM conversations c WHERE c.user = i.user AND c.view = i.view)
     GROUP BY i.view LIMIT ?2";

/// What is stored or written otherwise than in the other store.
const OWN_CHECKS: &[&str] = &[
    "SELECT 'what is expected of ' || w.topic, w.stored, w.counted FROM (
         SELECT t.topic, coalesce(e.every_secs, 0) AS stored, coalesce(json_extract(t.settings, '$.expect_secs'), 0) AS counted
             FROM topics t LEFT JOIN expectations e ON e.topic = t.topic
         UNION ALL SELECT e.topic, e.every_secs, 0 FROM expectations e
             WHERE NOT EXISTS (SELECT 1 FROM topics t WHERE t.topic = e.topic)) w WHERE w.stored <> w.counted",
    "SELECT 'users', h.user_count, c.n FROM meta h CROSS JOIN (SELECT count(*) AS n FROM users WHERE id < '~') c
         WHERE h.user_count <> c.n",
    "SELECT 'bytes of files', h.file_bytes, c.n FROM meta h CROSS JOIN (
         SELECT coalesce(sum(bytes), 0) AS n FROM files) c WHERE h.file_bytes <> c.n",
    "SELECT 'subscriptions of ' || u.id, u.subscription_count, c.n FROM users u CROSS JOIN (
         SELECT u2.key AS key, (SELECT count(*) FROM subscriptions s WHERE s.user = u2.key) AS n FROM users u2) c
         ON c.key = u.key WHERE u.id < '~' AND u.subscription_count <> c.n",
    "SELECT 'members of group ' || g.id, g.member_count, c.n FROM groups g CROSS JOIN (
         SELECT g2.key AS key, (SELECT count(*) FROM memberships m WHERE m.group_key = g2.key AND m.left_at = 0) AS n
         FROM groups g2) c ON c.key = g.key WHERE g.member_count <> c.n",
    "SELECT 'readers of ' || n.msgid, m.read_count, (SELECT count(DISTINCT s.user) FROM memberships s
             WHERE s.group_key = m.group_key AND s.user <> m.sender AND s.joined_at < m.created_at
                 AND (s.left_at = 0 OR s.left_at > m.created_at)
                 AND EXISTS (SELECT 1 FROM acks a WHERE a.group_key = m.group_key AND a.user = s.user
                     AND a.through >= m.created_at)) AS counted
         FROM group_messages m JOIN notifications n ON n.created_at = m.created_at WHERE m.read_count <> counted",
    "SELECT 'members with whom ' || n.msgid || ' has arrived', m.delivered_count, (SELECT count(DISTINCT s.user) FROM memberships s
             WHERE s.group_key = m.group_key AND s.user <> m.sender AND s.joined_at < m.created_at
                 AND (s.left_at = 0 OR s.left_at > m.created_at)
                 AND (EXISTS (SELECT 1 FROM deliveries d WHERE d.user = s.user AND d.delivered_to >= m.created_at)
                     OR EXISTS (SELECT 1 FROM acks a WHERE a.group_key = m.group_key AND a.user = s.user
                         AND a.through >= m.created_at))) AS counted
         FROM group_messages m JOIN notifications n ON n.created_at = m.created_at WHERE m.delivered_count <> counted",
    // Who has arrived since is told with the sender's next pull.
    "SELECT 'members of whom the sender of ' || n.msgid || ' was told', m.told_count, m.delivered_count
         FROM group_messages m JOIN notifications n ON n.created_at = m.created_at
         WHERE m.told_count < m.read_count OR m.told_count > m.delivered_count",
    "SELECT 'members who count for ' || n.msgid, m.members, (SELECT count(DISTINCT s.user) FROM memberships s
             WHERE s.group_key = m.group_key AND s.user <> m.sender AND s.joined_at < m.created_at
                 AND (s.left_at = 0 OR s.left_at > m.created_at)) AS counted
         FROM group_messages m JOIN notifications n ON n.created_at = m.created_at WHERE m.members <> counted",
    "SELECT 'ids of revisions of no notification', count(*), 0 FROM revision_ids r
         WHERE NOT EXISTS (SELECT 1 FROM notifications n WHERE n.created_at = r.created_at) HAVING count(*) > 0",
    "SELECT 'class of ' || n.msgid || ' for ' || u.id, i.auto, i.kind <> 2 FROM items i JOIN users u ON u.key = i.user
         JOIN notifications n ON n.created_at = i.created_at WHERE i.auto NOT IN (0, 1) OR (i.kind <> 2 AND i.auto = 0)",
    "SELECT 'revision of ' || n.msgid || ' for ' || u.id, max(i.revised_at, i.edited_at), n.content_revised_at FROM items i
         JOIN users u ON u.key = i.user JOIN notifications n ON n.created_at = i.created_at
         WHERE max(i.revised_at, i.edited_at) > n.content_revised_at
             OR (i.revised_at > 0 AND (i.kind = 3 OR i.revised_at <= i.created_at))
             OR (i.edited_at > 0 AND (i.kind < 3 OR i.edited_at <= i.created_at))",
    // Nothing else bounds them: a mark that changes nothing gets no stamp.
    "SELECT 'times of marks of ' || u.id || ' that are no times', count(*), 0 FROM items i JOIN users u ON u.key = i.user
         WHERE min(coalesce(i.read_marked_at, 0), coalesce(i.archive_marked_at, 0), coalesce(i.snooze_marked_at, 0))
                 < -62167219200000000
             OR max(coalesce(i.read_marked_at, 0), coalesce(i.archive_marked_at, 0), coalesce(i.snooze_marked_at, 0))
                 > 253402300799999999 GROUP BY u.id",
    "SELECT 'open question of ' || n.msgid || ', which would never end', 0, 1 FROM notifications n
         WHERE n.closed = 0 AND n.revision <> 3 AND n.content LIKE '%\"question\":%'
             AND iif(json_valid(n.content), json_extract(n.content, '$.question.state'), '') = 'open'
             AND NOT EXISTS (SELECT 1 FROM open_questions q WHERE q.created_at = n.created_at)",
    "SELECT 'newest item of ' || c.view || ' of ' || u.id, c.newest_at, coalesce((SELECT max(i.created_at) FROM items i
             WHERE i.user = c.user AND i.kind = 3 AND i.view = c.view AND i.deleted = 0), 0) AS newest
         FROM conversations c JOIN users u ON u.key = c.user WHERE c.newest_at <> newest",
    "SELECT 'conversations of ' || u.id || ' that are not listed', 0, count(DISTINCT i.view) FROM items i
         JOIN users u ON u.key = i.user WHERE i.kind = 3 AND i.deleted = 0 AND NOT EXISTS (
             SELECT 1 FROM conversations c WHERE c.user = i.user AND c.view = i.view) GROUP BY u.id",
    concat!(
        "SELECT 'stamps beyond the newest one handed out', count(*), 0 FROM (
             SELECT stamp AS s FROM items UNION ALL SELECT created_at FROM notifications UNION ALL SELECT stamp FROM read_marks
             UNION ALL SELECT mark FROM read_marks UNION ALL SELECT max(revised_at, edited_at) FROM items
             UNION ALL SELECT revised_at FROM notifications UNION ALL SELECT fanned_in_to FROM users
             UNION ALL SELECT stamp FROM receipts UNION ALL SELECT delivered_to FROM deliveries UNION ALL SELECT changed_at FROM groups
             UNION ALL SELECT ended_at FROM groups UNION ALL SELECT removed_at FROM former_users
             UNION ALL SELECT stamp FROM closed_conversations) WHERE s > (
             SELECT ",
        newest_stamp!(),
        " FROM meta) HAVING count(*) > 0"
    ),
    "SELECT 'items of ' || u.id || ' at one stamp', count(*), 1 FROM items i JOIN users u ON u.key = i.user
         GROUP BY i.user, i.stamp HAVING count(*) > 1",
];

/// All differences, in all inboxes; of wrong `unread` columns at most so many.
pub(crate) fn check(conn: &Connection, most: usize) -> Result<Vec<Difference>, Error> {
    let found = differences(conn, &unread_check("", "?1"), &[&(most + 1)])?;
    let mut found = Difference::listed(found, most, "unread marks");
    for sql in STORE_CHECKS {
        found.extend(differences(conn, &sql::shared(sql), &[])?);
    }
    for sql in OWN_CHECKS {
        found.extend(differences(conn, sql, &[])?);
    }
    Ok(found)
}

/// The damage of the file itself, as differences.
pub(crate) fn damage(db: &Database) -> Result<Vec<Difference>, Error> {
    let lines = db.integrity_check()?.into_iter();
    let difference =
        |line| Difference { what: "the database file".to_owned(), stored: line, counted: "ok".to_owned() };
    Ok(lines.map(difference).collect())
}

/// The rows that can't be read, at most so many: a flipped bit in a text breaks no rule of SQLite.
pub(crate) fn unreadable(conn: &Connection, most: usize) -> Result<Vec<Difference>, Error> {
    let mut found = Vec::new();
    let mut look = |sql: &str, is_readable: fn(&str, &str) -> bool| -> Result<(), Error> {
        let mut statement = conn.prepare(sql)?;
        let mut rows = statement.query([])?;
        while found.len() <= most
            && let Some(row) = rows.next()?
        {
            let texts = (text(row, 2), text(row, 3));
            if !matches!(texts, (Some(one), Some(other)) if is_readable(one, other)) {
                let what = [0, 1].map(|column| text(row, column).unwrap_or_default()).join(" ");
                found.push(Difference { what, stored: "what can't be read".into(), counted: "JSON".into() });
            }
        }
        Ok(())
    };
    look("SELECT 'content of', msgid, content, target_details FROM notifications", |content, details| {
        serde_json::from_str::<Content>(content).is_ok() && (details.is_empty() || is_json(details))
    })?;
    look("SELECT 'settings of', topic, settings, '' FROM topics", |settings, _| is_json(settings))?;
    look("SELECT 'catalog', '', catalog, '' FROM meta", |catalog, _| is_json(catalog))?;
    Ok(Difference::listed(found, most, "rows that can't be read"))
}

fn text<'row>(row: &'row Row<'_>, column: usize) -> Option<&'row str> {
    row.get_ref(column).ok()?.as_str().ok()
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

fn differences(
    conn: &Connection,
    sql: &str,
    values: &[&dyn rusqlite::ToSql],
) -> Result<Vec<Difference>, Error> {
    conn.prepare(sql)?.query_and_then(values, |r| Difference::from_row(r))?.collect()
}

/// Differences by user, and the last user considered.
type Recount = (Vec<(UserKey, Difference)>, Option<UserKey>);

/// Recounts the next `batch` users whose inbox changed after a stamp; gives the differences and the last user
/// considered.
pub(crate) fn recount(
    conn: &Connection,
    after: UserKey,
    since: Stamp,
    batch: usize,
    bounds: &Bounds,
) -> Result<Recount, Error> {
    // Every change of an inbox has a stamp in its items or its read marks; the newest of each is the end of an index.
    let mut rows = conn.prepare_cached(
        "SELECT u.key, coalesce((SELECT max(stamp) FROM items WHERE user = u.key), 0) > ?2
             OR coalesce((SELECT max(stamp) FROM read_marks WHERE user = u.key), 0) > ?2
         FROM users u WHERE u.key > ?1 ORDER BY u.key LIMIT ?3",
    )?;
    let mut rows = rows.query(params![after.0, since.as_micros(), bounds.recounted_users])?;
    let (mut active, mut last) = (Vec::new(), None);
    while active.len() < batch
        && let Some(row) = rows.next()?
    {
        let user = UserKey(row.get(0)?);
        last = Some(user);
        if row.get(1)? {
            active.push(user);
        }
    }
    let mut found = Vec::new();
    for user in active {
        for sql in [unread_check("AND i.user = ?1", "?2").as_str(), LISTED_CHECK, UNLISTED_CHECK] {
            let differing = differences(conn, sql, &[&user.0, &bounds.differences])?;
            found.extend(differing.into_iter().map(|d| (user, d)));
        }
    }
    Ok((found, last))
}
