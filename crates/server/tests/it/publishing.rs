//! Tests that a publication reaches exactly its recipients.

use serde_json::json;

use crate::support::{msgids, start};

#[tokio::test]
async fn an_announcement_reaches_everyone_who_exists_by_then() {
    let s = start().await;
    let alice = s.user("alice").await;
    let publisher = s.publisher().await;
    let posted = publisher
        .post("announcements", json!({"title": "Hello", "body": "**all**", "format": "markdown"}))
        .await
        .is(201);
    let late = s.user("late").await;
    let (items, marks, _) = alice.pull(None, 10).await;
    assert!(marks.is_empty());
    let item = &items[0];
    assert_eq!(item["msgid"], posted["msgid"]);
    assert_eq!(item["created_at"], posted["stamp"]);
    assert_eq!(item["kind"], "announcement");
    assert_eq!(item["thread"], "announcements");
    assert_eq!(item["actor"], json!({"id": "press", "name": "Press"}));
    assert_eq!((item["version"].as_u64(), item["deleted"].as_bool()), (Some(1), Some(false)));
    assert_eq!(item["format"], "markdown");
    assert!(item["target"].is_null() && item["conversation"].is_null() && item["receipt"].is_null());
    assert!(late.pull(None, 10).await.0.is_empty());
    assert_eq!(alice.unread("announcement").await, 1);
}

#[tokio::test]
async fn a_message_is_in_both_inboxes_and_counts_only_for_the_recipient() {
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    let posted =
        alice.post("messages", json!({"to": "bob", "body": "hi", "data": {"n": null}})).await.is(201);
    let unread = bob.get("unread").await.is(200);
    assert_eq!(unread["message"], json!({"count": 1, "capped": false}));
    assert_eq!(unread["conversations"], json!({"user:alice": {"count": 1, "capped": false}}));
    let (of_bob, _, _) = bob.pull(None, 10).await;
    assert_eq!(of_bob[0]["conversation"], "user:alice");
    assert_eq!(of_bob[0]["thread"], "user:alice");
    assert_eq!(of_bob[0]["actor"], json!({"id": "alice", "name": "ALICE"}));
    assert_eq!(of_bob[0]["data"], json!({"n": null}));
    assert_eq!(of_bob[0]["stamp"], posted["stamp"]);
    let (of_alice, _, _) = alice.pull(None, 10).await;
    assert_eq!(of_alice[0]["conversation"], "user:bob");
    assert_eq!(alice.unread("total").await, 0);
    alice.post("messages", json!({"to": "nobody", "body": "hi"})).await.problem(404, "not_found", None);
    alice.post("messages", json!({"to": "bob", "from": "carol", "body": "x"})).await.problem(
        403,
        "forbidden",
        None,
    );
    let publisher = s.publisher().await;
    publisher.post("messages", json!({"to": "bob", "from": "alice", "body": "x"})).await.is(201);
    assert_eq!(bob.unread("message").await, 2);
    s.holds_together().await;
}

#[tokio::test]
async fn a_message_to_oneself_is_there_once_and_is_never_unread() {
    let s = start().await;
    let alice = s.user("alice").await;
    alice.post("messages", json!({"to": "alice", "body": "note"})).await.is(201);
    assert_eq!(alice.pull(None, 10).await.0.len(), 1);
    assert_eq!(alice.unread("total").await, 0);
}

#[tokio::test]
async fn an_array_is_stored_all_or_nothing() {
    let s = start().await;
    let alice = s.user("alice").await;
    let publisher = s.publisher().await;
    let many: Vec<_> = (0..1_000).map(|i| json!({"title": format!("n{i}")})).collect();
    let posted = publisher.post("announcements", json!(many)).await.is(201);
    let posted = posted.as_array().unwrap();
    assert_eq!(posted.len(), 1_000);
    assert!(posted.windows(2).all(|w| w[0]["stamp"].as_str() < w[1]["stamp"].as_str()));
    let (items, _, _) = alice.pull(None, 7).await;
    assert_eq!(msgids(&items), msgids(posted));
    let bad = json!([{"title": "fine"}, {"title": ""}]);
    publisher.post("announcements", bad).await.problem(400, "invalid", Some("[1].title"));
    let gone = json!([{"to": "alice", "from": "a", "body": "x"}, {"to": "nobody", "from": "a", "body": "x"}]);
    publisher.post("messages", gone).await.problem(404, "not_found", None);
    assert_eq!(alice.unread("message").await, 0);
    let too_many: Vec<_> = (0..1_001).map(|_| json!({"title": "n"})).collect();
    publisher.post("announcements", json!(too_many)).await.problem(400, "invalid", Some("body"));
}

#[tokio::test]
async fn a_reminder_keeps_everything_that_was_said() {
    let s = start().await;
    let alice = s.user("alice").await;
    let publisher = s.publisher().await;
    alice.subscribe("42", &["comment"]).await;
    publisher
        .post(
            "reminders",
            json!({"actor": {"id": "bob", "name": "Bob"}, "action": "comment",
                "target": {"type": "article", "id": "42", "title": "Rust in 2026", "url": "https://e.org/42", "owner": "alice"},
                "body": "nice", "title": "T", "priority": 5, "tags": ["a", "b"], "url": "https://e.org", "data": {"n": 1}}),
        )
        .await
        .is(201);
    let (items, _, _) = alice.pull(None, 10).await;
    let item = &items[0];
    assert_eq!(item["thread"], "article:42#comment");
    assert_eq!(item["actor"]["name"], "Bob");
    assert_eq!(item["target"]["owner"], "alice");
    assert_eq!(item["tags"], json!(["a", "b"]));
    assert_eq!(item["priority"], 5);
    assert_eq!(item["data"], json!({"n": 1}));
    let unknown = json!({"actor": "bob", "action": "yodel", "target": {"type": "article", "id": "42"}});
    publisher.post("reminders", unknown).await.problem(400, "invalid", Some("action"));
}

#[tokio::test]
async fn whatever_a_notification_may_say_is_taken_for_all_three_kinds() {
    let s = start().await;
    let alice = s.user("alice").await;
    let publisher = s.publisher().await;
    alice.subscribe("42", &["comment"]).await;
    let said = json!({"title": "T", "body": "B", "priority": 4, "tags": ["a"], "url": "https://e.org/",
        "icon": "https://e.org/i.png", "data": {"n": 1}, "format": "markdown",
        "actions": [{"action": "view", "label": "Open", "url": "https://e.org/"}],
        "attachment": {"name": "a.jpg", "url": "https://e.org/a.jpg"}});
    let with = |more: serde_json::Value| {
        let mut body = said.clone();
        body.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        body
    };
    let target = json!({"type": "article", "id": "42"});
    publisher.post("announcements", said.clone()).await.is(201);
    publisher
        .post("reminders", with(json!({"actor": "bob", "action": "comment", "target": target})))
        .await
        .is(201);
    publisher.post("messages", with(json!({"to": "alice", "from": "bob"}))).await.is(201);
    let (items, _, _) = alice.pull(None, 10).await;
    assert_eq!(items.len(), 3);
    for item in items {
        for (name, value) in said.as_object().unwrap() {
            match name.as_str() {
                "actions" => assert_eq!(item["actions"][0]["label"], "Open"),
                "attachment" => assert_eq!(item["attachment"]["url"], "https://e.org/a.jpg"),
                _ => assert_eq!(&item[name], value, "{name} of {}", item["kind"]),
            }
        }
    }
}
