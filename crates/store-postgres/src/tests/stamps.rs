//! What two nodes post beside a pull: nothing is missed. That check has a control: if stamps are handed out without a
//! lock until the commit, it has to find what a pull misses.

use std::sync::Arc;

use tidings_conformance::{Pulled, post_beside_pulls};
use tidings_store::domain::account::UserKey;
use tidings_store::prelude::*;
use tidings_store::{Outcome, Store, TargetRef};
use tidings_testkit::clock::ManualClock;
use tidings_testkit::wait;

use super::{connect, database};
use crate::PostgresStore;

/// Lets a transaction that has stamps pause for up to 20 ms, so that transactions overlap however the machine schedules
/// them.
const PAUSES: &str = "
    CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_sleep(random() * 0.02); RETURN NEW; END';
    CREATE TRIGGER pause AFTER UPDATE ON log FOR EACH ROW EXECUTE FUNCTION pause()";

/// Puts a sequence in the place of the log's row. It hands out the same stamps in the same order, and lets the next one
/// have its stamps before these are visible. The pauses are those of [`PAUSES`].
const WITHOUT_LOCK: &str = "
    CREATE SEQUENCE handed_out MINVALUE 0;
    SELECT setval('handed_out', greatest((SELECT last FROM log), 1));
    DROP TABLE log;
    CREATE FUNCTION newest() RETURNS bigint LANGUAGE plpgsql AS
        'BEGIN RETURN (SELECT last_value FROM handed_out); END';
    CREATE VIEW log AS SELECT newest() AS last;
    CREATE FUNCTION hand_out() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM pg_advisory_lock(1);
        NEW.last := setval('handed_out',
            greatest(NEW.last, (SELECT last_value FROM handed_out) + NEW.last - OLD.last));
        PERFORM pg_advisory_unlock(1);
        PERFORM pg_sleep(random() * 0.02);
        RETURN NEW;
    END $$;
    CREATE TRIGGER hand_out INSTEAD OF UPDATE ON log FOR EACH ROW EXECUTE FUNCTION hand_out()";

/// Two handles on the database, as two nodes have them, and a reader whom their posts reach.
async fn two_nodes(url: &str) -> ([PostgresStore; 2], UserKey) {
    let clock = Arc::new(ManualClock::default());
    let nodes = [connect(url, clock.clone()).await, connect(url, clock).await];
    let mut reader = None;
    for id in ["alice", "bob"] {
        let Outcome::Done(user) = nodes[0].add_user(id, id, None).await.unwrap() else { panic!("no key") };
        reader = reader.or(Some(user.key));
    }
    let reader = reader.unwrap();
    let target = TargetRef { kind: "article".into(), id: "1".into() };
    nodes[0].subscribe(reader, target, vec!["like".into()], None).await.unwrap();
    (nodes, reader)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_two_nodes_post_beside_a_pull_is_pulled_once() {
    let database = database().await;
    let ([one, two], reader) = two_nodes(&database.url).await;
    database.sql(PAUSES);
    let found = post_beside_pulls(&[&one, &two], reader).await;
    assert_eq!(found, Pulled { is_ordered: true, ..Pulled::default() });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_check_of_pulls_beside_posts_finds_what_is_missed_where_nothing_locks_the_log() {
    let database = database().await;
    let ([one, two], reader) = two_nodes(&database.url).await;
    database.sql(WITHOUT_LOCK);

    let stores: [&dyn Store; 2] = [&one, &two];
    let Pulled { missed, shared_stamps, .. } = wait::until("something is missed", || async {
        let found = post_beside_pulls(&stores, reader).await;
        (!found.missed.is_empty()).then_some(found)
    })
    .await;
    assert!(!missed.is_empty() && shared_stamps.is_empty());
}
