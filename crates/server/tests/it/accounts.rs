//! Tests of users and tokens.

use serde_json::json;
use tidings_model::wire::Scope;

use crate::live::Channel;
use crate::support::{Client, TEST_TIMEOUT, start, until};

#[tokio::test]
async fn a_token_is_shown_once_and_says_who_it_is() {
    let s = start().await;
    let user = s.admin.post("users", json!({"id": "alice", "name": "Alice"})).await.is(201);
    assert_eq!((user["id"].as_str(), user["name"].as_str()), (Some("alice"), Some("Alice")));
    s.admin.post("users", json!({"id": "alice", "name": "Other"})).await.problem(409, "conflict", None);
    let created =
        s.admin.post("users/alice/tokens", json!({"label": "laptop", "scopes": ["inbox"]})).await.is(201);
    let text = created["token"].as_str().unwrap();
    assert!(text.starts_with("tdg_"));
    let alice = Client::new(&s.url, text);
    let me = alice.get("me").await.is(200);
    assert_eq!(me, json!({"id": "alice", "name": "Alice", "scopes": ["inbox"]}));
    let listed = alice.get("tokens").await.is(200);
    assert_eq!(listed[0]["id"], created["id"]);
    assert!(listed[0].get("token").is_none());
    assert!(s.admin.get("tokens").await.is(200).as_array().unwrap().len() >= 2);
}

#[tokio::test]
async fn whoever_has_an_inbox_finds_the_people_of_the_server_by_a_beginning() {
    let s = start().await;
    let ana = s.user("ana").await;
    for (id, name) in [("bo", "Bo Kessler"), ("chen", "Chen Yu")] {
        s.server.create_user(id, name).await.unwrap();
    }
    let found = ana.get("people?q=%20kESS%20&limit=5").await.is(200);
    assert_eq!(found, json!({"people": [{"id": "bo", "name": "Bo Kessler"}]}), "an id and a name alone");
    let first = ana.get("people?limit=2").await.is(200);
    assert_eq!(first["people"], json!([{"id": "ana", "name": "ANA"}, {"id": "bo", "name": "Bo Kessler"}]));
    assert_eq!(ana.get(&format!("people?q={}", "b".repeat(2_000))).await.is(200)["people"], json!([]));
    for limit in ["0", "101", "x"] {
        ana.get(&format!("people?limit={limit}")).await.problem(400, "invalid", Some("limit"));
    }
    s.admin.delete("users/bo").await.is(204);
    assert_eq!(ana.get("people?q=bo").await.is(200)["people"], json!([]));
}

#[tokio::test]
async fn a_revoked_token_and_a_removed_user_are_out_at_once() {
    let s = start().await;
    let alice = s.user("alice").await;
    alice.get("me").await.is(200);
    let other = s.token("alice", &[Scope::Inbox]).await;
    let id = alice.get("tokens").await.is(200)[0]["id"].as_str().unwrap().to_owned();
    other.delete(&format!("tokens/{id}")).await.is(204);
    alice.get("me").await.problem(401, "unauthorized", None);
    s.admin.delete("users/alice").await.is(204);
    other.get("me").await.problem(401, "unauthorized", None);
    s.admin.delete("users/alice").await.problem(404, "not_found", None);
    let again = json!({"id": "alice", "name": "Other"});
    s.admin.post("users", again).await.problem(409, "conflict", None);
    s.holds_together().await;
}

#[tokio::test]
async fn scopes_reach_as_far_as_they_say() {
    let s = start().await;
    let alice = s.user("alice").await;
    let bob = s.user("bob").await;
    let publisher = s.publisher().await;
    for path in ["users", "users/alice/tokens"] {
        alice.post(path, json!({"id": "x", "scopes": ["inbox"]})).await.problem(403, "forbidden", None);
    }
    alice.post("announcements", json!({"title": "x"})).await.problem(403, "forbidden", None);
    let target = json!({"type": "article", "id": "1"});
    let by_bob = json!({"actor": "bob", "action": "like", "target": target});
    alice.post("reminders", by_bob.clone()).await.problem(403, "forbidden", None);
    bob.post("reminders", by_bob.clone()).await.is(201);
    publisher.post("reminders", by_bob).await.is(201);
    publisher.get("inbox").await.problem(403, "forbidden", None);
    alice.get("inbox?user=bob").await.problem(403, "forbidden", None);
    s.admin.get("inbox?user=bob").await.is(200);
    s.admin.get("inbox?user=nobody").await.problem(404, "not_found", None);
    publisher.get("subscriptions?user=bob").await.is(200);
    alice.get("subscriptions?user=bob").await.problem(403, "forbidden", None);
    alice.put("catalog", json!({"actions": {}})).await.problem(403, "forbidden", None);
    Client::without_token(&s.url).get("me").await.problem(401, "unauthorized", None);
    Client::new(&s.url, "tdg_wrong").get("me").await.problem(401, "unauthorized", None);
}

#[tokio::test]
async fn a_token_made_by_another_process_works_and_one_that_it_revokes_does_not() {
    let s = start().await;
    let alice = s.user("alice").await;
    alice.get("me").await.is(200);
    let config = tidings_server::ServerConfig::new(s.dir.path());
    let second = tidings_server::Server::open(config, s.clock.clone()).await.unwrap();
    let fresh = second.create_token("alice", "cli", &[Scope::Inbox]).await.unwrap();
    Client::new(&s.url, &fresh.token).get("me").await.is(200);
    second.revoke_token(&fresh.about.id).await.unwrap();
    crate::support::until("the revoked token is refused", || async {
        Client::new(&s.url, &fresh.token).get("me").await.status == 401
    })
    .await;
}

#[tokio::test]
async fn the_same_idempotency_key_gives_the_first_answer_even_for_a_token_and_after_a_restart() {
    let s = start().await;
    s.user("alice").await;
    let post = |c: Client, path: &'static str, body: serde_json::Value| async move {
        let request = c.request(reqwest::Method::POST, path).header("Idempotency-Key", "k1").json(&body);
        c.send(request).await
    };
    let body = json!({"label": "a", "scopes": ["inbox"]});
    let first = post(s.admin.clone(), "users/alice/tokens", body.clone()).await.is(201);
    let again = post(s.admin.clone(), "users/alice/tokens", body).await.is(201);
    assert_eq!(first, again);
    Client::new(&s.url, again["token"].as_str().unwrap()).get("me").await.is(200);

    let publisher = s.publisher().await;
    let first = post(publisher.clone(), "announcements", json!({"title": "once"})).await.is(201);
    let url = s.url.clone();
    let (dir, clock) = s.stop().await;
    let s = crate::support::start_in(dir, clock, |_| {}).await;
    let publisher = Client::new(&s.url, &publisher.token);
    assert_ne!(url, publisher.url);
    assert_eq!(post(publisher.clone(), "announcements", json!({"title": "twice"})).await.is(201), first);
    s.clock.advance(25 * 3_600);
    assert_ne!(post(publisher, "announcements", json!({"title": "later"})).await.is(201), first);
}

#[tokio::test]
async fn a_key_whose_request_failed_may_be_used_again() {
    let s = start().await;
    let publisher = s.publisher().await;
    let send = |body: serde_json::Value| {
        publisher.send(
            publisher
                .request(reqwest::Method::POST, "announcements")
                .header("Idempotency-Key", "k")
                .json(&body),
        )
    };
    send(json!({})).await.problem(400, "invalid", Some("title"));
    send(json!({"title": "now"})).await.is(201);
}

#[tokio::test]
async fn duplicates_that_arrive_together_are_done_once() {
    let s = start().await;
    let alice = s.user("alice").await;
    let publisher = s.publisher().await;
    let posts = (0..32).map(|_| {
        let request = publisher.request(reqwest::Method::POST, "announcements");
        publisher.send(request.header("Idempotency-Key", "same").json(&json!({"title": "one"})))
    });
    let answers: Vec<_> =
        futures_util::future::join_all(posts).await.into_iter().map(|g| g.is(201)).collect();
    assert!(answers.iter().all(|a| *a == answers[0]));
    assert_eq!(alice.pull(None, 100).await.0.len(), 1);
}

#[tokio::test]
async fn a_removal_is_answered_once_the_user_is_out_and_the_rest_of_it_goes_later() {
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    for _ in 0..2 {
        let many = vec![json!({"to": "alice", "body": "x"}); 1_000];
        bob.post("messages", json!(many)).await.is(201);
    }
    assert_eq!(alice.pull(None, 1_000).await.0.len(), 2_000);
    let mut channel = Channel::open(&alice).await;
    // One change is made, and the next one waits.
    let writer = s.block_writer(1);
    s.admin.delete("users/alice").await.is(204);
    alice.get("me").await.problem(401, "unauthorized", None);
    channel.wait_for_end().await;
    writer.wait_for_write().await;
    drop(writer);
    let file = rusqlite::Connection::open(s.dir.path().join("server.db")).unwrap();
    file.busy_timeout(TEST_TIMEOUT).unwrap();
    until("nothing is left of it", || async {
        let left = "SELECT count(*) FROM users WHERE id >= '~'";
        file.query_row(left, [], |row| row.get::<_, i64>(0)).unwrap() == 0
    })
    .await;
    s.holds_together().await;
}

#[tokio::test]
async fn a_command_that_removes_a_user_ends_when_nothing_is_left_of_it() {
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    for _ in 0..2 {
        let many = vec![json!({"to": "alice", "body": "x"}); 1_000];
        bob.post("messages", json!(many)).await.is(201);
    }
    assert_eq!(alice.pull(None, 1_000).await.0.len(), 2_000);
    let (dir, clock) = s.stop().await;
    let config = tidings_server::ServerConfig::new(dir.path());
    let server = tidings_server::Server::open(config, clock).await.unwrap();
    server.remove_user("alice", tidings_server::WrittenContent::Keep).await.unwrap();
    let file = rusqlite::Connection::open(dir.path().join("server.db")).unwrap();
    let left = "SELECT count(*) FROM users WHERE id >= '~'";
    assert_eq!(file.query_row(left, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
    assert_eq!(server.check().await.unwrap(), []);
}
