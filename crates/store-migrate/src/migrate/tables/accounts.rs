//! Accounts.

use crate::migrate::table::{
    Column, ColumnType, Table, USER, bytes, column, counted, derived, flag, number, table, text,
};

pub(super) fn tables() -> Vec<Table> {
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
                "SELECT u.key, max(m.last_stamp, coalesce((SELECT max(created_at) FROM notifications), 0)),
                     u.fanned_in_to FROM users u CROSS JOIN meta m WHERE u.id < '~'",
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
        table("closed_conversations", "user, view", [USER, text("view"), text("name"), number("stamp")]),
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
    ]
}
