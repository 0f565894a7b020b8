//! The tables of the database: creates them, and brings those of an older version up to date.

use tidings_model::{Catalog, Stamp};
use tidings_store::domain::account::random_name;
use tidings_store::failure::broken;
use tidings_store::{Error, earlier_catalog};
use tokio_postgres::Client;

use super::origin::ORIGIN;
use super::partitions;

/// A step from one version to the next. It is written so that programs of the version before go on working (expand).
/// What they need is dropped a version later (contract), so that nodes are replaced one by one.
struct Migration {
    version: i32,
    name: &'static str,
    /// The oldest version that a program may have with these tables.
    oldest: i32,
    sql: &'static str,
}

const MIGRATIONS: &[Migration] = &[
    Migration { version: 1, name: "server", oldest: 1, sql: include_str!("../migrations/0001_server.sql") },
    // Programs of the version before are kept out: they would let one publisher change what another one published.
    Migration {
        version: 2,
        name: "publishers",
        oldest: 2,
        sql: include_str!("../migrations/0002_publishers.sql"),
    },
    // As before: they would let others read a topic that has readers.
    Migration {
        version: 3,
        name: "topic readers",
        oldest: 3,
        sql: include_str!("../migrations/0003_topic_readers.sql"),
    },
    // Likewise: they would go on with what a revoked token made.
    Migration { version: 4, name: "descent", oldest: 4, sql: include_str!("../migrations/0004_descent.sql") },
    Migration {
        version: 5,
        name: "age hold",
        oldest: 4,
        sql: include_str!("../migrations/0005_age_hold.sql"),
    },
    // What they revise has no id that leads to it.
    Migration {
        version: 6,
        name: "revision ids",
        oldest: 4,
        sql: include_str!("../migrations/0006_revision_ids.sql"),
    },
    // As before: they would give the id of a removed user away, and post to groups that were ended.
    Migration { version: 7, name: "people", oldest: 7, sql: include_str!("../migrations/0007_people.sql") },
    // They would remove what was revised lately.
    Migration {
        version: 8,
        name: "content revisions",
        oldest: 8,
        sql: include_str!("../migrations/0008_content_revisions.sql"),
    },
    // They would count what is answered as unread.
    Migration {
        version: 9,
        name: "questions",
        oldest: 9,
        sql: include_str!("../migrations/0009_questions.sql"),
    },
    Migration {
        version: 10,
        name: "mark times",
        oldest: 9,
        sql: include_str!("../migrations/0010_mark_times.sql"),
    },
    // What members read by them would not have arrived.
    Migration {
        version: 11,
        name: "deliveries",
        oldest: 11,
        sql: include_str!("../migrations/0011_deliveries.sql"),
    },
    // They publish as before; their settings for a topic end its expectation.
    Migration {
        version: 12,
        name: "expectations",
        oldest: 11,
        sql: include_str!("../migrations/0012_expectations.sql"),
    },
    // They forget ids of revisions after a month, and leave those of what they delete until then.
    Migration {
        version: 13,
        name: "ids of revisions",
        oldest: 11,
        sql: include_str!("../migrations/0013_ids_of_revisions.sql"),
    },
    Migration { version: 14, name: "names", oldest: 11, sql: include_str!("../migrations/0014_names.sql") },
    // They leave the times as they are.
    Migration {
        version: 15,
        name: "times of read marks",
        oldest: 11,
        sql: include_str!("../migrations/0015_times_of_read_marks.sql"),
    },
    Migration {
        version: 16,
        name: "times of content",
        oldest: 11,
        sql: include_str!("../migrations/0016_times_of_content.sql"),
    },
    Migration {
        version: 17,
        name: "waiting of publishers",
        oldest: 11,
        sql: include_str!("../migrations/0017_waiting_of_publishers.sql"),
    },
    // What they ask again takes an earlier answer.
    Migration {
        version: 18,
        name: "askings",
        oldest: 11,
        sql: include_str!("../migrations/0018_askings.sql"),
    },
];

/// Only one process at a time changes the tables: the number of the lock, chosen at random.
const LOCK: i64 = 7_310_457_218_403_115_961;

/// A migration takes as long as it takes. A program that is busy elsewhere for a second may go on with it.
const LIMITS: &str = "BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '60s';
    SET LOCAL idle_in_transaction_session_timeout = '60s'";

const VERSIONS: &str = "CREATE TABLE IF NOT EXISTS schema_version (
    version    integer PRIMARY KEY,
    name       text NOT NULL,
    -- The oldest version that a program may have with these tables.
    oldest     integer NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
)";

/// The version of the tables that this program makes.
pub(super) fn newest() -> i32 {
    MIGRATIONS.last().map_or(0, |m| m.version)
}

/// Creates what is missing. It gives nothing if everything is there.
///
/// # Errors
/// [`Error::Store`] if the tables are of a version that this program does not know how to use.
pub(super) async fn migrate(client: &Client, now: Stamp) -> Result<(), Error> {
    client.batch_execute(LIMITS).await?;
    let done = migrate_locked(client, now).await;
    client.batch_execute(if done.is_ok() { "COMMIT" } else { "ROLLBACK" }).await?;
    done
}

/// Waits until no other process changes the tables, and keeps the others waiting to the end of the transaction.
pub(super) async fn lock(client: &Client) -> Result<(), Error> {
    Ok(client.batch_execute(&format!("SELECT pg_advisory_xact_lock({LOCK})")).await?)
}

/// Creates the tables within a transaction of the caller, with partitions for every month since `oldest`, as for a server
/// that was there all along.
pub(super) async fn create(client: &Client, oldest: Stamp, now: Stamp) -> Result<(), Error> {
    migrate_locked(client, now).await?;
    partitions::ensure_since(client, oldest, now).await
}

async fn migrate_locked(client: &Client, now: Stamp) -> Result<(), Error> {
    lock(client).await?;
    client.batch_execute(VERSIONS).await?;
    let newest = newest();
    let row = client
        .query_typed("SELECT coalesce(max(version), 0), coalesce(max(oldest), 0) FROM schema_version", &[])
        .await?;
    let (version, oldest): (i32, i32) = match row.first() {
        Some(row) => (row.try_get(0)?, row.try_get(1)?),
        None => (0, 0),
    };
    if oldest > newest {
        return Err(broken("the database was set up by a newer version of this program: update this one"));
    }
    for step in MIGRATIONS.iter().filter(|m| m.version > version) {
        client.batch_execute(step.sql).await?;
        client
            .batch_execute(&format!(
                "INSERT INTO schema_version (version, name, oldest) VALUES ({}, '{}', {})",
                step.version, step.name, step.oldest
            ))
            .await?;
    }
    fill(client).await?;
    partitions::ensure(client, now).await
}

/// Inserts the single rows of a new database: a random epoch and name, the shipped catalog, the newest stamp 0. An earlier
/// shipped catalog becomes the present one, if nobody has replaced it.
async fn fill(client: &Client) -> Result<(), Error> {
    use tokio_postgres::types::Type;
    let (epoch, instance, catalog) =
        (random_name(), random_name(), serde_json::to_string(&Catalog::shipped())?);
    let sql = format!(
        "INSERT INTO meta (epoch, origin, instance, catalog) SELECT $1, ({ORIGIN}), $2, $3
         WHERE NOT EXISTS (SELECT 1 FROM meta)"
    );
    client
        .query_typed(&sql, &[(&epoch, Type::TEXT), (&instance, Type::TEXT), (&catalog, Type::TEXT)])
        .await?;
    let earlier = earlier_catalog::SHIPPED;
    client
        .query_typed(earlier_catalog::REPLACE_UNCHANGED, &[(&catalog, Type::TEXT), (&earlier, Type::TEXT)])
        .await?;
    client
        .batch_execute(
            "INSERT INTO counters DEFAULT VALUES ON CONFLICT DO NOTHING;
             INSERT INTO log (last) VALUES (0) ON CONFLICT DO NOTHING",
        )
        .await?;
    Ok(())
}
