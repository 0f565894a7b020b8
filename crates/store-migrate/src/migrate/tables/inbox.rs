//! Inboxes, and what users want in them.

use crate::migrate::table::{Table, USER, derived, flag, number, small, table, text};

pub(super) fn tables() -> Vec<Table> {
    vec![
    table(
        "items",
        "user, created_at",
        [
            USER,
            number("created_at"),
            number("stamp"),
            number("version"),
            small("kind"),
            text("view"),
            text("action"),
            flag("auto"),
            flag("own"),
            small("unread"),
            number("seen_at"),
            number("read_at"),
            number("archived_at"),
            number("snoozed_until"),
            flag("deleted"),
            number("revised_at"),
            number("edited_at"),
            flag("closed"),
            number("read_marked_at"),
            number("archive_marked_at"),
            number("snooze_marked_at"),
        ],
    ),
    // In SQLite the reader's own mark shows the other person of a conversation how far they have read. In PostgreSQL a
    // row of `peer_marks` does, at a stamp of the other's inbox. If that is the later one, the mark gets a stamp after
    // all others, so that the other misses nothing.
    Table {
        postgres_rows: Some(
            "SELECT r.user_key, r.kind, r.view, r.mark,
                 CASE WHEN r.late THEN h.newest + sum(r.late::int) OVER (ORDER BY r.user_key, r.kind, r.view)
                     ELSE r.stamp END, r.read_marked_at
             FROM (SELECT m.user_key, m.kind, m.view, m.mark, m.stamp, m.read_marked_at, coalesce(p.stamp > m.stamp, false) AS late
                     FROM read_marks m
                     LEFT JOIN users u ON m.kind = 3 AND starts_with(m.view, 'user:') AND u.id = substr(m.view, 6)
                     LEFT JOIN peer_marks p ON p.user_key = u.key AND p.peer_key = m.user_key) r
                 CROSS JOIN (SELECT greatest(l.last, (SELECT max(last) FROM inboxes)) AS newest FROM log l) h
             ORDER BY r.user_key, r.kind, r.view",
        ),
        ..table(
            "read_marks",
            "user, kind, view",
            [
                USER,
                small("kind"),
                text("view"),
                number("mark"),
                number("stamp"),
                number("read_marked_at"),
            ],
        )
    },
    Table {
        sqlite_rows: Some(
            "SELECT u.key, r.user, r.mark, r.stamp FROM read_marks r CROSS JOIN users u ON u.id = substr(r.view, 6)
             CROSS JOIN users p ON p.key = r.user
             WHERE r.kind = 3 AND r.view >= 'user:' AND r.view < 'user;' AND u.id < '~' AND p.id < '~'
                 AND u.key <> r.user",
        ),
        ..table(
            "peer_marks",
            "user_key, peer_key",
            [derived("user_key"), derived("peer_key"), derived("mark"), derived("stamp")],
        )
    },
    table("applied_ops", "user, id", [USER, text("id"), number("applied_at")]),
    table("conversations", "user, view", [USER, text("view"), number("newest_at")]),
    table(
        "subscriptions",
        "user, target_type, target_id, action",
        [
            USER,
            text("target_type"),
            text("target_id"),
            text("action"),
            text("reason"),
            number("created_at"),
        ],
    ),
    table("follows", "user, actor", [USER, text("actor"), number("created_at")]),
    table("preferences", "user, action", [USER, text("action"), flag("wanted")]),
    ]
}
