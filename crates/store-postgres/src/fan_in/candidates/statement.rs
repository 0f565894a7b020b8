//! The statement of a search for candidates, which starts from the smaller side of reminders and of groups.

use super::CandidateSearch;
use super::macros::{brought, entitled, inbox, not_own, was_in_group};
use crate::session::rows;

/// Rows are looked up by `LATERAL` with a `LIMIT`, which keeps PostgreSQL from reading a whole table into a hash instead.
macro_rules! search {
    ($reminders:expr, $messages:expr, $groups:expr) => {
        concat!(
            inbox!("i.pulled_to", "least(l.last, $2)"),
            ",
            c AS MATERIALIZED (SELECT * FROM (
                (SELECT 1 AS sort, n.created_at AS at, n.created_at, NULL::bigint AS group_key, false AS is_entitled FROM h
                    CROSS JOIN LATERAL (SELECT created_at FROM notifications WHERE kind = 1 AND created_at > h.passed
                        AND created_at <= h.upto ORDER BY created_at LIMIT $3) n)
                UNION ALL (SELECT 2, n.created_at, n.created_at, NULL, true FROM h CROSS JOIN LATERAL (",
            $reminders,
            ") n)
                UNION ALL (SELECT 3, m.created_at, m.created_at, m.group_key, false FROM h CROSS JOIN LATERAL (",
            $messages,
            ") m)
                UNION ALL (SELECT 4, n.revised_at, n.created_at, NULL, false FROM h CROSS JOIN LATERAL (
                    SELECT r.revised_at, r.created_at FROM (SELECT revised_at, created_at FROM notifications
                        WHERE revision > 1 AND revised_at > h.passed AND revised_at <= h.upto ORDER BY revised_at) r
                    CROSS JOIN LATERAL (SELECT 1 FROM items WHERE user_key = $1 AND created_at = r.created_at LIMIT 1) i
                    ORDER BY r.revised_at LIMIT $3) n)
                UNION ALL (SELECT 5, g.changed_at, NULL, g.key, false FROM h CROSS JOIN LATERAL (",
            $groups,
            ") g)
                UNION ALL (SELECT 6, n.content_revised_at, n.created_at, NULL, n.is_entitled FROM h CROSS JOIN LATERAL (
                    SELECT n.content_revised_at, n.created_at, n.is_entitled FROM (
                        SELECT n.content_revised_at, n.created_at, ",
            entitled!(),
            " AS is_entitled FROM notifications n WHERE n.content_revised_at > 0 AND n.content_revised_at > h.passed
                            AND n.content_revised_at <= h.upto ORDER BY n.content_revised_at) n
                    LEFT JOIN LATERAL (SELECT true AS has_item FROM items
                        WHERE user_key = $1 AND created_at = n.created_at LIMIT 1) i ON true
                    WHERE n.is_entitled OR i.has_item ORDER BY n.content_revised_at LIMIT $3) n)
                ) x ORDER BY x.at LIMIT $3)
            SELECT h.upto, h.newest, c.sort, c.at, c.group_key, n.created_at, n.kind, n.actor_id = h.id, n.action,
                w.view, v.mark, n.content_revised_at, n.revision,
                i.auto, i.own, i.seen_at, i.read_at, i.archived_at, i.snoozed_until, i.deleted, i.revised_at,
                coalesce(t.is_barred, false), i.edited_at, c.is_entitled, coalesce(n.closed, false), i.closed
            FROM h LEFT JOIN c ON true
            LEFT JOIN LATERAL (SELECT * FROM notifications WHERE created_at = c.created_at LIMIT 1) n ON true
            LEFT JOIN LATERAL (SELECT id FROM groups WHERE key = c.group_key LIMIT 1) g ON true
            LEFT JOIN LATERAL (SELECT * FROM items WHERE c.sort IN (4, 6) AND user_key = $1 AND created_at = c.created_at
                LIMIT 1) i ON true
            CROSS JOIN LATERAL (SELECT coalesce(i.view, CASE n.kind WHEN 1 THEN 'all'
                WHEN 2 THEN n.target_type || ':' || n.target_id ELSE 'group:' || g.id END) AS view) w
            LEFT JOIN LATERAL (SELECT position(' ' || h.id || ' ' IN readers) = 0 AS is_barred FROM topics
                WHERE n.kind = 2 AND n.target_type = 'topic' AND topic = n.target_id AND readers <> '' LIMIT 1) t ON true
            LEFT JOIN LATERAL (SELECT mark FROM read_marks WHERE user_key = $1 AND kind = n.kind AND view = w.view
                LIMIT 1) v ON true
            ORDER BY c.at"
        )
    };
}

/// Tests each new reminder for a matching subscription or follow.
macro_rules! by_reminder {
    () => {
        concat!(
            "SELECT n.created_at FROM notifications n WHERE n.kind = 2 AND n.created_at > h.passed AND n.created_at <= h.upto
                AND ",
            brought!("n.created_at"),
            " ORDER BY n.created_at LIMIT $3"
        )
    };
}

/// Searches new reminders for each subscription and follow. The union has each reminder once.
macro_rules! by_source {
    () => {
        concat!(
            "SELECT x.created_at FROM (
                SELECT n.created_at FROM subscriptions s CROSS JOIN LATERAL (SELECT n.created_at FROM notifications n
                    WHERE n.kind = 2 AND n.target_type = s.target_type AND n.target_id = s.target_id AND n.action = s.action
                        AND n.created_at > greatest(s.created_at, h.passed) AND n.created_at <= h.upto AND ",
            not_own!(),
            " ORDER BY n.created_at LIMIT $3) n WHERE s.user_key = $1
                UNION
                SELECT n.created_at FROM follows f CROSS JOIN LATERAL (SELECT n.created_at FROM notifications n
                    WHERE n.kind = 2 AND n.actor_id = f.actor
                        AND n.created_at > greatest(f.created_at, h.passed) AND n.created_at <= h.upto AND ",
            not_own!(),
            " ORDER BY n.created_at LIMIT $3) n WHERE f.user_key = $1) x ORDER BY x.created_at LIMIT $3"
        )
    };
}

/// Tests each new group message for a membership.
macro_rules! by_message {
    () => {
        "SELECT m.created_at, m.group_key FROM group_messages m WHERE m.created_at > h.passed AND m.created_at <= h.upto
            AND m.sender <> $1 AND EXISTS (SELECT 1 FROM memberships s WHERE s.group_key = m.group_key
                AND s.user_key = $1 AND s.joined_at < m.created_at
                AND (s.left_at = 0 OR s.left_at > m.created_at)) ORDER BY m.created_at LIMIT $3"
    };
}

/// Searches new messages for each membership.
macro_rules! by_group {
    () => {
        "SELECT m.created_at, m.group_key FROM memberships s CROSS JOIN LATERAL (
            SELECT m.created_at, m.group_key FROM group_messages m WHERE m.group_key = s.group_key
                AND m.created_at > greatest(s.joined_at, h.passed) AND m.created_at <= h.upto
                AND (s.left_at = 0 OR m.created_at < s.left_at) AND m.sender <> $1 ORDER BY m.created_at LIMIT $3) m
            WHERE s.user_key = $1 AND (s.left_at = 0 OR s.left_at > h.passed) ORDER BY m.created_at LIMIT $3"
    };
}

/// Tests each changed group for a membership.
macro_rules! by_change {
    () => {
        concat!(
            "SELECT g.key, g.changed_at FROM groups g WHERE g.changed_at > h.passed AND g.changed_at <= h.upto
                AND g.id < '~' AND EXISTS ",
            was_in_group!(),
            " ORDER BY g.changed_at LIMIT $3"
        )
    };
}

/// Looks up the group of each membership; a group that the user left and joined again is one.
macro_rules! by_membership {
    () => {
        "SELECT DISTINCT g.key, g.changed_at FROM memberships s CROSS JOIN LATERAL (
            SELECT r.key, r.changed_at FROM groups r WHERE r.key = s.group_key AND r.changed_at > h.passed
                AND r.changed_at <= h.upto AND r.id < '~' LIMIT 1) g
            WHERE s.user_key = $1 AND (s.left_at = 0 OR s.left_at > h.passed) ORDER BY g.changed_at LIMIT $3"
    };
}

impl CandidateSearch {
    /// The statement of the search: `$1` the user, `$2` up to a time, `$3` the most candidates. It has one row without a
    /// candidate if there are none.
    pub(in crate::fan_in) fn sql(self) -> &'static str {
        match (self.by_source, self.by_group) {
            (false, false) => search!(by_reminder!(), by_message!(), by_change!()),
            (false, true) => search!(by_reminder!(), by_group!(), by_membership!()),
            (true, false) => search!(by_source!(), by_message!(), by_change!()),
            (true, true) => search!(by_source!(), by_group!(), by_membership!()),
        }
    }

    /// The time up to which it goes, as a value of the statement.
    pub(in crate::fan_in) fn upto(self) -> i64 {
        self.upto.as_micros()
    }

    /// Candidates of a page, as a value of the statement.
    pub(in crate::fan_in) fn page(limit: usize) -> i64 {
        rows(limit)
    }
}
