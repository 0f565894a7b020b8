//! The migrations that make the tables.

use tidings_sqlite::Migration;

/// The migrations of the file, oldest first.
pub const MIGRATIONS: &[Migration] = &[
    Migration { version: 1, name: "replica", sql: include_str!("../migrations/0001_replica.sql") },
    Migration { version: 2, name: "malformed", sql: include_str!("../migrations/0002_malformed.sql") },
    Migration { version: 3, name: "closed", sql: include_str!("../migrations/0003_closed.sql") },
    Migration {
        version: 4,
        name: "time of content",
        sql: include_str!("../migrations/0004_time_of_content.sql"),
    },
    Migration { version: 5, name: "questions", sql: include_str!("../migrations/0005_questions.sql") },
    Migration {
        version: 6,
        name: "questions of threads",
        sql: include_str!("../migrations/0006_questions_of_threads.sql"),
    },
    Migration {
        version: 7,
        name: "clocks of sources",
        sql: include_str!("../migrations/0007_clocks_of_sources.sql"),
    },
    Migration {
        version: 8,
        name: "clocks set back",
        sql: include_str!("../migrations/0008_clocks_set_back.sql"),
    },
    Migration { version: 9, name: "fewer pages", sql: include_str!("../migrations/0009_fewer_pages.sql") },
    Migration { version: 10, name: "woken", sql: include_str!("../migrations/0010_woken.sql") },
    Migration {
        version: 11,
        name: "actors in rows",
        sql: include_str!("../migrations/0011_actors_in_rows.sql"),
    },
    Migration { version: 12, name: "mutes", sql: include_str!("../migrations/0012_mutes.sql") },
    Migration { version: 13, name: "done", sql: include_str!("../migrations/0013_done.sql") },
    Migration { version: 14, name: "facets", sql: include_str!("../migrations/0014_facets.sql") },
    Migration {
        version: 15,
        name: "group changes",
        sql: include_str!("../migrations/0015_group_changes.sql"),
    },
    Migration {
        version: 16,
        name: "ended questions",
        sql: include_str!("../migrations/0016_ended_questions.sql"),
    },
    Migration { version: 17, name: "terms", sql: include_str!("../migrations/0017_terms.sql") },
    Migration {
        version: 18,
        name: "rows of woken items",
        sql: include_str!("../migrations/0018_rows_of_woken_items.sql"),
    },
    Migration { version: 19, name: "short actors", sql: include_str!("../migrations/0019_short_actors.sql") },
    Migration {
        version: 20,
        name: "smaller segments",
        sql: include_str!("../migrations/0020_smaller_segments.sql"),
    },
    Migration {
        version: 21,
        name: "merged in portions",
        sql: include_str!("../migrations/0021_merged_in_portions.sql"),
    },
];
