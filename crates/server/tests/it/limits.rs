//! Tests of the limits of requests at every endpoint, and that a large request holds up nobody.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinSet;

use crate::support::{Answer, Client, TEST_TIMEOUT, start, start_with};

const TEXT_BYTES: usize = 256 * 1024;
const DATA_BYTES: usize = 64 * 1024;

/// A JSON object with this exact number of bytes.
fn data(bytes: usize) -> Value {
    json!({"x": "y".repeat(bytes - 8)})
}

#[tokio::test]
async fn the_limits_of_a_notification_hold_at_every_door_of_the_api() {
    let s = start().await;
    let (alice, publisher) = (s.user("alice").await, s.publisher().await);
    alice.post("groups", json!({"id": "g", "name": "G", "members": []})).await.is(201);
    let target = json!({"type": "article", "id": "1"});
    let endpoints = [
        (&alice, "messages", json!({"to": "alice", "body": "x"})),
        (&alice, "groups/g/messages", json!({"body": "x"})),
        (&publisher, "reminders", json!({"actor": "bob", "action": "like", "target": target})),
    ];
    for (client, path, valid_body) in endpoints {
        let with = |more: Value| {
            let mut body = valid_body.clone();
            body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            body
        };
        let wrong = [
            (json!({"data": data(DATA_BYTES + 1)}), "data"),
            (json!({"tags": ["t".repeat(257)]}), "tags[0]"),
            (json!({"title": "t".repeat(TEXT_BYTES + 1)}), "title"),
            (json!({"body": "a\u{0}b"}), "body"),
            (json!({"data": {"a": [{"b": "\u{0}"}]}}), "data.a[0].b"),
        ];
        for (more, field) in wrong {
            client.post(path, with(more.clone())).await.problem(400, "invalid", Some(field));
            let second = format!("[1].{field}");
            client.post(path, json!([valid_body, with(more)])).await.problem(400, "invalid", Some(&second));
        }
        // Title and body each have the longest permitted length; together they exceed the limit of a notification.
        let both = with(json!({"title": "t".repeat(TEXT_BYTES), "body": "b".repeat(TEXT_BYTES)}));
        client.post(path, both.clone()).await.problem(413, "too_large", None);
        let got = client.post(path, json!([valid_body, both])).await;
        assert!(got.body["detail"].as_str().unwrap().starts_with("[1]: "), "{}", got.body);
        got.problem(413, "too_large", None);
        let largest = with(
            json!({"body": "b".repeat(TEXT_BYTES), "title": "t".repeat(TEXT_BYTES / 2), "data": data(DATA_BYTES)}),
        );
        client.post(path, largest).await.is(201);
    }
    let both = json!({"title": "t".repeat(TEXT_BYTES), "body": "b".repeat(TEXT_BYTES)});
    publisher.post("announcements", both).await.problem(413, "too_large", None);
    s.holds_together().await;
}

#[tokio::test]
async fn the_limits_of_a_notification_hold_for_ntfy_too_and_for_what_comes_later() {
    let s = start_with(|c| {
        c.open_publish = true;
        c.standalone_owner = Some("me".to_owned());
    })
    .await;
    let nobody = Client::without_token(&s.url);
    let text = |n: usize| "x".repeat(n);
    for delay in [None, Some("30m")] {
        let send = |body: Value| {
            let request = nobody.request(Method::POST, "/").body(body.to_string());
            nobody.send(match delay {
                Some(delay) => request.header("delay", delay),
                None => request,
            })
        };
        let is = |got: Answer, http: u16, code: u32| assert_eq!(got.is(http)["code"], code);
        is(
            send(json!({"topic": "t", "message": text(TEXT_BYTES), "title": text(TEXT_BYTES)})).await,
            413,
            41303,
        );
        is(send(json!({"topic": "t", "message": text(TEXT_BYTES + 1)})).await, 400, 40017);
        is(send(json!({"topic": "t", "message": "m", "tags": [text(257)]})).await, 400, 40000);
        is(send(json!({"topic": "t", "message": "a\u{0}b"})).await, 400, 40017);
        is(send(json!([["t"]])).await, 400, 40017);
        let button = json!({"action": "copy", "label": "l", "value": text(DATA_BYTES)});
        is(send(json!({"topic": "t", "message": "m", "actions": [button]})).await, 400, 40000);
        send(json!({"topic": "t", "message": text(TEXT_BYTES), "title": text(TEXT_BYTES / 2)})).await.is(200);
    }
}

#[tokio::test]
async fn what_waits_for_a_topic_has_a_bound_and_nothing_of_others_is_in_its_way() {
    let s = start().await;
    let alice = s.user("alice").await;
    let text = "x".repeat(TEXT_BYTES / 2);
    let publish = |topic: &'static str, delay: Option<&'static str>| {
        let mut request = alice.request(Method::POST, topic).body(text.clone());
        if let Some(delay) = delay {
            request = request.header("delay", delay);
        }
        alice.send(request)
    };
    let limits = alice.get("info").await.is(200)["limits"].clone();
    let room = usize::try_from(limits["scheduled_topic_bytes"].as_u64().unwrap()).unwrap();
    for _ in 0..room / (TEXT_BYTES / 2) - 1 {
        publish("/t", Some("30m")).await.is(200);
    }
    let refused = publish("/t", Some("30m")).await.is(429);
    assert_eq!(refused["code"], 42908);
    assert!(refused["error"].as_str().unwrap().contains("wait for this topic"), "{refused}");
    publish("/t", None).await.is(200);
    publish("/other", Some("30m")).await.is(200);
    s.holds_together().await;
}

#[tokio::test]
async fn names_have_a_length_too() {
    let s = start().await;
    let alice = s.user("alice").await;
    let long = "n".repeat(1025);
    let invalid = |got: Answer, field: &str| got.problem(400, "invalid", Some(field));
    invalid(s.admin.post("users", json!({"id": "bob", "name": long})).await, "name");
    invalid(s.admin.post("users/alice/tokens", json!({"label": long, "scopes": ["inbox"]})).await, "label");
    invalid(alice.post("groups", json!({"name": long})).await, "name");
    assert!(s.server.create_user("carol", &long).await.is_err());
    let actor = json!({"id": "alice", "name": long});
    let target = json!({"type": "a", "id": "1"});
    let reminder = json!({"actor": actor, "action": "like", "target": target});
    invalid(alice.post("reminders", reminder).await, "actor.name");
}

#[tokio::test]
async fn an_array_never_stands_for_an_object_in_any_request() {
    let s = start().await;
    let alice = s.user("alice").await;
    let invalid = |got: Answer, field: &str| got.problem(400, "invalid", Some(field));
    let messages = [
        (json!([[]]), "[0]"),
        (json!([["alice", null, "x"]]), "[0]"),
        (json!([{"to": "alice", "body": "x"}, ["alice", null, "x"]]), "[1]"),
        (json!({"to": "alice", "from": ["alice"], "body": "x"}), "from"),
        (json!({"to": "alice", "body": "x", "data": []}), "data"),
    ];
    for (body, field) in messages {
        invalid(alice.post("messages", body).await, field);
    }
    let reminder = json!({"actor": "alice", "action": "like", "target": ["article", "1"]});
    invalid(alice.post("reminders", reminder).await, "target");
    invalid(alice.post("groups", json!(["g", "G", []])).await, "body");
    invalid(alice.post("receipts/ack", json!(["2026-01-01T00:00:00Z"])).await, "body");
    invalid(alice.post("inbox/ops", json!([[]])).await, "body");
    invalid(alice.put("subscriptions", json!({"target": ["a", "1"], "actions": ["like"]})).await, "target");
    invalid(alice.put("subscriptions", json!([["a", "1"], null, ["like"]])).await, "body");
    invalid(alice.put("views/announcements/all", json!(["2026-01-01T00:00:00Z"])).await, "body");
    invalid(alice.patch("preferences", json!([{"like": true}])).await, "body");
    invalid(s.admin.post("users", json!(["bob", "Bob"])).await, "body");
    invalid(s.admin.put("catalog", json!([{}, {}])).await, "body");
    assert_eq!(alice.unread("total").await, 0);
}

/// A long member name with many elements: a parser that copies the path for each of them would copy 50 GB.
#[tokio::test]
async fn a_large_body_takes_work_in_proportion_to_its_bytes() {
    // The work takes as long as it takes on a busy machine; nobody is turned away for that.
    let s = start_with(|c| {
        c.open_publish = true;
        c.memory_timeout = Duration::from_secs(600);
    })
    .await;
    let nobody = Client::without_token(&s.url);
    let (key, zeros) = ("k".repeat(200_000), "0,".repeat(250_000));
    let body = format!(r#"{{"topic":"t","message":"m","{key}":[{zeros}0]}}"#);
    let all = (0..8).map(|_| nobody.send(nobody.request(Method::POST, "/").body(body.clone())));
    for got in futures_util::future::join_all(all).await {
        got.is(200);
    }
}

#[tokio::test]
async fn a_body_of_a_million_small_objects_is_refused_before_it_takes_memory() {
    let s = start_with(|c| c.open_publish = true).await;
    let (alice, nobody) = (s.user("alice").await, Client::without_token(&s.url));
    let body = format!("[{}0]", r#"{"a":0},"#.repeat(1_000_000));
    let got = alice.send(alice.request(Method::POST, "messages").body(body.clone())).await;
    assert!(got.body["detail"].as_str().unwrap().contains("objects"), "{}", got.body);
    got.problem(400, "invalid", Some("body"));
    nobody.send(nobody.request(Method::POST, "/").body(body)).await.is(400);
}

/// Sends without a token the head of an 8 MiB body, and enough of the body to take the room for all of it. Returns the
/// beginning of the response.
async fn post_large_without_token(url: &str) -> String {
    let mut stream = tokio::net::TcpStream::connect(url.trim_start_matches("http://")).await.unwrap();
    let head = format!("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n", 8 * 1024 * 1024);
    stream.write_all(head.as_bytes()).await.unwrap();
    // More than a small body, so that the server takes room for all of it.
    stream.write_all(&vec![b' '; 100 * 1024]).await.unwrap();
    let mut answer = vec![0; 12];
    stream.read_exact(&mut answer).await.unwrap();
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn bodies_without_a_token_leave_room_for_those_with_one() {
    const LONG_TIMEOUT: Duration = Duration::from_secs(24 * 3_600);
    let s = start_with(|c| {
        c.open_publish = true;
        (c.body_timeout, c.body_part_timeout) = (LONG_TIMEOUT, LONG_TIMEOUT);
        c.memory_timeout = Duration::from_millis(500);
    })
    .await;
    let alice = s.user("alice").await;
    let mut anonymous_posts = JoinSet::new();
    for _ in 0..16 {
        let url = s.url.clone();
        anonymous_posts.spawn(async move { post_large_without_token(&url).await });
    }
    // Two bodies take all room for requests without a token; the others are refused.
    for _ in 0..14 {
        let answer =
            tokio::time::timeout(TEST_TIMEOUT, anonymous_posts.join_next()).await.expect("two have room");
        assert_eq!(answer.unwrap().unwrap(), "HTTP/1.1 503");
    }
    // A small body without a token is still answered, and so is a large one with a token.
    let nobody = Client::without_token(&s.url);
    nobody.send(nobody.request(Method::POST, "/t").body("small")).await.is(200);
    let many = vec![json!({"to": "alice", "body": "x".repeat(200 * 1024)}); 30];
    alice.post("messages", json!(many)).await.is(201);
    assert!(
        anonymous_posts.try_join_next().is_none(),
        "nobody had to end first: the two still have their room"
    );
    alice.get("health").await.is(200);
}
