//! Recounts counters and compares redundant columns with the rows that they follow from.

use tidings_store::checks::STORE_CHECKS;
use tidings_store::{Difference, Error};

use super::UNREAD;
use crate::PostgresStore;
use crate::address::PLANNING_OF_WHOLE_TABLES;
use crate::session::{Session, Values, rows};

/// What is stored or written otherwise than in the other store, with rows as those of [`STORE_CHECKS`].
const OWN_CHECKS: &[&str] = &[
    "SELECT 'what is expected of ' || coalesce(t.topic, e.topic), coalesce(e.every_secs, 0),
             coalesce((t.settings::json->>'expect_secs')::bigint, 0)
         FROM topics t FULL JOIN expectations e ON e.topic = t.topic
         WHERE coalesce(e.every_secs, 0) <> coalesce((t.settings::json->>'expect_secs')::bigint, 0)",
    "SELECT 'users', h.user_count, c.n FROM counters h, (SELECT count(*) AS n FROM users WHERE id < '~') c
         WHERE h.user_count <> c.n",
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
    "SELECT 'items of nobody', count(*), 0::bigint FROM items i
         WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.key = i.user_key) HAVING count(*) > 0",
    "SELECT 'what belongs to no notification', count(*), 0::bigint FROM (
         SELECT created_at FROM sequences UNION ALL SELECT created_at FROM group_messages
         UNION ALL SELECT created_at FROM gotify_messages UNION ALL SELECT created_at FROM revision_ids) w
         WHERE NOT EXISTS (SELECT 1 FROM notifications n WHERE n.created_at = w.created_at) HAVING count(*) > 0",
    "SELECT 'notifications with the msgid ' || msgid, count(*), 1::bigint FROM notifications
         GROUP BY msgid HAVING count(*) > 1",
    "SELECT 'class of ' || n.msgid || ' for ' || u.id, i.auto::int::bigint, 1::bigint FROM items i
         JOIN users u ON u.key = i.user_key JOIN notifications n ON n.created_at = i.created_at
         WHERE i.kind <> 2 AND NOT i.auto",
    "SELECT 'revision of ' || n.msgid || ' for ' || u.id, greatest(i.revised_at, i.edited_at), n.content_revised_at
         FROM items i JOIN users u ON u.key = i.user_key JOIN notifications n ON n.created_at = i.created_at
         WHERE greatest(i.revised_at, i.edited_at) > n.content_revised_at
             OR (i.revised_at > 0 AND (i.kind = 3 OR i.revised_at <= i.created_at))
             OR (i.edited_at > 0 AND (i.kind < 3 OR i.edited_at <= i.created_at))",
    // Nothing else bounds them: a mark that changes nothing gets no stamp.
    "SELECT 'times of marks of ' || u.id || ' that are no times', count(*), 0::bigint FROM items i
         JOIN users u ON u.key = i.user_key
         WHERE least(i.read_marked_at, i.archive_marked_at, i.snooze_marked_at) < -62167219200000000
             OR greatest(i.read_marked_at, i.archive_marked_at, i.snooze_marked_at) > 253402300799999999 GROUP BY u.id",
    "SELECT 'open question of ' || n.msgid || ', which would never end', 0::bigint, 1::bigint FROM notifications n
         WHERE NOT n.closed AND n.revision <> 3
             AND CASE WHEN n.content LIKE '%\"question\":%' THEN n.content::json->'question'->>'state' = 'open' END
             AND NOT EXISTS (SELECT 1 FROM open_questions q WHERE q.created_at = n.created_at)",
    "SELECT 'newest item of ' || coalesce(c.view, w.view) || ' of ' || u.id, coalesce(c.newest_at, 0),
             coalesce(w.newest, 0)
         FROM conversations c FULL JOIN (SELECT user_key, view, max(created_at) AS newest FROM items
             WHERE kind = 3 AND NOT deleted GROUP BY user_key, view) w ON w.user_key = c.user_key AND w.view = c.view
         JOIN users u ON u.key = coalesce(c.user_key, w.user_key) WHERE c.newest_at IS DISTINCT FROM w.newest",
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
    for sql in STORE_CHECKS.iter().chain(OWN_CHECKS) {
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
    session.query(sql, values).await?.iter().map(Difference::from_row).collect()
}
