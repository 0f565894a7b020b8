//! Publications, their files, and topics.

use crate::migrate::table::{Table, counted, flag, number, small, table, text};

pub(super) fn tables() -> Vec<Table> {
    vec![
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
        table("open_questions", "created_at", [number("created_at"), number("due"), number("asked_at")]),
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
    ]
}
