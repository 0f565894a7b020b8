//! Tests that every column of stamps is known, and that stamps in the future keep their order over all tables.

use std::sync::Arc;

use tidings_model::{Clock, SystemClock};
use tidings_store::Draft;
use tidings_store::prelude::*;
use tidings_store_postgres::StoreAddress;
use tidings_store_sqlite::SqliteStore;
use tidings_testkit::clock::ManualClock;

use super::mend_clock;
use super::stamps::{Stamps, is_stamp};

/// Numbers that are no stamps: keys, counts, sizes, and times that lie in the future by right.
const NUMBERS: &[&str] = &[
    "age_hold_secs",
    "application",
    "auth_version",
    "auto",
    "began",
    "bytes",
    "catalog_version",
    "changes_others",
    "closed",
    "content_at",
    "default_priority",
    "deleted",
    "deliver_at",
    "delivered_count",
    "due",
    "ended",
    "every_secs",
    "expires_at",
    "file_bytes",
    "group_key",
    "heard",
    "id",
    "key",
    "kind",
    "member_count",
    "members",
    "missing",
    "one",
    "own",
    "owner",
    "peer_key",
    "publisher",
    "ran_before",
    "read_count",
    "recalls",
    "removed",
    "revision",
    "sender",
    "snoozed_until",
    "status",
    "subscription_count",
    "told_count",
    "unread",
    "uploader",
    "user",
    "user_count",
    "user_key",
    "version",
    "wanted",
    // What ids of revisions have, which were handed out.
    "stamp of revision_ids",
    // When the tables were changed, by which nothing goes.
    "applied_at of schema_version",
    "version of schema_version",
    "oldest of schema_version",
];

/// Asserts that each number of a schema is a stamp that is mended, or is known to be none.
fn compare(schema: &[(String, String)], stamps: &Stamps) {
    let mended: Vec<_> = stamps.columns().collect();
    for (table, column) in schema {
        let is_number = NUMBERS.contains(&&**column) || NUMBERS.contains(&&*format!("{column} of {table}"));
        let is_mended = mended.contains(&(&**table, &**column));
        assert!(is_number != is_mended, "{table}.{column}: is it a stamp? is_stamp and NUMBERS have to know");
    }
    for (table, column) in mended {
        assert!(schema.contains(&(table.to_owned(), column.to_owned())), "there is no {table}.{column}");
    }
    assert!(!is_stamp("deliver_at") && is_stamp("created_at"));
}

#[tokio::test]
async fn every_number_of_both_schemas_is_a_stamp_that_is_mended_or_known_to_be_none() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&dir.path().join("server.db"), Arc::new(SystemClock)).unwrap();
    let schema = store
        .read_whole(|conn| {
            let sql = "SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_xinfo(t.name) c
                WHERE t.type = 'table' AND c.type = 'INTEGER' AND t.name NOT LIKE 'sqlite_%'";
            let mut found = conn.prepare(sql)?;
            let rows = found.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<Result<Vec<(String, String)>, _>>()?)
        })
        .unwrap();
    compare(&schema, &Stamps::of_sqlite());

    let database = crate::databases::database().await;
    let columns = database.sql(
        "SELECT c.table_name || '.' || c.column_name FROM information_schema.columns c
         JOIN pg_class t ON t.relname = c.table_name AND t.relnamespace = current_schema()::regnamespace
         WHERE c.table_schema = current_schema() AND c.data_type = 'bigint' AND NOT t.relispartition",
    );
    let schema: Vec<_> = columns
        .lines()
        .filter_map(|line| line.split_once('.'))
        .map(|(table, column)| (table.to_owned(), column.to_owned()))
        .collect();
    assert!(schema.len() > 50, "{columns}");
    compare(&schema, &Stamps::of_postgres());
}

#[tokio::test]
async fn stamps_that_lie_close_together_keep_their_order() {
    let (dir, clock) = (tempfile::tempdir().unwrap(), Arc::new(ManualClock::default()));
    let (now, file) = (clock.now(), dir.path().join("server.db"));
    let store = SqliteStore::open(&file, clock.clone()).unwrap();
    // The clock stands, so these follow each other by a microsecond, just ahead of it.
    for nth in 0..9 {
        store.post(vec![Draft::on_topic(&format!("t{nth}"), None)], None).await.unwrap();
    }
    clock.advance(365 * 24 * 3_600);
    store.post(vec![Draft::on_topic("t9", None)], None).await.unwrap();
    clock.advance(-365 * 24 * 3_600);
    let epoch = store.epoch().await.unwrap();
    drop(store);
    let local = StoreAddress::default();
    assert_eq!(mend_clock(&local, dir.path(), clock.clone()).await.unwrap(), 9);
    assert_eq!(
        mend_clock(&local, dir.path(), clock.clone()).await.unwrap(),
        0,
        "there is nothing left to mend"
    );
    let store = SqliteStore::open(&file, clock.clone()).unwrap();
    assert_ne!(store.epoch().await.unwrap(), epoch);
    let topics = store
        .read_whole(|conn| {
            let mut found =
                conn.prepare("SELECT created_at, target_id FROM notifications ORDER BY created_at")?;
            let rows = found.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<Result<Vec<(i64, String)>, _>>()?)
        })
        .unwrap();
    let expected = (0..10).map(|nth| (now.as_micros() + nth, format!("t{nth}")));
    assert_eq!(topics, expected.collect::<Vec<_>>());
}
