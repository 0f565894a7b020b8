//! Tests that data of tables of an earlier version is read as it was meant.

use std::path::Path;
use std::sync::Arc;

use tidings_model::{Catalog, MsgId, Stamp};
use tidings_store::earlier_catalog::SHIPPED;
use tidings_store::{Draft, Error, PostedBy, SequenceChange, Store, UserKey};
use tidings_store_sqlite::SqliteStore;
use tidings_testkit::clock::ManualClock;
use tidings_testkit::postgres::Database;

use crate::databases::connect;

/// Publications from a time when their publishers were not recorded; one of the users is known. They are an
/// announcement, a publication with a file, one without, and one that waits, on the topic `job`.
const PUBLISHED: &str = "
    INSERT INTO notifications (created_at, msgid, kind, actor_id, actor_name, action, target_type, target_id,
        target_details, content) VALUES
        (10, 'm1', 1, 'alice', 'Alice', '', '', '', '', '{}'),
        (11, 'm2', 2, 'job', 'job', 'publish', 'topic', 'job', '', '{}'),
        (12, 'm3', 2, 'job', 'job', 'publish', 'topic', 'job', '', '{}');
    INSERT INTO files (name, msgid, uploader, file_name, media_type, bytes, published_at, expires_at)
        VALUES ('f', 'm2', 1, 'a.png', 'image/png', 10, 11, 9000000000000000);
    INSERT INTO sequences (topic, name, created_at) VALUES ('job', 'with a file', 11), ('job', 'run', 12);
    INSERT INTO scheduled (msgid, deliver_at, draft, publisher, target, sequence, bytes)
        VALUES ('m4', 9000000000000000, 'DRAFT', 1, 'topic:job', 'later', 2);";

fn published() -> String {
    PUBLISHED.replace("DRAFT", &serde_json::to_string(&Draft::on_topic("job", None)).unwrap())
}

/// A store whose tables were of the first version, with two users, so many bytes of files, and these rows.
fn first_sqlite(dir: &Path, file_bytes: i64, rows: &str) -> SqliteStore {
    let path = dir.join("server.db");
    let file = rusqlite::Connection::open(&path).unwrap();
    file.execute_batch(include_str!("../../store-sqlite/migrations/0001_server.sql")).unwrap();
    let catalog = serde_json::to_string(&tidings_model::Catalog::shipped()).unwrap();
    file.execute(
        "INSERT INTO meta (one, last_stamp, catalog_version, auth_version, epoch, catalog, user_count, file_bytes)
         VALUES (1, 100, 1, 1, 'e', ?1, 2, ?2)",
        (catalog, file_bytes),
    )
    .unwrap();
    let users = "INSERT INTO users (key, id, name, created_at, fanned_in_to)
        VALUES (1, 'alice', 'Alice', 1, 1), (2, 'bob', 'Bob', 2, 2)";
    file.execute_batch(users).unwrap();
    file.execute_batch(rows).unwrap();
    file.pragma_update(None, "user_version", 1).unwrap();
    drop(file);
    SqliteStore::open(&path, Arc::new(ManualClock::default())).unwrap()
}

/// A database whose tables are of the first version, with the same.
fn first_postgres(file_bytes: i64, rows: &str) -> Database {
    let database = Database::empty();
    database.sql(include_str!("../../store-postgres/migrations/0001_server.sql"));
    database.sql(&format!(
        "CREATE TABLE schema_version (version integer PRIMARY KEY, name text NOT NULL, oldest integer NOT NULL,
             applied_at timestamptz NOT NULL DEFAULT now());
         INSERT INTO schema_version (version, name, oldest) VALUES (1, 'server', 1);
         INSERT INTO counters (user_count, file_bytes) VALUES (2, {file_bytes});
         INSERT INTO log (last) VALUES (100);
         INSERT INTO users (key, id, name, created_at) VALUES (1, 'alice', 'Alice', 1), (2, 'bob', 'Bob', 2);
         INSERT INTO inboxes (user_key, last, pulled_to) VALUES (1, 1, 1), (2, 2, 2)"
    ));
    database.sql(rows);
    database
}

/// Checks that it belongs to its publisher if that is known, and to nobody's token otherwise.
async fn belongs_to_its_publishers(store: &dyn Store) {
    let (alice, bob) = (UserKey(1), UserKey(2));
    let by = |user, changes_others| PostedBy { user, changes_others };
    assert_eq!(store.check().await.unwrap(), []);
    let forbidden = async |name: &str, by: PostedBy| {
        let refused = store.sequence("job", name, SequenceChange::Delete, by).await;
        let code = matches!(&refused, Err(Error::Refused(problem)) if problem.code.as_str() == "forbidden");
        assert!(code, "{name} by {by:?}: {refused:?}");
    };
    for name in ["with a file", "m2", "later", "m4"] {
        forbidden(name, by(Some(bob), false)).await;
        forbidden(name, PostedBy::default()).await;
    }
    for name in ["run", "m3"] {
        forbidden(name, by(Some(alice), false)).await;
    }
    assert_eq!(store.scheduled_on("job", &[Some(alice)]).await.unwrap().len(), 1);
    store.sequence("job", "later", SequenceChange::Delete, by(Some(alice), false)).await.unwrap();
    assert_eq!(store.scheduled_on("job", &[Some(alice)]).await.unwrap(), []);
    for (name, by) in [("with a file", by(Some(alice), false)), ("run", PostedBy::default())] {
        store.sequence("job", name, SequenceChange::Clear, by).await.unwrap().unwrap();
    }
    store.sequence("job", "run", SequenceChange::Delete, by(Some(bob), true)).await.unwrap().unwrap();
    assert_eq!(store.check().await.unwrap(), []);
}

#[tokio::test]
async fn what_was_published_before_publishers_were_known_is_whose_it_is_known_to_be_in_sqlite() {
    let dir = tempfile::tempdir().unwrap();
    let store = first_sqlite(dir.path(), 10, &published());
    belongs_to_its_publishers(&store).await;
}

#[tokio::test]
async fn what_was_published_before_publishers_were_known_is_whose_it_is_known_to_be_in_postgresql() {
    let database = first_postgres(10, &published());
    let store = connect(&database.url, Arc::new(ManualClock::default())).await;
    belongs_to_its_publishers(&store).await;
}

/// Reminders of a time when new content had no time of its own. One was revised and then cleared, one was revised and
/// then deleted, and one was only cleared. Alice has them all. `USER` stands for the column of users.
const CLEARED: &str = "
    INSERT INTO notifications (created_at, msgid, kind, actor_id, actor_name, action, target_type, target_id,
        target_details, content, revised_at, revision) VALUES
        (10, 'm1', 2, 'job', 'job', 'publish', 'topic', 'job', '', '{}', 30, 2),
        (11, 'm2', 2, 'job', 'job', 'publish', 'topic', 'job', '', '{}', 31, 3),
        (12, 'm3', 2, 'job', 'job', 'publish', 'topic', 'job', '', '{}', 32, 2);
    INSERT INTO items (USER, created_at, stamp, version, kind, view, action, auto, own, unread, read_at, deleted, revised_at)
        VALUES (1, 10, 40, 3, 2, 'topic:job', 'publish', FALSE, FALSE, 0, 40, FALSE, 20),
            (1, 11, 41, 3, 2, 'topic:job', 'publish', FALSE, FALSE, 0, NULL, TRUE, 21),
            (1, 12, 42, 2, 2, 'topic:job', 'publish', FALSE, FALSE, 0, 42, FALSE, 0);";

/// Checks that what was revised has the time of its content, by which retention goes.
async fn has_the_time_of_its_content(store: &dyn Store) {
    assert_eq!(store.check().await.unwrap(), []);
    while store.prune(Some(Stamp::from_micros(15)), 100).await.unwrap() {}
    let mut left = Vec::new();
    for msgid in ["m1", "m2", "m3"] {
        if store.created_at(&MsgId(msgid.to_owned())).await.unwrap().is_some() {
            left.push(msgid);
        }
    }
    assert_eq!(left, ["m1", "m2"], "their content is newer than their creation");
    assert_eq!(store.check().await.unwrap(), []);
}

#[tokio::test]
async fn what_was_cleared_after_new_content_keeps_the_time_of_that_content_in_sqlite() {
    let dir = tempfile::tempdir().unwrap();
    let store = first_sqlite(dir.path(), 0, &CLEARED.replace("USER", "user"));
    has_the_time_of_its_content(&store).await;
}

#[tokio::test]
async fn what_was_cleared_after_new_content_keeps_the_time_of_that_content_in_postgresql() {
    let rows = CLEARED.replace("USER", "user_key") + "UPDATE inboxes SET last = 50, pulled_to = 50";
    let database = first_postgres(0, &rows);
    let store = connect(&database.url, Arc::new(ManualClock::default())).await;
    has_the_time_of_its_content(&store).await;
}

/// The catalogs that a server of the version before may have: the shipped one, the same as an admin stored it, and one
/// of an admin's own. Each is with how often it was replaced, and with whether it becomes that of this version.
fn earlier_catalogs() -> [(String, u32, bool); 3] {
    let own = r#"{"actions":{"buy":{"template":{"en":"{actors"}}},"reasons":{}}"#;
    [(SHIPPED.to_owned(), 1, true), (SHIPPED.to_owned(), 2, false), (own.to_owned(), 1, false)]
}

/// Checks how a catalog was converted.
async fn became(store: &dyn Store, earlier: &str, changes: bool) {
    let expected = if changes { Catalog::shipped() } else { serde_json::from_str(earlier).unwrap() };
    assert_eq!(*store.catalog().await.unwrap(), expected);
    assert_eq!(store.check().await.unwrap(), []);
}

#[tokio::test]
async fn a_shipped_catalog_that_nobody_replaced_becomes_the_new_one_and_an_admin_s_stays_in_sqlite() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("server.db");
    for (catalog, version, changes) in earlier_catalogs() {
        drop(SqliteStore::open(&path, Arc::new(ManualClock::default())).unwrap());
        let file = rusqlite::Connection::open(&path).unwrap();
        file.execute("UPDATE meta SET catalog = ?1, catalog_version = ?2", (&catalog, version)).unwrap();
        drop(file);
        let store = SqliteStore::open(&path, Arc::new(ManualClock::default())).unwrap();
        became(&store, &catalog, changes).await;
    }
}

#[tokio::test]
async fn a_shipped_catalog_that_nobody_replaced_becomes_the_new_one_and_an_admin_s_stays_in_postgresql() {
    let database = Database::empty();
    for (catalog, version, changes) in earlier_catalogs() {
        drop(connect(&database.url, Arc::new(ManualClock::default())).await);
        database.sql(&format!("UPDATE meta SET catalog = '{catalog}', catalog_version = {version}"));
        let store = connect(&database.url, Arc::new(ManualClock::default())).await;
        became(&store, &catalog, changes).await;
    }
}
