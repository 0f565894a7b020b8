//! Gotify's applications, clients and messages.

use crate::migrate::table::{Table, USER, bytes, counted, flag, number, table, text};

pub(super) fn tables() -> Vec<Table> {
    vec![
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
        counted("gotify_messages", "id", [number("id"), USER, number("application"), number("created_at")]),
    ]
}
