//! Processes that are killed: the database, and a server that others stand in for.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};
use support::{client::Client, server::ServerProcess, wait};
use tidings_testkit::postgres::{Cluster, Database};
use tokio::task::block_in_place;

use super::at;
use super::traffic::{ANSWER_TIME, RECOVERY_TIME, Traffic};

const KILLS: usize = 3;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_is_killed_loses_and_doubles_nothing_that_was_acknowledged() {
    let mut database = block_in_place(Cluster::start);
    let one = ServerProcess::on_database(&database.url());
    let two = one.beside();
    let servers = [&one, &two];
    let traffic = Traffic::start(&servers).await;
    for _ in 0..KILLS {
        traffic.goes_on().await;
        block_in_place(|| database.kill());
        for server in servers {
            let asked = Instant::now();
            server.admin().get("users").await.problem(503, "unavailable", None);
            assert!(asked.elapsed() < ANSWER_TIME, "{:?}", asked.elapsed());
        }
        block_in_place(|| database.restart());
        for server in servers {
            serves_again(&server.admin()).await;
        }
    }
    traffic.goes_on().await;
    assert!(traffic.longest_answer() < ANSWER_TIME, "{:?}", traffic.longest_answer());
    traffic.end(&database.url()).await;
}

/// Waits until a server serves; fails the test if that takes too long after its database has come back.
pub(super) async fn serves_again(admin: &Client) {
    wait::within(RECOVERY_TIME, "the server is ready again", || async {
        admin.get("health/ready").await.status == 200 && admin.get("users").await.status == 200
    })
    .await;
}

#[tokio::test]
async fn what_a_killed_server_was_to_deliver_later_another_delivers_in_time() {
    let database = Database::empty();
    let mut one = ServerProcess::on_database(&database.url);
    let two = one.beside();
    let ana = one.admin().user("ana", &["inbox", "publish"]).await;
    let bob = one.admin().user("bob", &["inbox"]).await;
    let there = at(&bob, &two);
    let subscription = json!({"target": {"type": "topic", "id": "doors"}, "actions": ["publish"]});
    there.put("subscriptions", subscription).await.success();

    // The shortest delay that there is.
    let later = ana.request(Method::POST, "/doors").header("Delay", "10s").body("Close the door");
    let asked = Instant::now();
    ana.send(later).await.success();
    one.kill();
    assert_eq!(there.unread("total").await, 0, "it is not due yet");
    let due = Duration::from_secs(10);
    let latest = (due + Duration::from_secs(10)).saturating_sub(asked.elapsed());
    wait::within(latest, "it is delivered", || async { there.unread("total").await == 1 }).await;
    assert!(asked.elapsed() >= due.checked_sub(Duration::from_secs(1)).unwrap(), "{:?}", asked.elapsed());
    one.restart();
    assert_eq!(at(&bob, &one).inbox().await.len(), 1, "and once");
}

#[tokio::test]
async fn a_request_that_is_sent_to_two_servers_at_once_under_one_key_is_done_once() {
    let database = Database::empty();
    let one = ServerProcess::on_database(&database.url);
    let two = one.beside();
    let ana = one.admin().user("ana", &["inbox"]).await;
    let bob = one.admin().user("bob", &["inbox"]).await;
    let there = at(&ana, &two);
    for n in 0..40 {
        let (message, key) = (json!({"to": "bob", "body": n.to_string()}), format!("key-{n}"));
        let (here, there) = tokio::join!(
            post_until_done(&ana, "messages", &message, &key),
            post_until_done(&there, "messages", &message, &key)
        );
        assert_eq!(here, there, "the second gets the answer of the first");
    }
    assert_eq!(bob.pull(None, 500).await.0.len(), 40);
}

/// Posts as a client does: without an answer, or after `unavailable`, it sends the same request with the same key
/// again.
async fn post_until_done(client: &Client, path: &str, body: &Value, key: &str) -> Value {
    wait::until("the request is done", || async {
        let answer = client.post_keyed(path, body.clone(), key).await?;
        if answer.status == 503 {
            answer.problem(503, "unavailable", None);
            return None;
        }
        Some(answer.is(201))
    })
    .await
}
