//! What a migration carries: the tables of both databases with their columns. A test compares the list with both schemas.

use std::sync::LazyLock;

use super::table::{
    Column, ColumnType, Table, USER, bytes, column, counted, derived, flag, number, small, table, text,
};

/// The tables, in an order in which no row comes before one that it refers to.
pub(in crate::store) static TABLES: LazyLock<Vec<Table>> = LazyLock::new(|| {
    vec![
    Table {
        postgres_rows: Some(
            "SELECT u.key, u.id, u.name, u.created_at, coalesce(i.pulled_to, 0), u.subscription_count
             FROM users u LEFT JOIN inboxes i ON i.user_key = u.key ORDER BY u.key",
        ),
        ..counted(
            "users",
            "key",
            [
                number("key"),
                text("id"),
                text("name"),
                number("created_at"),
                Column { sqlite: "fanned_in_to", postgres: "", kind: ColumnType::Big },
                number("subscription_count"),
            ],
        )
    },
    // SQLite has one order of stamps. A client may know any stamp of it, so an inbox goes on after the newest.
    Table {
        sqlite_rows: Some(
            "SELECT u.key, m.last_stamp, u.fanned_in_to FROM users u CROSS JOIN meta m WHERE u.id < '~'",
        ),
        ..table("inboxes", "user_key", [derived("user_key"), derived("last"), derived("pulled_to")])
    },
    table(
        "former_users",
        "id",
        [
            text("id"),
            number("key"),
            number("removed_at"),
            flag("recalls"),
            number("recalled_to"),
            number("published_to"),
        ],
    ),
    table(
        "closed_conversations",
        "user, view",
        [USER, text("view"), text("name"), number("stamp")],
    ),
    table(
        "tokens",
        "id",
        [
            text("id"),
            USER,
            bytes("hash"),
            text("label"),
            text("scopes"),
            number("created_at"),
            text("made_by"),
        ],
    ),
    table(
        "stored_responses",
        "token, key",
        [
            text("token"),
            text("key"),
            number("stored_at"),
            column("status", ColumnType::Int),
            bytes("body"),
            text("token_salt"),
        ],
    ),
    table(
        "notifications",
        "created_at",
        [
            number("created_at"),
            text("msgid"),
            small("kind"),
            text("actor_id"),
            text("actor_name"),
            text("action"),
            text("target_type"),
            text("target_id"),
            text("target_details"),
            text("content"),
            number("revised_at"),
            small("revision"),
            number("publisher"),
            number("content_revised_at"),
            flag("closed"),
        ],
    ),
    table("open_questions", "created_at", [number("created_at"), number("due")]),
    table(
        "sequences",
        "topic, name, publisher",
        [text("topic"), text("name"), number("publisher"), number("created_at")],
    ),
    table("revision_ids", "stamp", [number("stamp"), number("created_at")]),
    table(
        "scheduled",
        "msgid",
        [
            text("msgid"),
            number("deliver_at"),
            text("draft"),
            number("publisher"),
            text("target"),
            text("sequence"),
            number("bytes"),
            flag("changes_others"),
        ],
    ),
    table(
        "files",
        "name",
        [
            text("name"),
            text("msgid"),
            number("uploader"),
            text("file_name"),
            text("media_type"),
            number("bytes"),
            number("published_at"),
            number("expires_at"),
        ],
    ),
    table("topics", "topic", [text("topic"), text("settings"), text("readers")]),
    table(
        "expectations",
        "topic",
        [
            text("topic"),
            number("every_secs"),
            number("seen_to"),
            number("told_at"),
            number("heard"),
            number("due"),
            flag("missing"),
        ],
    ),
    table("server_runs", "id", [number("id"), number("began"), number("ended"), number("ran_before")]),
    counted(
        "topic_payloads",
        "id",
        [
            number("id"),
            text("topic"),
            number("received_at"),
            text("sender"),
            text("event"),
            text("body"),
            number("bytes"),
        ],
    ),
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
                     ELSE r.stamp END
             FROM (SELECT m.user_key, m.kind, m.view, m.mark, m.stamp, coalesce(p.stamp > m.stamp, false) AS late
                     FROM read_marks m
                     LEFT JOIN users u ON m.kind = 3 AND starts_with(m.view, 'user:') AND u.id = substr(m.view, 6)
                     LEFT JOIN peer_marks p ON p.user_key = u.key AND p.peer_key = m.user_key) r
                 CROSS JOIN (SELECT greatest(l.last, (SELECT max(last) FROM inboxes)) AS newest FROM log l) h
             ORDER BY r.user_key, r.kind, r.view",
        ),
        ..table(
            "read_marks",
            "user, kind, view",
            [USER, small("kind"), text("view"), number("mark"), number("stamp")],
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
    counted(
        "gotify_applications",
        "id",
        [
            number("id"),
            USER,
            text("token"),
            text("target"),
            text("name"),
            text("description"),
            number("default_priority"),
            text("sort_key"),
            number("created_at"),
            number("last_used"),
            flag("removed"),
        ],
    ),
    table(
        "gotify_images",
        "application",
        [number("application"), USER, text("name"), number("bytes"), bytes("content")],
    ),
    counted("gotify_clients", "id", [number("id"), USER, text("token"), number("last_used")]),
    counted(
        "gotify_messages",
        "id",
        [number("id"), USER, number("application"), number("created_at")],
    ),
    ]
});

/// The tables of PostgreSQL that a database of ours has besides: numbers of the whole, which are set, and what belongs to the
/// database alone.
pub(super) const OTHER_TABLES: &[&str] = &["meta", "counters", "log", "leases", "schema_version"];

/// Every table of ours in PostgreSQL.
pub(super) fn names() -> Vec<&'static str> {
    TABLES.iter().map(|table| table.name).chain(OTHER_TABLES.iter().copied()).collect()
}
