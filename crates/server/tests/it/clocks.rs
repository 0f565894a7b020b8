//! Tests of two nodes over one PostgreSQL database, one of which has a clock that is a day off.

use std::sync::Arc;

use reqwest::Method;
use serde_json::json;
use tidings_model::{Clock, Stamp, SystemClock};
use tidings_testkit::clock::ManualClock;
use tidings_testkit::postgres::Database;

use crate::support::{Client, Running, start_in};

const DAY_AND_HOUR: i64 = 25 * 3_600;

/// A node over a database, whose clock is off by so many seconds.
async fn node(database: &Database, off: i64) -> Running {
    let clock = Arc::new(ManualClock::running());
    clock.advance(off);
    let store = database.url.parse().unwrap();
    start_in(Arc::new(tempfile::tempdir().unwrap()), clock, |config| config.store = store).await
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
