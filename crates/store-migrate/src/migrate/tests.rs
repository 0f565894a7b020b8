//! Tests that a migration carries every column of both databases, and that one that fails leaves nothing.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use tidings_model::{Actor, Kind, Stamp};
use tidings_store::prelude::*;
use tidings_store::{Audience, Draft, Error};
use tidings_store_sqlite::SqliteStore;
use tidings_testkit::clock::ManualClock;
use tidings_testkit::postgres::Database;

use super::tables::{OTHER_TABLES, TABLES};
use super::{Location, migrate};

/// Columns that are not rows of a table that is carried, each with how it is carried, or why it is not.
const ELSEWHERE: &[(&str, &str)] = &[
    ("meta.one", "there is one row"),
    ("counters.one", "there is one row"),
    ("log.one", "there is one row"),
    ("meta.epoch", "is set"),
    ("meta.last_stamp", "is that of the log and of inboxes"),
    ("log.last", "is set"),
    ("meta.forgotten_before", "is set"),
    ("meta.swept_to", "begins anew: what one database has left to be dropped as a whole, the other deletes"),
    ("meta.catalog", "is set"),
    ("meta.catalog_version", "is set"),
    ("meta.auth_version", "is set"),
    ("meta.user_count", "is set"),
    ("meta.file_bytes", "is set"),
    ("meta.age_hold_secs", "is set"),
    ("counters.auth_version", "is set"),
    ("counters.user_count", "is set"),
    ("counters.file_bytes", "is set"),
    ("meta.origin", "says which database the epoch belongs to: the new one"),
    ("meta.instance", "names the database itself"),
    ("items.content_at", "is computed by the database"),
    ("leases.name", "is of servers that run"),
    ("leases.holder", "is of servers that run"),
    ("leases.expires", "is of servers that run"),
    ("schema_version.version", "is of the tables themselves"),
    ("schema_version.name", "is of the tables themselves"),
    ("schema_version.oldest", "is of the tables themselves"),
    ("schema_version.applied_at", "is of the tables themselves"),
];

fn elsewhere(column: &str) -> bool {
    ELSEWHERE.iter().any(|(name, _)| *name == column)
}

fn at(database: &Database) -> Location {
    Location::Database(database.url.parse().unwrap())
}

fn folder(path: &Path) -> Location {
    Location::Folder(path.to_owned())
}

fn silent(_: &'static str, _: u64) {}

/// The columns of both schemas that are carried in no way, and those that are carried and not there.
fn compare(schema: &BTreeSet<String>, carried: &BTreeSet<String>) {
    let forgotten: Vec<_> = schema.difference(carried).filter(|column| !elsewhere(column)).collect();
    assert!(forgotten.is_empty(), "carried by no migration: {forgotten:?}");
    let gone: Vec<_> = carried.difference(schema).collect();
    assert!(gone.is_empty(), "there are no such columns: {gone:?}");
}

#[tokio::test]
async fn every_column_of_both_databases_is_carried() {
    let dir = tempfile::tempdir().unwrap();
    let clock = Arc::new(ManualClock::default());
    let store = SqliteStore::open(&dir.path().join("server.db"), clock.clone()).unwrap();
    let in_sqlite = store
        .read_whole(|conn| {
            let sql = "SELECT t.name || '.' || c.name FROM sqlite_schema t JOIN pragma_table_xinfo(t.name) c
                WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'";
            let mut statement = conn.prepare(sql)?;
            let found = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            Ok(found)
        })
        .unwrap();
    let of = |column: &dyn Fn(&super::table::Column) -> &'static str| -> BTreeSet<String> {
        let named = TABLES.iter().flat_map(|table| {
            table
                .columns
                .iter()
                .map(column)
                .filter(|name| !name.is_empty())
                .map(|name| format!("{}.{name}", table.name))
        });
        named.collect()
    };
    compare(&in_sqlite, &of(&|column| column.sqlite));

    let database = crate::databases::database().await;
    let found = database.sql(
        "SELECT c.relname || '.' || a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
         WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
             AND a.attnum > 0 AND NOT a.attisdropped",
    );
    compare(&found.lines().map(str::to_owned).collect(), &of(&|column| column.postgres));
    let tables: BTreeSet<&str> = found.lines().filter_map(|line| line.split('.').next()).collect();
    assert_eq!(tables, super::tables::names().into_iter().collect(), "tables that make a database not empty");
    assert!(OTHER_TABLES.iter().all(|name| tables.contains(name)));
    let counted = TABLES.iter().filter(|table| table.counter.is_some()).count();
    let sequences = database.sql("SELECT count(*) FROM pg_sequences WHERE schemaname = current_schema()");
    assert_eq!(sequences, counted.to_string(), "numbers that are never given again");
}

#[tokio::test]
async fn a_migration_that_fails_leaves_the_place_as_it_was() {
    let (dir, clock) = (tempfile::tempdir().unwrap(), Arc::new(ManualClock::default()));
    {
        let store = SqliteStore::open(&dir.path().join("server.db"), clock.clone()).unwrap();
        store.add_user("alice", "Alice", None).await.unwrap();
        let by = Actor { id: "press".into(), name: "Press".into() };
        store.post(vec![Draft::new(Kind::Announcement, Audience::Everyone, by)], None).await.unwrap();
    }
    // PostgreSQL has no such character.
    let file = rusqlite::Connection::open(dir.path().join("server.db")).unwrap();
    file.execute("UPDATE notifications SET actor_name = 'Pr' || char(0) || 'ess'", []).unwrap();
    drop(file);
    let database = Database::empty();
    let (from, to) = (folder(dir.path()), at(&database));
    let failed = migrate(&from, &to, clock.clone(), &silent).await;
    assert!(
        matches!(&failed, Err(Error::Refused(problem)) if problem.detail.contains("U+0000")),
        "{failed:?}"
    );
    assert_eq!(database.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), "0");

    let file = rusqlite::Connection::open(dir.path().join("server.db")).unwrap();
    file.execute("UPDATE notifications SET actor_name = 'Press'", []).unwrap();
    drop(file);
    let moved = migrate(&from, &to, clock.clone(), &silent).await.unwrap();
    assert!(moved.rows.contains(&("users", 1)) && moved.rows.contains(&("notifications", 1)), "{moved:?}");

    // Something that SQLite refuses on the way back: a row that refers to none.
    database.sql("INSERT INTO sequences VALUES ('job', 'run', 0, 1)");
    let back = tempfile::tempdir().unwrap();
    let failed = migrate(&to, &folder(back.path()), clock.clone(), &silent).await;
    assert!(failed.is_err(), "{failed:?}");
    assert!(!back.path().join("server.db").exists());
    database.sql("DELETE FROM sequences");
    migrate(&to, &folder(back.path()), clock.clone(), &silent).await.unwrap();
    let store = SqliteStore::open(&back.path().join("server.db"), clock).unwrap();
    let alice = store.user("alice").await.unwrap().unwrap().key;
    while store.fan_in(alice).await.unwrap() {}
    assert_eq!(store.sync(alice, Stamp::ZERO, 10).await.unwrap().items().unwrap().len(), 1);
}

#[tokio::test]
async fn what_differs_from_its_recount_is_not_moved() {
    let (dir, clock) = (tempfile::tempdir().unwrap(), Arc::new(ManualClock::default()));
    let store = SqliteStore::open(&dir.path().join("server.db"), clock.clone()).unwrap();
    store.add_user("alice", "Alice", None).await.unwrap();
    drop(store);
    let file = rusqlite::Connection::open(dir.path().join("server.db")).unwrap();
    file.execute("UPDATE meta SET user_count = 7", []).unwrap();
    let database = Database::empty();
    let refused = migrate(&folder(dir.path()), &at(&database), clock, &silent).await;
    assert!(
        matches!(&refused, Err(Error::Refused(problem)) if problem.detail.contains("users")),
        "{refused:?}"
    );
    assert_eq!(database.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), "0");
}
