//! Hints over a Redis of the test's own, and over the database: what one process changes another one hears.

use std::sync::Arc;

use futures_util::FutureExt;
use tidings_store::prelude::*;
use tidings_store::{Bounds, Draft, Outcome, Recipients};
use tidings_testkit::clock::ManualClock;
use tidings_testkit::postgres::Database;
use tidings_testkit::redis::Redis;
use tidings_testkit::wait;

use super::redis::{add_user, write};
use super::{connect, database};
use crate::{PostgresOptions, PostgresStore};

/// A handle on a database whose hints go over a bus.
async fn with_bus(database: &Database, redis: &Redis) -> PostgresStore {
    let bus = Some(redis.url().parse().unwrap());
    let options = PostgresOptions { bus, ..PostgresOptions::default() };
    PostgresStore::connect_under(&database.url, Arc::new(ManualClock::default()), options).await.unwrap()
}

/// A database with the user ann.
async fn with_ann() -> Database {
    let database = database().await;
    let store = connect(&database.url, Arc::new(ManualClock::default())).await;
    add_user(&store, "ann").await;
    database
}

/// Waits until this many listen on some bus.
async fn listening(redis: &Redis, count: &str, command: &[&str]) {
    wait::until("both listen", || async {
        let channels = redis.ask(&["PUBSUB", command[0]]);
        let Some(channel) = channels.lines().find(|name| name.starts_with("tidings:")) else { return false };
        redis.ask(&["PUBSUB", command[1], channel]).lines().last() == Some(count)
    })
    .await;
}

/// What one handle changes the other one hears, and not the one itself.
async fn hears(one: &PostgresStore, two: &PostgresStore) {
    for store in [one, two] {
        // The first one says that it listens now.
        wait::within_timeout("the beginning", store.others_changed()).await;
    }
    write(one, "ann", "ann").await;
    wait::within_timeout("the hint", two.others_changed()).await;
    assert!(one.others_changed().now_or_never().is_none(), "its own hint");
}

#[tokio::test]
async fn without_a_bus_a_change_is_heard_over_the_database_by_the_other_nodes() {
    let (database, elsewhere) = (with_ann().await, with_ann().await);
    let connect = async |url| super::connect(url, Arc::new(ManualClock::default())).await;
    let (one, two) = (connect(&database.url).await, connect(&database.url).await);
    let other = connect(&elsewhere.url).await;
    wait::within_timeout("the beginning", other.others_changed()).await;
    hears(&one, &two).await;
    assert!(other.others_changed().now_or_never().is_none(), "another database of the same cluster");
}

#[tokio::test]
async fn a_change_is_heard_over_the_bus_by_the_other_nodes_of_the_same_system() {
    let redis = Redis::start();
    let (database, elsewhere) = (with_ann().await, database().await);
    let (one, two) = (with_bus(&database, &redis).await, with_bus(&database, &redis).await);
    listening(&redis, "2", &["SHARDCHANNELS", "SHARDNUMSUB"]).await;
    let other = with_bus(&elsewhere, &redis).await;
    wait::within_timeout("the beginning", other.others_changed()).await;
    hears(&one, &two).await;
    assert!(other.others_changed().now_or_never().is_none(), "another system");
    assert_eq!(redis.ask(&["PUBSUB", "SHARDCHANNELS"]).lines().count(), 2, "a channel for each system");
}

#[tokio::test]
async fn an_older_redis_serves_as_a_bus_too_and_one_that_was_killed_is_found_again() {
    let mut redis = Redis::start_with(&["--rename-command", "SSUBSCRIBE", ""]);
    let database = with_ann().await;
    let (one, two) = (with_bus(&database, &redis).await, with_bus(&database, &redis).await);
    listening(&redis, "2", &["CHANNELS", "NUMSUB"]).await;
    hears(&one, &two).await;

    redis.kill();
    wait::within_timeout("the loss is noticed", two.others_changed()).await;
    redis.restart();
    listening(&redis, "2", &["CHANNELS", "NUMSUB"]).await;
    for store in [&one, &two] {
        while store.others_changed().now_or_never().is_some() {}
    }
    write(&one, "ann", "ann").await;
    wait::within_timeout("the hint", two.others_changed()).await;
}

#[tokio::test]
async fn another_process_hears_who_has_what_is_revised() {
    let (database, clock) = (database().await, Arc::new(ManualClock::default()));
    let (one, two) = (connect(&database.url, clock.clone()).await, connect(&database.url, clock).await);
    let run = || Draft { sequence: Some("run".into()), ..Draft::on_topic("job", None) };
    let Outcome::Done(posts) = one.post(vec![run()], None).await.unwrap() else { panic!("it has no key") };
    let created_at = posts.first().unwrap().posted.stamp;
    one.post(vec![run()], None).await.unwrap();
    let changes = two.changes_since(created_at, &[]).await.unwrap();
    let told: Vec<Recipients> = changes.posts.into_iter().map(|(_, recipients)| recipients).collect();
    assert_eq!(told, [Recipients::of_topic("job").revised(created_at)]);
}

#[tokio::test]
async fn of_more_publications_than_are_named_another_process_hears_that_they_may_be_for_everybody() {
    let (database, clock) = (database().await, Arc::new(ManualClock::default()));
    let (one, two) = (connect(&database.url, clock.clone()).await, connect(&database.url, clock).await);
    let two = two.with_bounds(Bounds { others_posts: 3, ..Bounds::default() });
    one.post(vec![Draft::on_topic("job", None)], None).await.unwrap();
    let mut since = two.published_through().await.unwrap();
    // What comes under a name once more is revised.
    for (names, are_named) in [(0..2, true), (0..2, true), (2..5, false), (2..5, false), (5..10, false)] {
        let named = |n: i32| Draft { sequence: Some(n.to_string()), ..Draft::on_topic("job", None) };
        let drafts: Vec<Draft> = names.map(named).collect();
        one.post(drafts.clone(), None).await.unwrap();
        let changes = two.changes_since(since, &[]).await.unwrap();
        assert_eq!(changes.is_complete, are_named, "{} publications", drafts.len());
        assert!(!are_named || changes.posts.len() == drafts.len(), "each of them is named");
        since = two.published_through().await.unwrap();
        assert_eq!(changes.upto, since, "whoever goes on has passed all of them");
    }
}
