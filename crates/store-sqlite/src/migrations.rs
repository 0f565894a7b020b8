//! The versions of the tables, each made from the one before.

use tidings_sqlite::Migration;

pub(super) const MIGRATIONS: &[Migration] = &[
    Migration { version: 1, name: "server", sql: include_str!("../migrations/0001_server.sql") },
    Migration { version: 2, name: "publishers", sql: include_str!("../migrations/0002_publishers.sql") },
    Migration {
        version: 3,
        name: "topic readers",
        sql: include_str!("../migrations/0003_topic_readers.sql"),
    },
    Migration { version: 4, name: "descent", sql: include_str!("../migrations/0004_descent.sql") },
    Migration { version: 5, name: "age hold", sql: include_str!("../migrations/0005_age_hold.sql") },
    Migration { version: 6, name: "revision ids", sql: include_str!("../migrations/0006_revision_ids.sql") },
    Migration { version: 7, name: "people", sql: include_str!("../migrations/0007_people.sql") },
    Migration {
        version: 8,
        name: "content revisions",
        sql: include_str!("../migrations/0008_content_revisions.sql"),
    },
    Migration { version: 9, name: "questions", sql: include_str!("../migrations/0009_questions.sql") },
    Migration { version: 10, name: "mark times", sql: include_str!("../migrations/0010_mark_times.sql") },
    Migration { version: 11, name: "deliveries", sql: include_str!("../migrations/0011_deliveries.sql") },
    Migration { version: 12, name: "expectations", sql: include_str!("../migrations/0012_expectations.sql") },
    Migration { version: 13, name: "actors", sql: include_str!("../migrations/0013_actors.sql") },
    Migration { version: 14, name: "newest stamp", sql: include_str!("../migrations/0014_newest_stamp.sql") },
    Migration {
        version: 15,
        name: "ids of revisions",
        sql: include_str!("../migrations/0015_ids_of_revisions.sql"),
    },
    Migration { version: 16, name: "names", sql: include_str!("../migrations/0016_names.sql") },
    Migration {
        version: 17,
        name: "times of read marks",
        sql: include_str!("../migrations/0017_times_of_read_marks.sql"),
    },
    Migration {
        version: 18,
        name: "times of content",
        sql: include_str!("../migrations/0018_times_of_content.sql"),
    },
    Migration {
        version: 19,
        name: "waiting of publishers",
        sql: include_str!("../migrations/0019_waiting_of_publishers.sql"),
    },
    Migration { version: 20, name: "askings", sql: include_str!("../migrations/0020_askings.sql") },
];
