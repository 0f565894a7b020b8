//! Epochs, leases, months and what `check` finds.

use std::sync::Arc;

use tidings_model::{Actor, Clock, Kind, Lang, Stamp};
use tidings_store::domain::expectation::Watch;
use tidings_store::prelude::*;
use tidings_store::{Audience, Draft, Outcome, UserKey};
use tidings_testkit::clock::ManualClock;

use super::{connect, database, make_small};
use crate::{PostgresOptions, PostgresStore};

fn by() -> Actor {
    Actor { id: "bob".into(), name: "Bob".into() }
}

#[tokio::test]
async fn another_server_or_timeline_begins_a_new_epoch_unless_nothing_is_lost() {
    let database = database().await;
    let again = async |lossless_failover| {
        let options = PostgresOptions { lossless_failover, ..PostgresOptions::default() };
        let store = PostgresStore::connect_under(&database.url, Arc::new(ManualClock::default()), options)
            .await
            .unwrap();
        (store.epoch().await.unwrap(), store.instance().to_owned())
    };
    let (first, instance) = again(false).await;
    assert_eq!(again(false).await, (first.clone(), instance.clone()), "a restart is none");
    // The state after the promotion of a standby.
    let promoted = "UPDATE meta SET origin = split_part(origin, ':', 1) || ':FFFFFFFF'";
    database.sql(promoted);
    assert_eq!(again(true).await.0, first);
    database.sql(promoted);
    let second = again(false).await;
    assert_ne!(second.0, first);
    assert_eq!(second.1, instance, "it is the same database");
    // The state after a copy to another server.
    database.sql("UPDATE meta SET origin = '1:' || split_part(origin, ':', 2)");
    assert_ne!(again(true).await.0, second.0);
}

#[tokio::test]
async fn a_process_that_runs_notices_a_promotion_with_its_next_connection() {
    let database = database().await;
    let store = connect(&database.url, Arc::new(ManualClock::default())).await;
    let before = store.epoch().await.unwrap();
    database.sql("UPDATE meta SET origin = split_part(origin, ':', 1) || ':FFFFFFFF'");
    database.cut_connections();
    tidings_testkit::wait::until("a new epoch", || async {
        store.epoch().await.is_ok_and(|epoch| epoch != before)
    })
    .await;
}

#[tokio::test]
async fn retention_drops_the_months_that_have_passed() {
    let database = database().await;
    // The first of March 2026, some hours in.
    let clock = ManualClock::at(Stamp::from_secs(1_772_340_000));
    let store = connect(&database.url, Arc::new(clock.clone())).await;
    let Outcome::Done(alice) = store.add_user("alice", "Alice", None).await.unwrap() else {
        panic!("no key")
    };
    let post = async || {
        let drafts = vec![
            Draft::new(Kind::Announcement, Audience::Everyone, by()),
            Draft::new(Kind::Message, Audience::User("alice".into()), by()),
        ];
        store.post(drafts, None).await.unwrap();
        while store.fan_in(alice.key).await.unwrap() {}
    };
    post().await;
    let exists =
        |month: &str| database.sql(&format!("SELECT to_regclass('notifications_{month}') IS NOT NULL"));
    assert_eq!(
        (exists("2026_03"), exists("2026_04"), exists("2026_05")),
        ("t".into(), "t".into(), "f".into())
    );
    clock.advance(40 * 24 * 3_600);
    assert!(!store.prune(None, 10).await.unwrap());
    assert_eq!(exists("2026_05"), "t", "made ahead of time");
    post().await;
    while store.prune(Some(clock.now().plus_secs(-3_600)), 10).await.unwrap() {}
    assert_eq!((exists("2026_03"), exists("2026_04")), ("f".into(), "t".into()));
    assert_eq!(store.sync(alice.key, Stamp::ZERO, 10).await.unwrap().items().unwrap().len(), 2);
    assert_eq!(store.check().await.unwrap(), []);
}

#[tokio::test]
async fn upkeep_is_done_by_one_process_until_it_is_gone() {
    let database = database().await;
    let clock = ManualClock::default();
    let store = connect(&database.url, Arc::new(clock.clone())).await;
    store.add_user("alice", "Alice", None).await.unwrap();
    let announcement = Draft::new(Kind::Announcement, Audience::Everyone, by());
    store.post(vec![announcement], None).await.unwrap();
    clock.advance(10);
    let prune = async || while store.prune(Some(clock.now()), 10).await.unwrap() {};
    let kept = || database.sql("SELECT count(*) FROM notifications");
    database.sql(
        "INSERT INTO leases SELECT name, 'another process', now() + interval '1 minute'
             FROM unnest(ARRAY['reconcile', 'prune']) AS l (name)",
    );
    assert_eq!(store.reconcile(UserKey(0), Stamp::ZERO, 10).await.unwrap(), (vec![], None));
    prune().await;
    assert_eq!(kept(), "1");
    database.sql("UPDATE leases SET expires = now() - interval '1 second'");
    assert!(store.reconcile(UserKey(0), Stamp::ZERO, 10).await.unwrap().1.is_some());
    prune().await;
    assert_eq!(kept(), "0");
}

/// Changes of rows past the server, each with the beginning of the difference that `check` has to report.
const CORRUPTIONS: [(&str, &str); 27] = [
    ("unread mark", "UPDATE items SET unread = 0 WHERE kind = 2"),
    (
        "unread mark",
        "UPDATE items SET auto = true, revised_at = created_at + 1000000000, unread = 0 WHERE kind = 2",
    ),
    ("bytes of files", "UPDATE counters SET file_bytes = file_bytes + 1"),
    ("users", "UPDATE counters SET user_count = user_count + 1"),
    ("inboxes", "DELETE FROM inboxes"),
    ("class", "UPDATE items SET auto = false WHERE kind = 3"),
    ("kind", "UPDATE items SET kind = 2 WHERE kind = 1"),
    ("view", "UPDATE items SET view = 'topic:other' WHERE kind = 2"),
    ("thread", "UPDATE items SET action = 'other' WHERE kind = 2"),
    ("whether", "UPDATE items SET own = true, unread = 0 WHERE kind = 1"),
    ("stamps beyond the newest one of the log", "UPDATE read_marks SET mark = mark + 1000000000"),
    ("stamps beyond the newest one of alice", "UPDATE items SET stamp = stamp + 1000000000"),
    ("items of alice without", "DELETE FROM notifications WHERE kind = 1"),
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
    (
        "stamps beyond the newest one of the log",
        "UPDATE former_users SET removed_at = removed_at + 1000000000",
    ),
    ("stamps beyond the newest one of the log", "UPDATE groups SET ended_at = changed_at + 1000000000"),
    ("how far retention came", "UPDATE meta SET swept_to = forgotten_before + 1"),
    ("what belongs to no notification", "INSERT INTO revision_ids (stamp, created_at) VALUES (2, 1)"),
];

#[tokio::test]
async fn a_check_compares_more_than_counts_and_a_recount_repairs() {
    let database = database().await;
    let clock = Arc::new(ManualClock::default());
    let store = connect(&database.url, clock.clone()).await;
    tidings_conformance::fill_what_is_checked(&store, &clock).await;
    database.sql("UPDATE items SET unread = 0; DELETE FROM conversations");
    let (found, _) = store.reconcile(UserKey(0), Stamp::ZERO, 10).await.unwrap();
    assert!(found.len() >= 3, "{found:?}");
    assert_eq!(store.check().await.unwrap(), []);
    // A copy of the rows to go back to.
    let tables = [
        "items",
        "counters",
        "inboxes",
        "read_marks",
        "notifications",
        "former_users",
        "closed_conversations",
        "group_messages",
        "open_questions",
        "meta",
        "revision_ids",
    ];
    for table in tables {
        database.sql(&format!("CREATE TABLE kept_{table} AS SELECT * FROM {table}"));
    }
    database.sql("ALTER TABLE kept_items DROP COLUMN content_at");
    for (what, sql) in CORRUPTIONS {
        database.sql(sql);
        let found = store.check().await.unwrap();
        assert!(found.iter().any(|d| d.what.starts_with(what)), "{sql}: {found:?}");
        for table in tables {
            let columns = database.sql(&format!(
                "SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute
                 WHERE attrelid = 'kept_{table}'::regclass AND attnum > 0 AND NOT attisdropped"
            ));
            database.sql(&format!(
                "DELETE FROM {table}; INSERT INTO {table} ({columns}) SELECT {columns} FROM kept_{table}"
            ));
        }
        // Their members refer to them.
        database.sql("UPDATE groups SET ended_at = 0");
        assert_eq!(store.check().await.unwrap(), [], "after {sql}");
    }
}

#[tokio::test]
async fn one_difference_past_the_bound_is_told_and_repaired() {
    let (store, database) = make_small(Arc::default()).await;
    let corrupt = |sql: &str| drop(database.sql(sql));
    tidings_conformance::one_difference_past_the_bound_is_told_and_repaired(&*store, corrupt).await;
}

#[tokio::test]
async fn of_several_processes_that_look_at_once_one_says_that_a_topic_is_silent() {
    let database = database().await;
    let clock = ManualClock::default();
    let first = connect(&database.url, Arc::new(clock.clone())).await;
    let second = connect(&database.url, Arc::new(clock.clone())).await;
    first.expect("job", Some(120)).await.unwrap();
    let watch = Watch { lang: Lang::En, owner: None, retain_secs: None, portion: 64 };
    let mut told = 0;
    for _ in 0..6 {
        clock.advance(30);
        let looks = tokio::join!(
            first.watch_expectations(watch),
            second.watch_expectations(watch),
            first.watch_expectations(watch),
            second.watch_expectations(watch),
        );
        for watched in [looks.0, looks.1, looks.2, looks.3] {
            told += watched.unwrap().posts.len();
        }
    }
    assert_eq!(told, 1);
    // One that goes on where another ended counts its time too.
    drop(first);
    second.post(vec![Draft::on_topic("job", None)], None).await.unwrap();
    clock.advance(30);
    assert_eq!(second.watch_expectations(watch).await.unwrap().posts.len(), 1, "it is back");
    assert_eq!(second.check().await.unwrap(), []);
}
