//! How publications are stored: together, over connections that fail, and by whichever process comes first.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::join_all;
use tidings_model::{Actor, Catalog, Clock, Kind, Stamp};
use tidings_store::prelude::*;
use tidings_store::{Audience, Bounds, Draft, Error, Outcome, Post, Store, UserKey};
use tidings_testkit::clock::ManualClock;
use tidings_testkit::wait;
use tokio_postgres::NoTls;

use super::{connect, database};
use crate::{PostgresOptions, PostgresStore};

fn announcement() -> Draft {
    let press = Actor { id: "press".into(), name: "Press".into() };
    Draft::new(Kind::Announcement, Audience::Everyone, press)
}

async fn post(store: &dyn Store) -> Result<Post, Error> {
    match store.post(vec![announcement()], None).await? {
        Outcome::Done(mut posts) => Ok(posts.pop().unwrap()),
        Outcome::Replayed(_) => panic!("it has no key"),
    }
}

#[tokio::test]
async fn posts_that_arrive_together_share_transactions() {
    let database = database().await;
    let store = connect(&database.url, Arc::new(ManualClock::default())).await;
    for posted in join_all((0..200).map(|_| post(&store))).await {
        posted.unwrap();
    }
    // The first one, and all that come while it is under way.
    assert_eq!(database.sql("SELECT count(DISTINCT xmin::text) FROM notifications"), "2");
    assert_eq!(database.sql("SELECT count(*) FROM notifications"), "200");
}

#[tokio::test]
async fn a_post_whose_caller_has_left_is_stored_in_its_turn() {
    let database = database().await;
    let store = connect(&database.url, Arc::new(ManualClock::default())).await;
    let [mut first, mut second] = [post(&store), post(&store)].map(Box::pin);
    assert!((&mut first).now_or_never().is_none() && (&mut second).now_or_never().is_none(), "both wait");
    drop(second);
    first.await.unwrap();
    let stored = || database.sql("SELECT count(*) FROM notifications");
    wait::until("the other one is there", || async { stored() == "2" }).await;
}

#[tokio::test]
async fn posts_go_on_while_others_wait_for_the_lock_of_an_inbox() {
    let database = database().await;
    let store = connect(&database.url, Arc::new(ManualClock::default())).await;
    database.sql(
        "WITH made AS (INSERT INTO users (id, name, created_at) SELECT 'u' || n, '', 0 FROM generate_series(1, 2) n
             RETURNING key) INSERT INTO inboxes (user_key, last, pulled_to) SELECT key, 0, 0 FROM made",
    );
    let (mut holder, connection) = tokio_postgres::connect(&database.url, NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    let lock = holder.transaction().await.unwrap();
    lock.batch_execute("SELECT FROM inboxes FOR UPDATE").await.unwrap();
    let actor = Actor { id: "u1".into(), name: String::new() };
    let message = Draft::new(Kind::Message, Audience::User("u2".into()), actor);
    let mut waiting = pin!(store.post(vec![message], None));
    tokio::select! {
        biased;
        _ = &mut waiting => panic!("it did not wait"),
        posted = join_all((0..3).map(|_| post(&store))) => {
            assert!(posted.iter().all(Result::is_ok), "{posted:?}");
        }
    }
    lock.rollback().await.unwrap();
    waiting.await.unwrap();
    assert_eq!(database.sql("SELECT count(*) FROM notifications"), "4");
    drop(holder);
    connection.await.unwrap().unwrap();
}

/// The most publications of one transaction.
const MOST_TOGETHER: &str =
    "SELECT max(n) FROM (SELECT count(*) AS n FROM notifications GROUP BY xmin::text) t";

#[tokio::test]
async fn one_post_past_the_number_of_those_that_share_a_transaction_is_in_the_next() {
    let database = database().await;
    let store = connect(&database.url, Arc::new(ManualClock::default())).await;
    let store = store.with_bounds(Bounds { batch_drafts: 3, ..Bounds::default() });
    // The first one begins at once; those after it come while it is under way.
    for posted in join_all((0..8).map(|_| post(&store))).await {
        posted.unwrap();
    }
    assert_eq!(database.sql(MOST_TOGETHER), "3");
    store.post(vec![announcement(); 4], None).await.unwrap();
    assert_eq!(database.sql(MOST_TOGETHER), "4", "an array is never divided");
    assert_eq!(database.sql("SELECT count(*) FROM notifications"), "12");
}

#[tokio::test]
async fn large_posts_share_a_transaction_only_up_to_a_mebibyte_and_an_array_is_never_divided() {
    let database = database().await;
    let store = connect(&database.url, Arc::new(ManualClock::default())).await;
    let mut large = announcement();
    large.content.body = "x".repeat(100 * 1024);
    for posted in join_all((0..40).map(|_| store.post(vec![large.clone()], None))).await {
        posted.unwrap();
    }
    assert_eq!(database.sql(MOST_TOGETHER), "10");
    store.post(vec![large; 15], None).await.unwrap();
    assert_eq!(
        (database.sql(MOST_TOGETHER).as_str(), database.sql("SELECT count(*) FROM notifications").as_str()),
        ("15", "55")
    );
}

#[tokio::test]
async fn a_text_that_the_database_refuses_fails_alone() {
    let database = database().await;
    let store = connect(&database.url, Arc::new(ManualClock::default())).await;
    let with_name = |name: &str| Draft { actor_name: Some(name.into()), ..announcement() };
    // The first one begins at once; those after it share a transaction.
    let names = ["a", "b", "c", "d\0d", "e", "f"];
    let posted = join_all(names.map(|name| store.post(vec![with_name(name)], None))).await;
    let stored: Vec<bool> = posted.iter().map(Result::is_ok).collect();
    assert_eq!(stored, [true, true, true, false, true, true]);
    assert!(matches!(&posted[3], Err(Error::Refused(problem)) if problem.code.as_str() == "invalid"));
    assert_eq!(database.sql("SELECT count(*) FROM notifications"), "5");
}

/// Many users, so that PostgreSQL plans as on a real server. A few of them write to each other from two processes: the
/// rows of their inboxes are changed while others wait to lock them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everybody_is_known_to_those_who_write_to_the_same_people_at_the_same_time() {
    let database = database().await;
    let clock: Arc<dyn Clock> = Arc::new(ManualClock::default());
    let stores = [connect(&database.url, Arc::clone(&clock)).await, connect(&database.url, clock).await];
    database.sql(
        "WITH made AS (INSERT INTO users (id, name, created_at) SELECT 'u' || n, '', 0 FROM generate_series(1, 5000) n
             RETURNING key) INSERT INTO inboxes (user_key, last, pulled_to) SELECT key, 0, 0 FROM made",
    );
    database.sql("ANALYZE users, inboxes");
    let message = |from: usize, to: usize| {
        let actor = Actor { id: format!("u{from}"), name: String::new() };
        Draft::new(Kind::Message, Audience::User(format!("u{to}")), actor)
    };
    for round in 1..=10 {
        let posting = (0..400).map(|n| {
            let (from, to) = (n % 40 + 1, (n * round) % 40 + 1);
            stores[n % 2].post(vec![message(from, to)], None)
        });
        for posted in join_all(posting).await {
            posted.unwrap();
        }
    }
    assert_eq!(database.sql("SELECT count(*) FROM notifications"), "4000");
    let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    assert_eq!(database.sql(deadlocks), "0", "everybody locks in one order");
}

/// Cuts every connection again and again while posts go on: an acknowledged post is there once, a refused one is not
/// there.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_connection_that_is_cut_neither_loses_nor_doubles_a_post() {
    let database = Arc::new(database().await);
    let store = connect(&database.url, Arc::new(ManualClock::default())).await;
    let cutting = tokio::task::spawn_blocking({
        let database = Arc::clone(&database);
        move || (0..6).for_each(|_| database.cut_connections())
    });
    let (mut acknowledged, mut unknown) = (Vec::new(), 0);
    loop {
        let last = cutting.is_finished();
        for posted in join_all((0..16).map(|_| post(&store))).await {
            match posted {
                Ok(post) => acknowledged.push(post.posted.msgid.0),
                Err(e) if e.is_outcome_unknown() => unknown += 1,
                Err(Error::Refused(problem)) => panic!("{problem}"),
                Err(_) => {}
            }
        }
        if last {
            break;
        }
    }
    cutting.await.unwrap();
    wait::until("it recovers by itself", || async { post(&store).await.is_ok() }).await;
    acknowledged.sort();
    let listed = database.sql("SELECT msgid FROM notifications ORDER BY msgid COLLATE \"C\"");
    let stored: Vec<&str> = listed.lines().collect();
    assert!(
        acknowledged.iter().all(|msgid| stored.binary_search(&msgid.as_str()).is_ok()),
        "nothing is lost"
    );
    // The posts of the wait were not noted.
    assert!(stored.len() <= acknowledged.len() + unknown + 2, "{} are stored", stored.len());
    assert_eq!(store.check().await.unwrap(), []);
}

/// Ends every transaction that comes to a trigger, as if another one had been first, except the third and the ninth.
const INTERRUPT: &str = "
    CREATE SEQUENCE attempts;
    CREATE FUNCTION interrupt() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('attempts') NOT IN (3, 9) THEN
            RAISE EXCEPTION 'another transaction was first' USING ERRCODE = TG_ARGV[0];
        END IF;
        RETURN NULL;
    END $$;";

#[tokio::test]
async fn what_another_transaction_interrupts_is_tried_three_times() {
    for code in ["40001", "40P01"] {
        let database = database().await;
        let store = connect(&database.url, Arc::new(ManualClock::default())).await;
        database.sql(INTERRUPT);
        database.sql(&format!(
            "CREATE TRIGGER interrupt AFTER INSERT ON notifications EXECUTE FUNCTION interrupt('{code}');
             CREATE TRIGGER interrupt AFTER UPDATE ON meta EXECUTE FUNCTION interrupt('{code}')"
        ));
        let attempts = || database.sql("SELECT last_value FROM attempts");
        post(&store).await.unwrap();
        assert_eq!(attempts(), "3", "{code}");
        assert!(matches!(post(&store).await, Err(Error::Interrupted(_))), "{code}");
        assert_eq!((attempts().as_str(), &*database.sql("SELECT count(*) FROM notifications")), ("6", "1"));
        // What is no post, likewise.
        store.set_catalog(Catalog::default()).await.unwrap();
        assert!(matches!(store.set_catalog(Catalog::default()).await, Err(Error::Interrupted(_))), "{code}");
        assert_eq!(attempts(), "12", "{code}");
    }
}

#[tokio::test]
async fn a_post_does_not_wait_for_ever_for_who_holds_the_log() {
    let database = database().await;
    let store = connect(&database.url, Arc::new(ManualClock::default())).await;
    let other = connect(&database.url, Arc::new(ManualClock::default())).await;
    // A process that stops within a transaction: the database ends it after a second.
    let mut frozen = other.begin().await.unwrap();
    frozen.creation_stamp().await.unwrap();
    let began = Instant::now();
    post(&store).await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    assert!(frozen.commit().await.is_err(), "its transaction was ended");
    assert_eq!(database.sql("SELECT count(*) FROM notifications"), "1");
}

#[tokio::test]
async fn a_process_that_stops_with_several_transactions_holds_the_others_for_three_seconds_at_most() {
    let database = database().await;
    let store = connect(&database.url, Arc::new(ManualClock::default())).await;
    let other = connect(&database.url, Arc::new(ManualClock::default())).await;
    let (mut first, mut second) = (other.begin().await.unwrap(), other.begin().await.unwrap());
    first.creation_stamp().await.unwrap();
    // It comes next when the first one was ended.
    let queued = second.creation_stamp();
    tokio::pin!(queued);
    let waits =
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    tokio::select! {
        _ = &mut queued => panic!("the first one holds the log"),
        () = wait::until("it waits for the log", || async { database.sql(waits) == "1" }) => {}
    }
    let began = Instant::now();
    post(&store).await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
}

#[tokio::test]
async fn two_processes_hand_out_stamps_in_one_order_whatever_their_clocks_say() {
    let database = database().await;
    let clock = ManualClock::default();
    let behind = ManualClock::at(clock.now().plus_secs(-3_600));
    let stores =
        [connect(&database.url, Arc::new(clock)).await, connect(&database.url, Arc::new(behind)).await];
    let mut last = Stamp::ZERO;
    for n in 0..10 {
        let stamp = post(&stores[n % 2]).await.unwrap().posted.stamp;
        assert!(stamp > last);
        last = stamp;
        // Even by a process that has heard nothing of it, no stamp lies ahead of the creations.
        assert_eq!(stores[(n + 1) % 2].position(UserKey(0)).await.unwrap(), stamp);
    }
}

#[tokio::test]
async fn the_pool_gives_up_after_two_seconds() {
    let database = database().await;
    let options = PostgresOptions { connections: 1, ..PostgresOptions::default() };
    let store =
        PostgresStore::connect_under(&database.url, Arc::new(ManualClock::default()), options).await.unwrap();
    let _taken = store.session().await.unwrap();
    let began = Instant::now();
    assert!(matches!(store.user("alice").await, Err(Error::Unavailable(_))));
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}
