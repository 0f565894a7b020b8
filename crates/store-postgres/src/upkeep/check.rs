//! Recounts counters and compares redundant columns with the rows that they follow from.

use tidings_store::{Difference, Error};

use super::UNREAD;
use crate::PostgresStore;
use crate::address::PLANNING_OF_WHOLE_TABLES;
use crate::session::{Columns, Session, Values, rows};

/// Each row has the name, the stored and the counted value of a difference.
const STORE_CHECKS: &[&str] = &[
    "SELECT 'what is expected of ' || coalesce(t.topic, e.topic), coalesce(e.every_secs, 0),
             coalesce((t.settings::json->>'expect_secs')::bigint, 0)
         FROM topics t FULL JOIN expectations e ON e.topic = t.topic
         WHERE coalesce(e.every_secs, 0) <> coalesce((t.settings::json->>'expect_secs')::bigint, 0)",
    "SELECT 'users', h.user_count, c.n FROM counters h, (SELECT count(*) AS n FROM users WHERE id < '~') c
         WHERE h.user_count <> c.n",
    "SELECT 'removed user ' || f.id || ', who is there', f.key, u.key FROM former_users f JOIN users u ON u.id = f.id",
    "SELECT 'removed user ' || f.id || ', who is there as ' || u.id, f.key, u.key FROM former_users f
         JOIN users u ON u.key = f.key WHERE u.id < '~' AND u.id <> f.id",
    "SELECT 'closed conversation ' || c.view || ' of ' || u.id || ', whose other side was not removed', 1::bigint, 0::bigint
         FROM closed_conversations c JOIN users u ON u.key = c.user_key
         WHERE NOT EXISTS (SELECT 1 FROM former_users f WHERE f.id = substr(c.view, 6))",
    "SELECT 'inboxes', count(i.user_key), count(u.key) FROM (SELECT key FROM users WHERE id < '~') u
         FULL JOIN inboxes i ON i.user_key = u.key HAVING count(*) <> count(i.user_key) OR count(*) <> count(u.key)",
    "SELECT 'bytes of files', h.file_bytes, c.n FROM counters h,
         (SELECT coalesce(sum(bytes), 0)::bigint AS n FROM files) c WHERE h.file_bytes <> c.n",
    "SELECT 'subscriptions of ' || u.id, u.subscription_count, c.n FROM users u
         CROSS JOIN LATERAL (SELECT count(*) AS n FROM subscriptions s WHERE s.user_key = u.key) c
         WHERE u.id < '~' AND u.subscription_count <> c.n",
    "SELECT 'members of group ' || g.id, g.member_count, c.n FROM groups g CROSS JOIN LATERAL (
         SELECT count(*) AS n FROM memberships m WHERE m.group_key = g.key AND m.left_at = 0) c
         WHERE g.member_count <> c.n",
    "SELECT 'owner of group ' || g.id || ', who is not in it', g.owner, 0::bigint FROM groups g
         WHERE g.id < '~' AND g.ended_at = 0 AND g.member_count > 0 AND NOT EXISTS (SELECT 1 FROM memberships m
             WHERE m.group_key = g.key AND m.user_key = g.owner AND m.left_at = 0)",
    "SELECT 'readers of ' || n.msgid, m.read_count, c.n
         FROM group_messages m JOIN notifications n ON n.created_at = m.created_at
         CROSS JOIN LATERAL (SELECT count(DISTINCT s.user_key) AS n FROM memberships s
             WHERE s.group_key = m.group_key AND s.user_key <> m.sender AND s.joined_at < m.created_at
                 AND (s.left_at = 0 OR s.left_at > m.created_at)
                 AND EXISTS (SELECT 1 FROM acks a WHERE a.group_key = m.group_key AND a.user_key = s.user_key
                     AND a.through >= m.created_at)) c WHERE m.read_count <> c.n",
    "SELECT 'members with whom ' || n.msgid || ' has arrived', m.delivered_count, c.n
         FROM group_messages m JOIN notifications n ON n.created_at = m.created_at
         CROSS JOIN LATERAL (SELECT count(DISTINCT s.user_key) AS n FROM memberships s
             WHERE s.group_key = m.group_key AND s.user_key <> m.sender AND s.joined_at < m.created_at
                 AND (s.left_at = 0 OR s.left_at > m.created_at)
                 AND (EXISTS (SELECT 1 FROM deliveries d WHERE d.user_key = s.user_key AND d.counted_to >= m.created_at)
                     OR EXISTS (SELECT 1 FROM acks a WHERE a.group_key = m.group_key AND a.user_key = s.user_key
                         AND a.through >= m.created_at))) c WHERE m.delivered_count <> c.n",
    // Who has arrived since is told with the sender's next pull, which may come before their pulls are counted.
    "SELECT 'members of whom the sender of ' || n.msgid || ' was told', m.told_count, c.n
         FROM group_messages m JOIN notifications n ON n.created_at = m.created_at
         CROSS JOIN LATERAL (SELECT count(DISTINCT s.user_key) AS n FROM memberships s
             WHERE s.group_key = m.group_key AND s.user_key <> m.sender AND s.joined_at < m.created_at
                 AND (s.left_at = 0 OR s.left_at > m.created_at)
                 AND (EXISTS (SELECT 1 FROM deliveries d WHERE d.user_key = s.user_key AND d.delivered_to >= m.created_at)
                     OR EXISTS (SELECT 1 FROM acks a WHERE a.group_key = m.group_key AND a.user_key = s.user_key
                         AND a.through >= m.created_at))) c
         WHERE m.told_count < m.read_count OR m.told_count > c.n",
    "SELECT 'members who count for ' || n.msgid, m.members, c.n
         FROM group_messages m JOIN notifications n ON n.created_at = m.created_at
         CROSS JOIN LATERAL (SELECT count(DISTINCT s.user_key) AS n FROM memberships s
             WHERE s.group_key = m.group_key AND s.user_key <> m.sender AND s.joined_at < m.created_at
                 AND (s.left_at = 0 OR s.left_at > m.created_at)) c WHERE m.members <> c.n",
    "SELECT 'items of ' || u.id || ' without a notification', count(*), 0::bigint FROM items i
         JOIN users u ON u.key = i.user_key
         WHERE NOT EXISTS (SELECT 1 FROM notifications n WHERE n.created_at = i.created_at) GROUP BY u.id",
    "SELECT 'items of nobody', count(*), 0::bigint FROM items i
         WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.key = i.user_key) HAVING count(*) > 0",
    "SELECT 'what belongs to no notification', count(*), 0::bigint FROM (
         SELECT created_at FROM sequences UNION ALL SELECT created_at FROM group_messages
         UNION ALL SELECT created_at FROM gotify_messages UNION ALL SELECT created_at FROM revision_ids) w
         WHERE NOT EXISTS (SELECT 1 FROM notifications n WHERE n.created_at = w.created_at) HAVING count(*) > 0",
    "SELECT 'token ' || t.id || ' that is older than the token that made it', t.created_at, p.created_at FROM tokens t
         JOIN tokens p ON p.id = t.made_by WHERE t.created_at <= p.created_at",
    "SELECT 'publisher of ' || s.name || ' on ' || s.topic, s.publisher, n.publisher FROM sequences s
         JOIN notifications n ON n.created_at = s.created_at WHERE s.publisher <> n.publisher",
    "SELECT 'notifications with the msgid ' || msgid, count(*), 1::bigint FROM notifications
         GROUP BY msgid HAVING count(*) > 1",
    "SELECT 'class of ' || n.msgid || ' for ' || u.id, i.auto::int::bigint, 1::bigint FROM items i
         JOIN users u ON u.key = i.user_key JOIN notifications n ON n.created_at = i.created_at
         WHERE i.kind <> 2 AND NOT i.auto",
    "SELECT 'kind of ' || n.msgid || ' for ' || u.id, i.kind::bigint, n.kind::bigint FROM items i
         JOIN users u ON u.key = i.user_key JOIN notifications n ON n.created_at = i.created_at WHERE i.kind <> n.kind",
    "SELECT 'view of ' || n.msgid || ' for ' || u.id || ' (' || i.view || ')', 0::bigint, 1::bigint FROM items i
         JOIN users u ON u.key = i.user_key JOIN notifications n ON n.created_at = i.created_at
         WHERE NOT CASE i.kind WHEN 1 THEN i.view = 'all' WHEN 2 THEN i.view = n.target_type || ':' || n.target_id
             ELSE i.view LIKE 'user:_%' OR i.view LIKE 'group:_%' END",
    "SELECT 'thread of ' || n.msgid || ' for ' || u.id || ' (' || i.action || ')', 0::bigint, 1::bigint FROM items i
         JOIN users u ON u.key = i.user_key JOIN notifications n ON n.created_at = i.created_at
         WHERE i.action <> CASE i.kind WHEN 2 THEN n.action ELSE '' END",
    "SELECT 'whether ' || n.msgid || ' is from ' || u.id, i.own::int::bigint, (NOT i.own)::int::bigint FROM items i
         JOIN users u ON u.key = i.user_key JOIN notifications n ON n.created_at = i.created_at
         WHERE i.own <> (i.kind <> 2 AND n.actor_id = u.id) AND u.id < '~'",
    "SELECT 'revision of ' || n.msgid || ' for ' || u.id, greatest(i.revised_at, i.edited_at), n.content_revised_at
         FROM items i JOIN users u ON u.key = i.user_key JOIN notifications n ON n.created_at = i.created_at
         WHERE greatest(i.revised_at, i.edited_at) > n.content_revised_at
             OR (i.revised_at > 0 AND (i.kind = 3 OR i.revised_at <= i.created_at))
             OR (i.edited_at > 0 AND (i.kind < 3 OR i.edited_at <= i.created_at))",
    "SELECT 'mark that archived ' || n.msgid || ' for ' || u.id, i.archive_marked_at, i.archived_at FROM items i
         JOIN users u ON u.key = i.user_key JOIN notifications n ON n.created_at = i.created_at
         WHERE i.archive_marked_at < i.archived_at",
    // Nothing else bounds them: a mark that changes nothing gets no stamp.
    "SELECT 'times of marks of ' || u.id || ' that are no times', count(*), 0::bigint FROM items i
         JOIN users u ON u.key = i.user_key
         WHERE least(i.read_marked_at, i.archive_marked_at, i.snooze_marked_at) < -62167219200000000
             OR greatest(i.read_marked_at, i.archive_marked_at, i.snooze_marked_at) > 253402300799999999 GROUP BY u.id",
    "SELECT 'how far retention came', swept_to, forgotten_before FROM meta WHERE swept_to > forgotten_before",
    "SELECT 'question of ' || n.msgid || ' for ' || u.id, i.closed::int::bigint, n.closed::int::bigint FROM items i
         JOIN users u ON u.key = i.user_key JOIN notifications n ON n.created_at = i.created_at WHERE i.closed AND NOT n.closed",
    "SELECT 'open question of ' || n.msgid, q.due, 0::bigint FROM open_questions q
         JOIN notifications n ON n.created_at = q.created_at WHERE n.closed OR n.revision = 3",
    // What nobody has any more keeps its row until its time is over, without content.
    "SELECT 'open question of ' || n.msgid || ', which asks nothing', q.due, 0::bigint FROM open_questions q
         JOIN notifications n ON n.created_at = q.created_at
         WHERE n.content <> '{}' AND n.content NOT LIKE '%\"question\":%'",
    "SELECT 'open question of ' || n.msgid || ', which would never end', 0::bigint, 1::bigint FROM notifications n
         WHERE NOT n.closed AND n.revision <> 3
             AND CASE WHEN n.content LIKE '%\"question\":%' THEN n.content::json->'question'->>'state' = 'open' END
             AND NOT EXISTS (SELECT 1 FROM open_questions q WHERE q.created_at = n.created_at)",
    "SELECT 'new content of ' || msgid, content_revised_at, revised_at FROM notifications
         WHERE content_revised_at > revised_at OR (revision = 1 AND content_revised_at <> revised_at)",
    "SELECT 'newest item of ' || coalesce(c.view, w.view) || ' of ' || u.id, coalesce(c.newest_at, 0),
             coalesce(w.newest, 0)
         FROM conversations c FULL JOIN (SELECT user_key, view, max(created_at) AS newest FROM items
             WHERE kind = 3 AND NOT deleted GROUP BY user_key, view) w ON w.user_key = c.user_key AND w.view = c.view
         JOIN users u ON u.key = coalesce(c.user_key, w.user_key) WHERE c.newest_at IS DISTINCT FROM w.newest",
    "SELECT 'user of message ' || m.id, m.user_key, a.user_key FROM gotify_messages m
         JOIN gotify_applications a ON a.id = m.application WHERE m.user_key <> a.user_key",
    "SELECT 'deleted items of ' || u.id || ' that Gotify lists', count(*), 0::bigint FROM gotify_messages m
         JOIN items i ON i.user_key = m.user_key AND i.created_at = m.created_at JOIN users u ON u.key = m.user_key
         WHERE i.deleted GROUP BY u.id",
    "SELECT 'views of no kind of ' || u.id, count(*), 0::bigint FROM read_marks v JOIN users u ON u.key = v.user_key
         WHERE v.kind NOT IN (1, 2, 3) OR (v.kind = 1 AND v.view <> 'all') GROUP BY u.id",
    "SELECT 'stamps of items and views of ' || u.id || ' that are the same', count(*), 0::bigint FROM read_marks v
         JOIN users u ON u.key = v.user_key JOIN items i ON i.user_key = v.user_key AND i.stamp = v.stamp GROUP BY u.id",
    "SELECT 'stamps beyond the newest one of the log', count(*), 0::bigint FROM (
             SELECT created_at AS s FROM notifications UNION ALL SELECT revised_at FROM notifications
             UNION ALL SELECT mark FROM read_marks UNION ALL SELECT greatest(revised_at, edited_at) FROM items
             UNION ALL SELECT pulled_to FROM inboxes UNION ALL SELECT ended_at FROM groups
             UNION ALL SELECT removed_at FROM former_users
             UNION ALL SELECT greatest(delivered_to, counted_to) FROM deliveries) w WHERE w.s > (SELECT last FROM log) HAVING count(*) > 0",
    "SELECT 'stamps beyond the newest one of ' || u.id, count(*), 0::bigint FROM (
             SELECT user_key, stamp FROM items UNION ALL SELECT user_key, stamp FROM read_marks
             UNION ALL SELECT user_key, stamp FROM peer_marks UNION ALL SELECT user_key, stamp FROM changed_groups
             UNION ALL SELECT sender, stamp FROM receipts
             UNION ALL SELECT user_key, stamp FROM closed_conversations) w
         JOIN users u ON u.key = w.user_key JOIN inboxes i ON i.user_key = w.user_key
         WHERE w.stamp > i.last GROUP BY u.id",
    "SELECT 'items of ' || u.id || ' at one stamp', count(*), 1::bigint FROM items i JOIN users u ON u.key = i.user_key
         GROUP BY u.id, i.stamp HAVING count(*) > 1",
];

/// All differences, in all inboxes, at one moment; of wrong columns `unread` at most as many as the store's bound.
pub(super) async fn check(store: &PostgresStore) -> Result<Vec<Difference>, Error> {
    let snapshot = store.snapshot().await?;
    let found = check_within(&snapshot, store.bounds.differences).await;
    snapshot.end(found).await
}

async fn check_within(session: &Session, most: usize) -> Result<Vec<Difference>, Error> {
    // No request waits for it.
    session.batch(&format!("SET LOCAL statement_timeout = 0; {PLANNING_OF_WHOLE_TABLES}")).await?;
    // What is to come into its inbox with new content is left out: the mark that covers its former content may be gone.
    let unread = format!(
        "SELECT 'unread mark of ' || n.msgid || ' for ' || u.id, i.unread::bigint, ({UNREAD})::bigint FROM items i
         JOIN users u ON u.key = i.user_key JOIN notifications n ON n.created_at = i.created_at
         LEFT JOIN read_marks v ON v.user_key = i.user_key AND v.kind = i.kind AND v.view = i.view
         WHERE i.unread <> {UNREAD} AND n.content_revised_at <= greatest(i.revised_at, i.edited_at) LIMIT $1"
    );
    let found = differences(session, &unread, &[&rows(most + 1)]).await?;
    let mut found = Difference::listed(found, most, "unread marks");
    for sql in STORE_CHECKS {
        found.extend(differences(session, sql, &[]).await?);
    }
    Ok(found)
}

/// The differences that a query finds.
pub(super) async fn differences(
    session: &Session,
    sql: &str,
    values: Values<'_>,
) -> Result<Vec<Difference>, Error> {
    let found = session.query(sql, values).await?;
    let difference = |row: &tokio_postgres::Row| {
        Ok(Difference {
            what: row.at(0)?,
            stored: row.at::<i64>(1)?.to_string(),
            counted: row.at::<i64>(2)?.to_string(),
        })
    };
    found.iter().map(difference).collect()
}
