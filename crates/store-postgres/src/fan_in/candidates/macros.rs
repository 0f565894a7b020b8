//! Conditions that the statements of fan-in share.

/// Excludes the user's own actions. A topic is its own actor even if a user has the same id. Of notifications `n` and the
/// inbox `h`.
macro_rules! not_own {
    () => {
        "(n.actor_id <> h.id OR (n.target_type = 'topic' AND n.target_id = n.actor_id))"
    };
}

/// Whether a subscription or a follow of the inbox `h`, made before a time, brings the reminder `n`.
macro_rules! brought {
    ($at:literal) => {
        concat!(
            not_own!(),
            " AND (EXISTS (SELECT 1 FROM subscriptions s WHERE s.user_key = $1 AND s.target_type = n.target_type
                    AND s.target_id = n.target_id AND s.action = n.action AND s.created_at < ",
            $at,
            ")
                OR EXISTS (SELECT 1 FROM follows f WHERE f.user_key = $1 AND f.actor = n.actor_id
                    AND f.created_at < ",
            $at,
            "))"
        )
    };
}

/// Whether the inbox `h` would get the new content of `n` as a new publication.
macro_rules! entitled {
    () => {
        concat!("(n.kind = 2 AND ", brought!("n.content_revised_at"), ")")
    };
}

/// Whether the user was in a group `g` after the position `h`.
macro_rules! was_in_group {
    () => {
        "(SELECT 1 FROM memberships s WHERE s.group_key = g.key AND s.user_key = $1
            AND (s.left_at = 0 OR s.left_at > h.passed))"
    };
}

/// The inbox `h` with its position, which data that retention removes counts as passed, and the newest stamp of the
/// log. All is read in the snapshot of one statement. A transaction that hands out a stamp of the log keeps the log
/// locked until the change is visible, so everything up to `upto` is there.
macro_rules! inbox {
    ($passed:literal, $upto:literal) => {
        concat!(
            "WITH h AS MATERIALIZED (SELECT u.key, u.id, greatest(",
            $passed,
            ", m.forgotten_before - 1) AS passed, ",
            $upto,
            " AS upto, l.last AS newest
            FROM users u JOIN inboxes i ON i.user_key = u.key CROSS JOIN meta m CROSS JOIN log l
            WHERE u.key = $1 AND u.id < '~')"
        )
    };
}

pub(super) use {brought, entitled, inbox, not_own, was_in_group};
