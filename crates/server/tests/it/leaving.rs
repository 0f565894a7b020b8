//! Tests of users who are renamed, exported and removed, at one node and at two over one PostgreSQL database.

use std::sync::Arc;

use reqwest::Method;
use serde_json::{Value, json};
use tidings_server::{Server, ServerConfig, WrittenContent};
use tidings_testkit::clock::ManualClock;
use tidings_testkit::postgres::Database;

use crate::live::Channel;
use crate::support::{Client, Running, TEST_TIMEOUT, start, start_in, start_with, until};

/// A node over a database.
async fn node(database: &Database) -> Running {
    let store = database.url.parse().unwrap();
    let (dir, clock) = (Arc::new(tempfile::tempdir().unwrap()), Arc::new(ManualClock::running()));
    start_in(dir, clock, |config| config.store = store).await
}

/// The lines of an export.
async fn exported(by: &Client, id: &str) -> Vec<Value> {
    let answer = by.request(Method::GET, &format!("users/{id}/export")).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["content-type"], "application/x-ndjson");
    let text = answer.text().await.unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn a_removed_user_leaves_what_it_wrote_and_nothing_else_and_its_id_stays_taken() {
    let s = start().await;
    let (alice, bob, publisher) = (s.user("alice").await, s.user("bob").await, s.publisher().await);
    bob.put("follows/alice", json!({})).await.is(200);
    alice.post("messages", json!({"to": "bob", "body": "kept"})).await.is(201);
    alice.post("messages", json!({"to": "alice", "body": "a note to myself"})).await.is(201);
    let since = bob.get("sync").await.is(200)["next"].as_str().unwrap().to_owned();
    let mut channel = Channel::open(&alice).await;
    s.admin.delete("users/alice?content=all").await.problem(400, "invalid", Some("content"));
    bob.delete("users/alice").await.problem(403, "forbidden", None);
    s.admin.delete("users/alice?content=keep").await.is(204);
    channel.wait_for_end().await;
    alice.get("me").await.problem(401, "unauthorized", None);
    let to = json!({"to": "alice", "body": "x"});
    bob.post("messages", to.clone()).await.problem(404, "not_found", None);
    publisher.post("messages", to).await.problem(404, "not_found", None);
    let from = json!({"to": "bob", "from": "alice", "body": "x"});
    publisher.post("messages", from).await.problem(404, "not_found", None);
    s.admin.post("users", json!({"id": "alice"})).await.problem(409, "conflict", None);
    s.admin.delete("users/alice").await.problem(404, "not_found", None);
    until("nothing is left of it", || async { !s.server_has_removals().await }).await;
    assert_eq!(bob.get("follows/alice").await.status, 404);
    let page = bob.get(&format!("sync?since={since}")).await.is(200);
    assert_eq!(page["closed"][0]["conversation"], "user:alice");
    assert_eq!(page["closed"][0]["title"], "ALICE");
    let listed = bob.get("conversations").await.is(200);
    assert_eq!((&listed[0]["title"], &listed[0]["closed"]), (&json!("ALICE"), &json!(true)));
    s.holds_together().await;
}

#[tokio::test]
async fn what_a_removed_user_wrote_is_recalled_where_that_is_asked_for() {
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    alice.post("groups", json!({"id": "crew", "name": "Crew", "members": ["bob"]})).await.is(201);
    alice.post("messages", json!({"to": "bob", "body": "one"})).await.is(201);
    alice.post("groups/crew/messages", json!({"body": "two"})).await.is(201);
    bob.post("messages", json!({"to": "alice", "body": "mine"})).await.is(201);
    assert_eq!(bob.unread("total").await, 2);
    s.admin.delete("users/alice?content=delete").await.is(204);
    alice.get("me").await.problem(401, "unauthorized", None);
    until("nothing is left of it", || async { !s.server_has_removals().await }).await;
    let left: Vec<Value> =
        bob.pull(None, 10).await.0.into_iter().filter(|item| item["deleted"] == false).collect();
    assert_eq!(left.len(), 1, "his own stays");
    assert_eq!((&left[0]["body"], bob.unread("total").await), (&json!("mine"), 0));
    assert_eq!(bob.get("groups/crew").await.is(200)["owner"], "bob");
    s.holds_together().await;
}

#[tokio::test]
async fn a_removal_that_was_interrupted_is_finished_after_a_restart() {
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    for _ in 0..30 {
        alice.post("messages", json!({"to": "bob", "body": "x"})).await.is(201);
    }
    let (dir, clock) = s.stop().await;
    // A process that ends as soon as the removal has begun.
    let config = ServerConfig::new(dir.path());
    let ended = Server::open(config, clock.clone()).await.unwrap();
    ended.begin_removal("alice", WrittenContent::Delete).await.unwrap();
    assert!(ended.has_removals().await.unwrap());
    drop(ended);
    let s = start_in(dir, clock, |_| {}).await;
    until("nothing is left of it", || async { !s.server_has_removals().await }).await;
    let bob = Client::new(&s.url, &bob.token);
    assert!(bob.pull(None, 1_000).await.0.iter().all(|item| item["deleted"] == true));
    s.holds_together().await;
}

#[tokio::test]
async fn a_removal_is_finished_soon_by_another_process_if_the_one_that_answered_it_ends() {
    let database = Database::empty();
    for (s, store) in [(start().await, None), (node(&database).await, Some(&database.url))] {
        let (alice, bob) = (s.user("alice").await, s.user("bob").await);
        for _ in 0..30 {
            alice.post("messages", json!({"to": "bob", "body": "x"})).await.is(201);
        }
        let other_folder = tempfile::tempdir().unwrap();
        let mut config = ServerConfig::new(if store.is_some() { other_folder.path() } else { s.dir.path() });
        // The next upkeep of the server that goes on is ten minutes away.
        assert!(s.server.config().upkeep_interval > TEST_TIMEOUT);
        if let Some(url) = store {
            config.store = url.parse().unwrap();
        }
        let ended = Server::open(config, s.clock.clone()).await.unwrap();
        ended.begin_removal("alice", WrittenContent::Delete).await.unwrap();
        drop(ended);
        until("nothing is left of it", || async { !s.server_has_removals().await }).await;
        assert!(bob.pull(None, 1_000).await.0.iter().all(|item| item["deleted"] == true));
        s.holds_together().await;
    }
}

#[tokio::test]
async fn the_user_for_whom_the_app_runs_its_server_is_not_removed() {
    let s = start_with(|config| config.standalone_owner = Some("me".into())).await;
    s.admin.delete("users/me").await.problem(403, "forbidden", None);
    s.admin.get("inbox?user=me").await.is(200);
}

#[tokio::test]
async fn a_renamed_user_has_its_name_on_what_it_writes_next() {
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    alice.post("messages", json!({"to": "bob", "body": "1"})).await.is(201);
    let renamed = s.admin.patch("users/alice", json!({"name": "Alice Liddell"})).await.is(200);
    assert_eq!((&renamed["id"], &renamed["name"]), (&json!("alice"), &json!("Alice Liddell")));
    alice.post("messages", json!({"to": "bob", "body": "2"})).await.is(201);
    assert_eq!(alice.get("me").await.is(200)["name"], "Alice Liddell");
    let names: Vec<Value> = bob.pull(None, 9).await.0.iter().map(|i| i["actor"]["name"].clone()).collect();
    assert_eq!(names, ["ALICE", "Alice Liddell"]);
    bob.patch("users/alice", json!({"name": "x"})).await.problem(403, "forbidden", None);
    s.admin.patch("users/nobody", json!({"name": "x"})).await.problem(404, "not_found", None);
    let long = "x".repeat(2_000);
    s.admin.patch("users/alice", json!({"name": long})).await.problem(400, "invalid", Some("name"));
}

#[tokio::test]
async fn an_export_has_all_of_one_user_and_no_secret() {
    let database = Database::empty();
    for s in [start().await, node(&database).await] {
        let (alice, bob) = (s.user("alice").await, s.user("bob").await);
        alice.put("follows/bob", json!({})).await.is(200);
        let subscription = json!({"target": {"type": "article", "id": "1"}, "actions": ["like"]});
        alice.put("subscriptions", subscription).await.is(200);
        alice.patch("preferences", json!({"actions": {"like": false}})).await.is(200);
        for n in 0..30 {
            bob.post("messages", json!({"to": "alice", "body": format!("received {n}")})).await.is(201);
        }
        alice.post("messages", json!({"to": "bob", "body": "sent"})).await.is(201);
        alice.put("/made", json!({"title": "published"})).await;
        let later = alice.request(Method::POST, "/made").header("Delay", "1h").body("later");
        let later = alice.send(later).await.is(200);
        for by in [&alice, &s.admin] {
            let lines = exported(by, "alice").await;
            let of = |what: &str| lines.iter().filter_map(|line| line.get(what)).collect::<Vec<_>>();
            assert_eq!(of("profile")[0]["name"], "ALICE");
            assert_eq!((of("token").len(), of("follow").len(), of("subscription").len()), (1, 1, 1));
            assert_eq!(of("preference"), [&json!({"action": "like", "wanted": false})]);
            assert_eq!(of("item").len(), 31);
            assert!(of("item").iter().all(|item| item.get("read_at").is_some()));
            assert!(of("written").iter().any(|written| written["body"] == "sent"));
            let waiting = of("scheduled");
            assert_eq!((waiting.len(), &waiting[0]["msgid"]), (1, &later["id"]));
            assert_eq!(waiting[0]["body"], "later");
            assert!(waiting[0]["deliver_at"].is_string());
            assert!(!lines.iter().any(|line| line.to_string().contains("tdg_")));
        }
        bob.get("users/alice/export").await.problem(403, "forbidden", None);
        s.admin.get("users/nobody/export").await.problem(404, "not_found", None);
    }
}

#[tokio::test]
async fn nothing_is_sent_to_a_removed_user_at_any_of_two_nodes() {
    let database = Database::empty();
    let (one, two) = (node(&database).await, node(&database).await);
    let (alice, bob) = (one.user("alice").await, one.user("bob").await);
    let there = |client: &Client| Client::new(&two.url, &client.token);
    let (alice_there, bob_there) = (there(&alice), there(&bob));
    alice.post("messages", json!({"to": "bob", "body": "hello"})).await.is(201);
    let mut channel = Channel::open(&alice_there).await;
    for _ in 0..2 {
        // What is remembered of her at the other node was remembered a moment ago.
        alice_there.get("me").await.is(200);
        bob_there.post("messages", json!({"to": "alice", "body": "x"})).await.is(201);
    }
    one.admin.delete("users/alice").await.is(204);
    alice_there.get("me").await.problem(401, "unauthorized", None);
    for client in [&bob, &bob_there] {
        client.post("messages", json!({"to": "alice", "body": "x"})).await.problem(404, "not_found", None);
    }
    for admin in [&one.admin, &two.admin] {
        let from = json!({"to": "bob", "from": "alice", "body": "x"});
        admin.post("messages", from).await.problem(404, "not_found", None);
        admin.post("users", json!({"id": "alice"})).await.problem(409, "conflict", None);
    }
    channel.wait_for_end().await;
    until("nothing is left of it", || async { !one.server_has_removals().await }).await;
    let closed = bob_there.get("sync").await.is(200)["closed"].clone();
    assert_eq!(closed[0]["conversation"], "user:alice");
    one.holds_together().await;
}
