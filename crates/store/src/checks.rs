//! What a check of the database compares alike in both stores.

/// Statements as those of [`statements`](crate::statements), without parameters. Their rows have the name, the stored and the
/// counted value of a difference. Flags are tested as truth values, because only one database has numbers for them.
pub const STORE_CHECKS: &[&str] = &[
    "SELECT 'removed user ' || f.id || ', who is there', f.key, u.key FROM former_users f JOIN users u ON u.id = f.id",
    "SELECT 'removed user ' || f.id || ', who is there as ' || u.id, f.key, u.key FROM former_users f
         JOIN users u ON u.key = f.key WHERE u.id < '~' AND u.id <> f.id",
    "SELECT 'closed conversation ' || c.view || ' of ' || u.id || ', whose other side was not removed', 1, 0
         FROM closed_conversations c JOIN users u ON u.key = c.user_key
         WHERE NOT EXISTS (SELECT 1 FROM former_users f WHERE f.id = substr(c.view, 6))",
    "SELECT 'owner of group ' || g.id || ', who is not in it', g.owner, 0 FROM groups g
         WHERE g.id < '~' AND g.ended_at = 0 AND g.member_count > 0 AND NOT EXISTS (SELECT 1 FROM memberships m
             WHERE m.group_key = g.key AND m.user_key = g.owner AND m.left_at = 0)",
    "SELECT 'items of ' || u.id || ' without a notification', count(*), 0 FROM items i
         JOIN users u ON u.key = i.user_key
         WHERE NOT EXISTS (SELECT 1 FROM notifications n WHERE n.created_at = i.created_at) GROUP BY u.id",
    "SELECT 'token ' || t.id || ' that is older than the token that made it', t.created_at, p.created_at FROM tokens t
         JOIN tokens p ON p.id = t.made_by WHERE t.created_at <= p.created_at",
    "SELECT 'publisher of ' || s.name || ' on ' || s.topic, s.publisher, n.publisher FROM sequences s
         JOIN notifications n ON n.created_at = s.created_at WHERE s.publisher <> n.publisher",
    "SELECT 'kind of ' || n.msgid || ' for ' || u.id, i.kind, n.kind FROM items i
         JOIN users u ON u.key = i.user_key JOIN notifications n ON n.created_at = i.created_at WHERE i.kind <> n.kind",
    "SELECT 'view of ' || n.msgid || ' for ' || u.id || ' (' || i.view || ')', 0, 1 FROM items i
         JOIN users u ON u.key = i.user_key JOIN notifications n ON n.created_at = i.created_at
         WHERE NOT CASE i.kind WHEN 1 THEN i.view = 'all' WHEN 2 THEN i.view = n.target_type || ':' || n.target_id
             ELSE i.view LIKE 'user:_%' OR i.view LIKE 'group:_%' END",
    "SELECT 'thread of ' || n.msgid || ' for ' || u.id || ' (' || i.action || ')', 0, 1 FROM items i
         JOIN users u ON u.key = i.user_key JOIN notifications n ON n.created_at = i.created_at
         WHERE i.action <> CASE i.kind WHEN 2 THEN n.action ELSE '' END",
    "SELECT 'whether ' || n.msgid || ' is from ' || u.id, CASE WHEN i.own THEN 1 ELSE 0 END,
             CASE WHEN i.own THEN 0 ELSE 1 END FROM items i
         JOIN users u ON u.key = i.user_key JOIN notifications n ON n.created_at = i.created_at
         WHERE i.own <> (i.kind <> 2 AND n.actor_id = u.id) AND u.id < '~'",
    "SELECT 'mark that archived ' || n.msgid || ' for ' || u.id, i.archive_marked_at, i.archived_at FROM items i
         JOIN users u ON u.key = i.user_key JOIN notifications n ON n.created_at = i.created_at
         WHERE i.archive_marked_at < i.archived_at",
    "SELECT 'how far retention came', swept_to, forgotten_before FROM meta WHERE swept_to > forgotten_before",
    // If an inbox has not yet got the content that asks again, the earlier question is closed.
    "SELECT 'question of ' || n.msgid || ' for ' || u.id, 1, 0 FROM items i
         JOIN users u ON u.key = i.user_key JOIN notifications n ON n.created_at = i.created_at
         WHERE i.closed AND NOT n.closed AND n.content_revised_at IN (i.revised_at, i.edited_at)",
    "SELECT 'open question of ' || n.msgid, q.due, 0 FROM open_questions q
         JOIN notifications n ON n.created_at = q.created_at WHERE n.closed OR n.revision = 3",
    // What nobody has any more keeps its row until its time is over, without content.
    "SELECT 'open question of ' || n.msgid || ', which asks nothing', q.due, 0 FROM open_questions q
         JOIN notifications n ON n.created_at = q.created_at
         WHERE n.content <> '{}' AND n.content NOT LIKE '%\"question\":%'",
    "SELECT 'new content of ' || msgid, content_revised_at, revised_at FROM notifications
         WHERE content_revised_at > revised_at OR (revision = 1 AND content_revised_at <> revised_at)",
    "SELECT 'user of message ' || m.id, m.user_key, a.user_key FROM gotify_messages m
         JOIN gotify_applications a ON a.id = m.application WHERE m.user_key <> a.user_key",
    "SELECT 'deleted items of ' || u.id || ' that Gotify lists', count(*), 0 FROM gotify_messages m
         JOIN items i ON i.user_key = m.user_key AND i.created_at = m.created_at JOIN users u ON u.key = m.user_key
         WHERE i.deleted GROUP BY u.id",
    "SELECT 'views of no kind of ' || u.id, count(*), 0 FROM read_marks v JOIN users u ON u.key = v.user_key
         WHERE v.kind NOT IN (1, 2, 3) OR (v.kind = 1 AND v.view <> 'all') GROUP BY u.id",
    "SELECT 'stamps of items and views of ' || u.id || ' that are the same', count(*), 0 FROM read_marks v
         JOIN users u ON u.key = v.user_key JOIN items i ON i.user_key = v.user_key AND i.stamp = v.stamp GROUP BY u.id",
];
