//! Tests of the store on its files: the conformance suite, the differences that `check` finds, and the work of each
//! operation.

mod fairness;
mod gotify;
mod plans;
mod searches;
mod work_bounds;

use std::sync::Arc;

use rusqlite::Connection;
use tidings_conformance::small_bounds;
use tidings_store::Store;

use super::SqliteStore;
use tidings_testkit::clock::ManualClock;

/// A store in a temporary folder of its own.
fn make(clock: Arc<ManualClock>) -> std::future::Ready<(Arc<dyn Store>, tempfile::TempDir)> {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&dir.path().join("server.db"), clock).unwrap();
    std::future::ready((Arc::new(store), dir))
}

/// The same with the smallest bounds.
fn make_small(clock: Arc<ManualClock>) -> std::future::Ready<(Arc<dyn Store>, tempfile::TempDir)> {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&dir.path().join("server.db"), clock).unwrap();
    std::future::ready((Arc::new(store.with_bounds(small_bounds())), dir))
}

tidings_conformance::store_conformance!(make, make_small);

/// Changes of rows past the server, each with the beginning of the difference that `check` has to report.
const CORRUPTIONS: [(&str, &str); 23] = [
    ("unread mark", "UPDATE items SET unread = 0 WHERE kind = 2"),
    (
        "unread mark",
        "UPDATE items SET auto = 1, revised_at = created_at + 1000000000, unread = 0 WHERE kind = 2",
    ),
    ("bytes of files", "UPDATE meta SET file_bytes = file_bytes + 1"),
    ("class", "UPDATE items SET auto = 0 WHERE kind = 3"),
    ("kind", "UPDATE items SET kind = 2 WHERE kind = 1"),
    ("view", "UPDATE items SET view = 'topic:other' WHERE kind = 2"),
    ("thread", "UPDATE items SET action = 'other' WHERE kind = 2"),
    ("whether", "UPDATE items SET own = 1, unread = 0 WHERE kind = 1"),
    ("stamps beyond", "UPDATE read_marks SET mark = mark + 1000000000"),
    ("removed user alice, who is there", "UPDATE former_users SET id = 'alice'"),
    (
        "removed user gone, who is there as alice",
        "UPDATE former_users SET key = (SELECT key FROM users WHERE id = 'alice')",
    ),
    (
        "closed conversation user:carol of alice",
        "INSERT INTO closed_conversations SELECT key, 'user:carol', 'Carol', 1 FROM users WHERE id = 'alice'",
    ),
    ("members of whom the sender", "UPDATE group_messages SET told_count = 1"),
    ("members of whom the sender", "UPDATE group_messages SET told_count = -1"),
    ("open question of", "UPDATE notifications SET content = '{\"title\":\"x\"}' WHERE kind = 1"),
    ("open question of", "DELETE FROM open_questions"),
    ("mark that archived", "UPDATE items SET archived_at = 2, archive_marked_at = 1 WHERE kind = 1"),
    ("times of marks of alice", "UPDATE items SET read_marked_at = 9000000000000000000 WHERE kind = 1"),
    ("times of marks of alice", "UPDATE items SET snooze_marked_at = -9000000000000000000 WHERE kind = 1"),
    ("stamps beyond", "UPDATE former_users SET removed_at = removed_at + 1000000000"),
    ("stamps beyond", "UPDATE groups SET ended_at = changed_at + 1000000000"),
    ("how far retention came", "UPDATE meta SET swept_to = forgotten_before + 1"),
    ("ids of revisions of no notification", "INSERT INTO revision_ids (stamp, created_at) VALUES (2, 1)"),
];

#[tokio::test]
async fn a_check_compares_more_than_counts() {
    for (what, sql) in CORRUPTIONS {
        let clock = Arc::new(ManualClock::default());
        let (store, dir) = make(clock.clone()).await;
        tidings_conformance::fill_what_is_checked(&*store, &clock).await;
        Connection::open(dir.path().join("server.db")).unwrap().execute_batch(sql).unwrap();
        let found = store.check().await.unwrap();
        assert!(found.iter().any(|d| d.what.starts_with(what)), "{sql}: {found:?}");
    }
}

#[tokio::test]
async fn one_difference_past_the_bound_is_told_and_repaired() {
    let (store, dir) = make_small(Arc::default()).await;
    let file = dir.path().join("server.db");
    let corrupt = |sql: &str| Connection::open(&file).unwrap().execute_batch(sql).unwrap();
    tidings_conformance::one_difference_past_the_bound_is_told_and_repaired(&*store, corrupt).await;
}

#[tokio::test]
async fn the_newest_stamp_outlives_the_publication_that_tells_it() {
    use tidings_model::{Actor, Kind};
    use tidings_store::{Audience, Draft, Outcome};
    let (store, dir) = make(Arc::default()).await;
    let by = Actor { id: "bob".into(), name: "Bob".into() };
    let draft = Draft::new(Kind::Announcement, Audience::Everyone, by);
    let Outcome::Done(posts) = store.post(vec![draft], None).await.unwrap() else { panic!() };
    let newest = posts[0].posted.stamp;
    let file = Connection::open(dir.path().join("server.db")).unwrap();
    let written = || file.query_row("SELECT last_stamp FROM meta", [], |r| r.get::<_, i64>(0)).unwrap();
    assert!(written() < newest.as_micros(), "its row tells it, and no other is written");
    assert_eq!(store.meta().await.unwrap().last_stamp, newest);
    while store.prune(Some(newest.plus_micros(1)), 9).await.unwrap() {}
    assert_eq!(written(), newest.as_micros());
    assert_eq!(store.meta().await.unwrap().last_stamp, newest);
}
