//! Tests of what ends at a time that a wrong clock reckoned, once that clock was mended: snoozes and files.

use std::sync::Arc;

use reqwest::Method;
use serde_json::json;
use tidings_model::{Clock, Stamp, SystemClock};
use tidings_server::ServerConfig;
use tidings_server::mend_clock::mend_clock;
use tidings_server::migrate::{Location, migrate};
use tidings_testkit::clock::ManualClock;
use tidings_testkit::postgres::Database;

use crate::support::{Client, Running, start, start_in};

const DAY: i64 = 24 * 3_600;
const HOUR: i64 = 3_600;
/// The last end of a file, in both databases.
const LAST_FILE: &str = "SELECT max(expires_at) FROM files";

/// What was there before the clock was put right.
struct Before {
    reader: String,
    /// Messages that were put to sleep by a right clock, and by the wrong one.
    asleep: [String; 2],
    /// Until when the first one sleeps.
    until: Stamp,
    /// How long files are kept, seconds.
    kept: i64,
}

/// Publishes a file on a topic, and gives for how many seconds it is kept from now on.
async fn upload(s: &Running, topic: &str, delay: Option<&str>) -> i64 {
    let put = s.admin.request(Method::PUT, topic).header("Filename", "flower.txt").body("a flower");
    let put = delay.into_iter().fold(put, |put, delay| put.header("In", delay));
    let message = s.admin.send(put).await.is(200);
    message["attachment"]["expires"].as_i64().unwrap() - s.clock.now().as_secs()
}

/// Asserts that something ends so many seconds from now, but for the time that the test takes.
fn assert_ends_in(seconds: i64, end: i64) {
    let left = end - SystemClock.now().as_secs();
    assert!((seconds - 600..=seconds + 1).contains(&left), "it ends in {left} s instead of {seconds}");
}

impl Before {
    async fn assert_kept(&self, s: &Running, last_file: i64) {
        let inbox = Client::new(&s.url, &self.reader).inbox().await;
        let [right, wrong] = self.asleep.each_ref().map(|msgid| {
            let item = inbox.iter().find(|item| item["msgid"] == **msgid).unwrap();
            item["snoozed_until"].as_str().unwrap().parse::<Stamp>().unwrap()
        });
        assert_eq!(right, self.until, "a snooze by a right clock stays");
        assert_ends_in(HOUR, wrong.as_secs());
        assert_ends_in(self.kept, Stamp::from_micros(last_file).as_secs());
        for path in ["/photos/json?poll=1", "/later/json?poll=1&scheduled=1"] {
            let message = s.admin.get(path).await.is(200);
            assert_ends_in(self.kept, message["attachment"]["expires"].as_i64().unwrap());
        }
    }
}

#[tokio::test]
async fn snoozes_and_files_of_a_clock_a_year_ahead_end_in_their_time_in_both_databases() {
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    let until = s.clock.now().plus_secs(2 * DAY);
    let mut asleep = Vec::new();
    for (until, ahead) in [(until, 365 * DAY), (until.plus_secs(363 * DAY + HOUR), 0)] {
        let sent = bob.post("messages", json!({"to": "alice", "body": "later"})).await.is(201);
        let msgid = sent["msgid"].as_str().unwrap().to_owned();
        alice.op("snooze", &[&msgid], json!({"until": until})).await;
        asleep.push(msgid);
        s.clock.advance(ahead);
    }
    let kept = upload(&s, "/photos", None).await;
    upload(&s, "/later", Some("1h")).await;
    let asleep: [String; 2] = asleep.try_into().unwrap();
    let before = Before { reader: alice.token.clone(), asleep, until, kept };

    s.clock.advance(-365 * DAY);
    let (dir, clock) = s.stop().await;
    let database = Database::empty();
    let locations =
        (Location::Folder(dir.path().to_owned()), Location::Database(database.url.parse().unwrap()));
    migrate(&locations.0, &locations.1, clock.clone(), &|_, _| ()).await.unwrap();

    let mut config = ServerConfig::new(dir.path());
    assert!(mend_clock(&config.store, &config.data_dir, clock.clone()).await.unwrap() > 0);
    let file = rusqlite::Connection::open(dir.path().join("server.db")).unwrap();
    let last_file = file.query_row(LAST_FILE, [], |row| row.get(0)).unwrap();
    drop(file);
    let s = start_in(dir, clock, |_| {}).await;
    before.assert_kept(&s, last_file).await;
    s.stop().await;

    config.store = database.url.parse().unwrap();
    assert!(mend_clock(&config.store, &config.data_dir, Arc::new(SystemClock)).await.unwrap() > 0);
    let last_file = database.sql(LAST_FILE).parse().unwrap();
    let folder = Arc::new(tempfile::tempdir().unwrap());
    let store = config.store.clone();
    let s = start_in(folder, Arc::new(ManualClock::running()), |config| config.store = store).await;
    before.assert_kept(&s, last_file).await;
}
