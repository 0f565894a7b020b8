//! Groups and receipts.

use crate::migrate::table::{Table, USER, counted, derived, number, table, text};

pub(super) fn tables() -> Vec<Table> {
    vec![
    counted(
        "groups",
        "key",
        [
            number("key"),
            text("id"),
            text("name"),
            number("owner"),
            number("created_at"),
            number("member_count"),
            number("changed_at"),
            number("ended_at"),
        ],
    ),
    table(
        "memberships",
        "group_key, user, joined_at",
        [
            number("group_key"),
            text("group_id"),
            USER,
            number("joined_at"),
            number("left_at"),
            number("list_position"),
        ],
    ),
    // A pull in SQLite names a group that changed to each user who is in it, or left it after their last pull.
    Table {
        sqlite_rows: Some(
            "SELECT m.user, m.group_key, CASE WHEN min(m.left_at) = 0 THEN g.changed_at ELSE max(m.left_at) END
             FROM memberships m CROSS JOIN groups g ON g.key = m.group_key CROSS JOIN users u ON u.key = m.user
             WHERE g.id < '~' AND u.id < '~' GROUP BY m.group_key, m.user",
        ),
        ..table(
            "changed_groups",
            "user_key, group_key",
            [derived("user_key"), derived("group_key"), derived("stamp")],
        )
    },
    table(
        "former_positions",
        "group_key, user",
        [number("group_key"), USER, number("list_position"), number("left_at")],
    ),
    table(
        "group_messages",
        "created_at",
        [
            number("created_at"),
            number("group_key"),
            number("sender"),
            number("members"),
            number("read_count"),
            number("delivered_count"),
            number("told_count"),
        ],
    ),
    table(
        "acks",
        "group_key, user, through",
        [number("group_key"), USER, number("through"), number("acked_at")],
    ),
    // SQLite counts a delivery at once; before PostgreSQL's come out, all of them are counted.
    Table {
        sqlite_rows: Some("SELECT user, delivered_to, delivered_to FROM deliveries ORDER BY user"),
        ..table("deliveries", "user", [USER, number("delivered_to"), derived("counted_to")])
    },
    table(
        "receipts",
        "sender, stamp",
        [number("sender"), number("stamp"), number("message"), text("reader"), number("read_at")],
    ),
    ]
}
