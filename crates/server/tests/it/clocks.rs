//! Tests of nodes over one PostgreSQL database, one of which has a wrong clock.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use tidings_model::{Clock, Stamp, SystemClock};
use tidings_server::{Server, ServerConfig};
use tidings_testkit::clock::ManualClock;
use tidings_testkit::postgres::Database;

use crate::support::{Client, Running, logged, start_in, until};

const DAY_AND_HOUR: i64 = 25 * 3_600;

/// A node over a database, whose clock is off by so many seconds.
async fn node(database: &Database, off: i64) -> Running {
    node_with(database, off, |_| ()).await
}

async fn node_with(database: &Database, off: i64, more: impl FnOnce(&mut ServerConfig)) -> Running {
    let clock = Arc::new(ManualClock::running());
    clock.advance(off);
    let store = database.url.parse().unwrap();
    let configure = |config: &mut ServerConfig| {
        config.store = store;
        more(config);
    };
    start_in(Arc::new(tempfile::tempdir().unwrap()), clock, configure).await
}

#[tokio::test]
async fn a_key_is_done_once_and_a_delay_ends_in_time_at_a_node_whose_clock_is_a_day_off() {
    let database = Database::empty();
    let right = node(&database, 0).await;
    for off in [DAY_AND_HOUR, -DAY_AND_HOUR] {
        let wrong = node(&database, off).await;
        assert_eq!(wrong.admin.get("health/ready").await.status, 503, "its clock is named there");
        // The token of the administrator is another one at each node; a key is of one token.
        let there = Client::new(&wrong.url, &right.admin.token);
        for (n, [first, second]) in [[&right.admin, &there], [&there, &right.admin]].into_iter().enumerate() {
            let key = format!("key {off} {n}");
            let announcement = json!({"title": "once"});
            let posted = first.post_keyed("announcements", announcement.clone(), &key).await.unwrap().is(201);
            let again = second.post_keyed("announcements", announcement, &key).await.unwrap().is(201);
            assert_eq!(again, posted, "{key}");
        }
        let delayed = there.request(Method::POST, "/ops").header("In", "1h").body("in an hour");
        let due = there.send(delayed).await.is(200)["time"].as_i64().unwrap();
        let in_an_hour = SystemClock.now().as_secs() + 3_600;
        assert!((due - in_an_hour).abs() < 600, "{due} is not about {in_an_hour}");
        let now: Stamp = there.get("info").await.is(200)["now"].as_str().unwrap().parse().unwrap();
        assert!(now.as_micros().abs_diff(SystemClock.now().as_micros()) < 600_000_000, "{now}");
    }
    let announcements = right.admin.get("inbox").await.is(200)["items"].as_array().unwrap().len();
    assert_eq!(announcements, 4);
}

#[tokio::test]
async fn a_node_a_year_ahead_takes_no_lease_deletes_and_delivers_nothing_and_gives_stamps_of_the_database() {
    const YEAR: i64 = 365 * 24 * 3_600;
    // Everything is old at once.
    let strict = |config: &mut ServerConfig| {
        config.retain = Some(Duration::from_millis(1));
        config.upkeep_interval = Duration::from_millis(20);
    };
    logged();
    let database = Database::empty();
    let right = node(&database, 0).await;
    let token = right.admin.token.clone();
    right.admin.post("announcements", json!({"title": "precious"})).await.is(201);
    right.stop().await;
    let due = SystemClock.now().as_micros();
    database.sql(&format!(
        "DELETE FROM leases; INSERT INTO scheduled (msgid, deliver_at, draft) VALUES ('m', {due}, '{{}}')"
    ));
    let before = database.sql("SELECT last FROM log");
    let wrong = node_with(&database, YEAR, strict).await;
    until("it says why it does no upkeep", || async {
        logged().contains("this server is not ready, so it leaves upkeep to the others")
    })
    .await;
    assert_eq!(wrong.admin.get("health/ready").await.status, 503);
    assert_eq!(database.sql("SELECT last FROM log"), before, "a start moves no stamp");
    // What the node itself is asked for goes by the clock of the database, too.
    let there = Client::new(&wrong.url, &token);
    let posted = there.post("announcements", json!({"title": "by the wrong node"})).await.is(201);
    let stamp: Stamp = posted["stamp"].as_str().unwrap().parse().unwrap();
    assert!(stamp.as_micros().abs_diff(SystemClock.now().as_micros()) < 600_000_000, "{stamp}");
    assert_eq!(database.sql("SELECT count(*) FROM leases"), "0");
    assert_eq!(database.sql("SELECT count(*) FROM notifications"), "2");
    assert_eq!(database.sql("SELECT count(*) FROM scheduled"), "1");
    // A node whose clock is right does what is to be done.
    let _right = node_with(&database, 0, strict).await;
    until("what is old is deleted", || async { database.sql("SELECT count(*) FROM notifications") == "0" })
        .await;
    until("what is due is taken", || async { database.sql("SELECT count(*) FROM scheduled") == "0" }).await;
}

#[tokio::test]
async fn a_start_moves_no_stamp_and_the_clock_of_the_database_a_month_on_holds_retention() {
    let database = Database::empty();
    let strict = |config: &mut ServerConfig| {
        config.retain = Some(Duration::from_secs(24 * 3_600));
        config.upkeep_interval = Duration::from_millis(20);
    };
    let s = node(&database, 0).await;
    s.admin.post("announcements", json!({"title": "precious"})).await.is(201);
    s.stop().await;
    // To the database everything is a month ago, which is what its clock a month ahead looks like.
    let month_ago = SystemClock.now().plus_secs(-30 * 24 * 3_600).as_micros();
    database.sql(&format!(
        "UPDATE notifications SET created_at = {month_ago}; UPDATE log SET last = {month_ago}; DELETE FROM items"
    ));
    let server = Server::open(
        {
            let mut config = ServerConfig::new(tempfile::tempdir().unwrap().path());
            config.store = database.url.parse().unwrap();
            config
        },
        Arc::new(SystemClock),
    )
    .await
    .unwrap();
    let admin = server.users().await.unwrap().remove(0);
    server.create_token(&admin.id, "made at each start", &[]).await.unwrap();
    assert_eq!(database.sql("SELECT last FROM log"), month_ago.to_string(), "a start moves no stamp");
    drop(server);
    let held = node_with(&database, 0, strict).await;
    assert_eq!(database.sql("SELECT age_hold_secs FROM meta"), (24 * 3_600).to_string());
    // Upkeep has run where the data of a removed user is gone.
    held.user("carol").await;
    held.admin.delete("users/carol").await.is(204);
    let removed = "SELECT count(*) FROM users WHERE id >= '~'";
    until("removed users go all the same", || async { database.sql(removed) == "0" }).await;
    assert_eq!(database.sql("SELECT count(*) FROM notifications"), "1");
    held.stop().await;
    let _trusted = node_with(&database, 0, |config| {
        strict(config);
        config.retain_now = true;
    })
    .await;
    until("what is old is deleted", || async { database.sql("SELECT count(*) FROM notifications") == "0" })
        .await;
}
