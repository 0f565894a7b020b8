//! Tests of who reads a topic: its settings hold at every door, for what waits, and for streams that are open.

use reqwest::Method;
use serde_json::{Value, json};
use tidings_model::wire::Scope;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use crate::live::Channel;
use crate::ntfy_streams::{Stream, publish, standalone};
use crate::support::{Client, Running, start, within_timeout};

/// The texts of a poll.
async fn poll(client: &Client, path: &str) -> Vec<String> {
    let response = client.request(Method::GET, path).send().await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    let text = within_timeout("the poll", response.text()).await.unwrap();
    let messages = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    messages.map(|message| message["message"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Asks for a WebSocket; gives the status that refuses it.
async fn websocket_status(client: &Client, path: &str) -> u16 {
    let address = format!("{}{path}", client.url.replacen("http", "ws", 1));
    let mut request = address.into_client_request().unwrap();
    request.headers_mut().insert("authorization", format!("Bearer {}", client.token).parse().unwrap());
    match within_timeout("the upgrade", tokio_tungstenite::connect_async(request)).await {
        Err(tokio_tungstenite::tungstenite::Error::Http(response)) => response.status().as_u16(),
        Ok(_) => 101,
        Err(e) => panic!("{e}"),
    }
}

async fn subscribe(client: &Client) -> crate::support::Answer {
    client
        .put("subscriptions", json!({"target": {"type": "topic", "id": "ops"}, "actions": ["publish"]}))
        .await
}

/// A server, with the readers ann and mal, of whom mal is not named later.
async fn with_two_readers() -> (Running, Client, Client) {
    let s = start().await;
    let (ann, mal) = (s.user("ann").await, s.user("mal").await);
    (s, ann, mal)
}

const READ_BY_ANN: &str = r#"{"name": "Operations", "readers": ["ann"]}"#;

async fn set_readers(s: &Running, settings: &str) {
    s.admin.put("topics/ops", serde_json::from_str(settings).unwrap()).await.is(200);
}

#[tokio::test]
async fn a_topic_with_readers_is_read_at_every_door_by_them_alone() {
    let (s, ann, mal) = with_two_readers().await;
    for client in [&ann, &mal] {
        subscribe(client).await.is(200);
    }
    mal.put("follows/ops", json!({})).await.is(200);
    publish(&ann, "/ops", "for all").await;
    for client in [&ann, &mal] {
        assert_eq!(poll(client, "/ops,other/json?poll=1").await, ["for all"]);
        assert_eq!(client.inbox().await.len(), 1);
    }
    set_readers(&s, READ_BY_ANN).await;
    publish(&mal, "/ops", "who publishes is another setting").await;
    let answer = ann.send(ann.request(Method::POST, "/ops?attach=https://x.example/secret.pdf").body("file"));
    answer.await.is(200);

    for path in ["ops", "other,ops", "ops,other"] {
        for form in
            ["json", "sse", "raw", "json?poll=1", "sse?poll=1", "raw?poll=1", "json?poll=1&sched=1", "auth"]
        {
            let refused = mal.get(&format!("/{path}/{form}")).await.is(403);
            assert_eq!((&refused["code"], &refused["error"]), (&json!(40301), &json!("forbidden")), "{form}");
        }
        assert_eq!(websocket_status(&mal, &format!("/{path}/ws")).await, 403);
    }
    assert_eq!(websocket_status(&ann, "/ops/ws").await, 101);
    subscribe(&mal).await.problem(403, "forbidden", None);
    let press = s.publisher().await;
    let for_mal =
        json!({"target": {"type": "topic", "id": "ops"}, "reason": "create_article", "actions": ["publish"]});
    press.put("subscriptions?user=mal", for_mal.clone()).await.problem(403, "forbidden", None);
    press.put("subscriptions?user=ann", for_mal).await.is(200);
    mal.put("subscriptions", json!({"target": {"type": "article", "id": "ops"}, "actions": ["publish"]}))
        .await
        .is(200);

    assert_eq!(mal.inbox().await.len(), 1, "its subscription and its follow bring nothing any more");
    assert_eq!(mal.unread("reminder").await, 1);
    assert_eq!(ann.inbox().await.len(), 3);
    assert_eq!(poll(&ann, "/ops/json?poll=1").await.len(), 3);
    assert_eq!(ann.get("/ops/auth").await.is(200), json!({"success": true}));
    assert_eq!(
        poll(&s.admin, "/ops/json?poll=1").await.len(),
        3,
        "who administers may read what may be read"
    );

    set_readers(&s, "{}").await;
    assert_eq!(mal.inbox().await.len(), 1, "what the pull has passed does not come back");
    assert_eq!(poll(&mal, "/ops/json?poll=1").await.len(), 3);
    publish(&ann, "/ops", "for all again").await;
    assert_eq!(mal.inbox().await.len(), 2);
    s.holds_together().await;
}

#[tokio::test]
async fn readers_are_listed_with_the_settings_and_bounded() {
    let s = start().await;
    let set = s.admin.put("topics/ops", json!({"readers": ["ann", "b.o-b_"]})).await.is(200);
    assert_eq!(set["readers"], json!(["ann", "b.o-b_"]));
    assert_eq!(s.admin.get("topics/ops").await.is(200), set);
    assert_eq!(s.admin.get("topics").await.is(200), json!([set]));
    assert_eq!(s.admin.put("topics/ops", json!({"readers": []})).await.is(200)["readers"], json!([]));
    assert_eq!(s.admin.put("topics/ops", json!({"readers": null})).await.is(200)["readers"], Value::Null);
    for (readers, field) in [(json!(["a b"]), "readers[0]"), (json!(vec!["a"; 1_001]), "readers")] {
        s.admin.put("topics/ops", json!({"readers": readers})).await.problem(400, "invalid", Some(field));
    }
    s.user("mal").await.put("topics/ops", json!({"readers": ["mal"]})).await.problem(403, "forbidden", None);
}

#[tokio::test]
async fn open_streams_of_those_who_are_not_named_end_and_those_of_readers_go_on() {
    let (s, ann, mal) = with_two_readers().await;
    let mut of_mal = Vec::new();
    for path in ["/ops/json", "/other,ops/json?since=all"] {
        let mut stream = Stream::open(&mal, path).await;
        assert_eq!(stream.event().await["event"], "open");
        of_mal.push(stream);
    }
    let mut elsewhere = Stream::open(&mal, "/other/json").await;
    let mut of_ann = Stream::open(&ann, "/ops/json").await;
    for stream in [&mut elsewhere, &mut of_ann] {
        stream.event().await;
    }
    publish(&ann, "/ops", "for all").await;
    for stream in of_mal.iter_mut().chain([&mut of_ann]) {
        assert_eq!(stream.event().await["message"], "for all");
    }
    set_readers(&s, READ_BY_ANN).await;
    publish(&ann, "/ops", "secret").await;
    for stream in &mut of_mal {
        while let Some(line) = stream.line().await {
            assert!(!line.contains("secret"), "{line}");
        }
    }
    assert_eq!(of_ann.event().await["message"], "secret");
    publish(&ann, "/other", "something else").await;
    assert_eq!(elsewhere.event().await["message"], "something else");
}

#[tokio::test]
async fn a_live_channel_gets_no_hint_of_what_its_user_may_not_read() {
    let (s, ann, mal) = with_two_readers().await;
    subscribe(&mal).await.is(200);
    set_readers(&s, READ_BY_ANN).await;
    let mut channel = Channel::open(&mal).await;
    publish(&ann, "/ops", "secret").await;
    let posted = s.admin.post("announcements", json!({"title": "for all"})).await.is(201);
    assert_eq!(
        channel.event("hint").await["stamp"],
        posted["stamp"],
        "the first hint is of the announcement"
    );
    assert_eq!(mal.inbox().await.len(), 1);
}

#[tokio::test]
async fn what_is_delayed_is_listed_to_its_publisher_alone() {
    let (s, me, nobody) = standalone().await;
    s.user("ann").await;
    let ann = s.token("ann", &[Scope::Inbox, Scope::Publish]).await;
    let mal = s.user("mal").await;
    let delayed = async |client: &Client, text: &'static str| {
        client.send(client.request(Method::POST, "/ops").header("In", "1h").body(text)).await.is(200);
    };
    delayed(&ann, "of ann").await;
    delayed(&nobody, "of a program").await;
    let listed = async |client: &Client| poll(client, "/ops/json?poll=1&sched=1").await;
    let other_token = s.token("ann", &[Scope::Inbox]).await;
    assert_eq!(listed(&other_token).await, ["of ann", "of a program"], "one user is one publisher");
    for client in [&me, &mal, &s.admin] {
        assert_eq!(listed(client).await, ["of a program"], "what has no token is of this machine's user");
    }
    let forwarded =
        mal.request(Method::GET, "/ops/json?poll=1&sched=1").header("X-Forwarded-For", "192.0.2.1");
    assert_eq!(forwarded.send().await.unwrap().text().await.unwrap(), "", "and of nobody elsewhere");
}
