//! Tests of the live channel: a hint after every change, and the end with the token.

use std::time::Duration;

use futures_util::StreamExt;
use serde_json::{Value, json};
use tidings_model::wire::Scope;
use tidings_server::ServerConfig;
use tidings_testkit::postgres::Database;

use crate::clocks::node_with;
use crate::support::{Client, start, start_with, until, within_timeout};

/// An open live channel.
pub(crate) struct Channel {
    stream: futures_util::stream::BoxStream<'static, reqwest::Result<bytes::Bytes>>,
    text: String,
}

impl Channel {
    pub(crate) async fn open(client: &Client) -> Self {
        let request = client.request(reqwest::Method::GET, "events");
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        let mut this = Self { stream: response.bytes_stream().boxed(), text: String::new() };
        assert_eq!(this.next().await.as_deref(), Some(": open"));
        this
    }

    /// The next block of the stream; `None` at its end.
    async fn next(&mut self) -> Option<String> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let block = block.to_owned();
                self.text = rest.to_string();
                return Some(block);
            }
            match within_timeout("more of the channel", self.stream.next()).await {
                Some(Ok(bytes)) => self.text.push_str(std::str::from_utf8(&bytes).unwrap()),
                _ => return None,
            }
        }
    }

    /// Waits for the end of the stream.
    pub(crate) async fn ends(mut self) {
        while self.next().await.is_some() {}
    }

    /// The data of the next event of this name.
    pub(crate) async fn event(&mut self, name: &str) -> Value {
        loop {
            let block = self.next().await.expect("the channel is open");
            if block.starts_with(&format!("event: {name}\n")) {
                let data = block.lines().find_map(|l| l.strip_prefix("data: ")).unwrap();
                return serde_json::from_str(data).unwrap();
            }
        }
    }

    /// Reads the stream to its end.
    pub(crate) async fn wait_for_end(&mut self) {
        while self.next().await.is_some() {}
    }
}

#[tokio::test]
async fn a_hint_follows_every_change_of_the_inbox() {
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    let publisher = s.publisher().await;
    alice.subscribe("1", &["like"]).await;
    let mut channel = Channel::open(&alice).await;
    let posted = publisher.remind("carol", "like", "1").await;
    assert_eq!(channel.event("hint").await["stamp"], posted["stamp"]);
    let posted = bob.post("messages", json!({"to": "alice", "body": "m"})).await.is(201);
    assert_eq!(channel.event("hint").await["stamp"], posted["stamp"]);
    publisher.post("announcements", json!({"title": "a"})).await.is(201);
    channel.event("hint").await;
    // A change on another device of the same user.
    alice.op("read", &[posted["msgid"].as_str().unwrap()], json!({})).await;
    channel.event("hint").await;
    alice.post("groups", json!({"id": "g", "name": "G", "members": ["bob"]})).await.is(201);
    bob.post("groups/g/messages", json!({"body": "x"})).await.is(201);
    channel.event("hint").await;
}

#[tokio::test]
async fn a_hint_says_that_the_other_of_a_conversation_was_removed() {
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    bob.post("messages", json!({"to": "alice", "body": "m"})).await.is(201);
    let next = alice.get("sync").await.is(200)["next"].as_str().unwrap().to_owned();
    let mut channel = Channel::open(&alice).await;
    s.admin.delete("users/bob").await.is(204);
    channel.event("hint").await;
    let page = alice.get(&format!("sync?since={next}")).await.is(200);
    assert_eq!(page["closed"][0]["conversation"], "user:bob");
}

#[tokio::test]
async fn receipts_arrive_live() {
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    alice.post("groups", json!({"id": "g", "name": "G", "members": ["bob"]})).await.is(201);
    let mut channel = Channel::open(&alice).await;
    let posted = alice.post("groups/g/messages", json!({"body": "x"})).await.is(201);
    bob.put("conversations/group:g/read", json!({"through": posted["msgid"]})).await.is(200);
    let got = channel.event("receipts").await;
    assert_eq!(got["receipts"][0]["reader"], "bob");
    assert!(got["next"].is_string());
}

#[tokio::test]
async fn receipts_that_nobody_announced_ride_on_the_keep_alive() {
    let s = start_with(|c| c.keep_alive_interval = Duration::from_millis(100)).await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    alice.post("groups", json!({"id": "g", "name": "G", "members": ["bob"]})).await.is(201);
    let posted = alice.post("groups/g/messages", json!({"body": "x"})).await.is(201);
    bob.put("conversations/group:g/read", json!({"through": posted["msgid"]})).await.is(200);
    // The receipts were made before anybody listened.
    let mut channel = Channel::open(&alice).await;
    let block = channel.next().await.unwrap();
    assert!(block.contains("event: receipts\n") && block.contains("\"reader\":\"bob\""), "{block}");
    assert!(block.contains(": alive"), "{block}");
    assert_eq!(channel.next().await.as_deref(), Some(": alive"), "each channel carries them once");
    let through = alice.get("receipts").await.is(200)["next"].clone();
    alice.post("receipts/ack", json!({"through": through})).await.is(200);
    assert_eq!(channel.next().await.as_deref(), Some(": alive"));
}

#[tokio::test]
async fn what_arrived_is_told_with_the_keep_alive_and_by_no_event_of_its_own() {
    let s = start_with(|c| c.keep_alive_interval = Duration::from_secs(2)).await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    alice.post("groups", json!({"id": "g", "name": "G", "members": ["bob"]})).await.is(201);
    alice.post("groups/g/messages", json!({"body": "x"})).await.is(201);
    let (_, _, since) = alice.pull(None, 10).await;
    let mut channel = Channel::open(&alice).await;
    bob.pull(None, 10).await;
    let (mut blocks, mut hint) = (Vec::new(), None);
    while hint.is_none() {
        let block = channel.next().await.unwrap();
        hint = block.contains("event: hint").then_some(blocks.len());
        blocks.push(block);
    }
    let alive = blocks.iter().position(|block| block.contains(": alive"));
    assert!(alive < hint && alive.is_some(), "{blocks:?}");
    let (news, _, _) = alice.pull(Some(&since), 10).await;
    assert_eq!(news[0]["receipt"], json!({"read": 0, "delivered": 1, "members": 1}));
}

#[tokio::test]
async fn what_arrived_at_another_node_is_told_with_the_keep_alive_of_this_one() {
    let often = |config: &mut ServerConfig| config.keep_alive_interval = Duration::from_millis(100);
    let database = Database::empty();
    let (one, two) = (node_with(&database, 0, often).await, node_with(&database, 0, often).await);
    let (alice, bob) = (one.user("alice").await, one.user("bob").await);
    alice.post("groups", json!({"id": "g", "name": "G", "members": ["bob"]})).await.is(201);
    alice.post("groups/g/messages", json!({"body": "x"})).await.is(201);
    let (_, _, since) = alice.pull(None, 10).await;
    let mut channel = Channel::open(&alice).await;
    Client::new(&two.url, &bob.token).pull(None, 10).await;
    // Who has just come may get a hint of what was pulled before. The sender pulls nothing, so nothing else tells it.
    while channel.event("hint").await["stamp"].as_str() <= Some(since.as_str()) {}
    let (news, _, _) = alice.pull(Some(&since), 10).await;
    assert_eq!(news[0]["receipt"], json!({"read": 0, "delivered": 1, "members": 1}));
}

#[tokio::test]
async fn a_user_has_so_many_channels_and_no_more() {
    let s = start().await;
    let alice = s.user("alice").await;
    let max_channels = alice.get("info").await.is(200)["limits"]["channels"].as_u64().unwrap();
    let mut open = Vec::new();
    for _ in 0..max_channels {
        open.push(Channel::open(&alice).await);
    }
    alice.get("events").await.problem(429, "rate_limited", None);
    let bob = s.user("bob").await;
    Channel::open(&bob).await;
    drop(open);
    until("one of them is free again", || async {
        let request = alice.request(reqwest::Method::GET, "events");
        request.send().await.unwrap().status() == 200
    })
    .await;
}

#[tokio::test]
async fn a_channel_ends_with_its_token_its_user_and_the_server() {
    let s = start().await;
    let alice = s.user("alice").await;
    let other = s.token("alice", &[Scope::Inbox]).await;
    let mut channel = Channel::open(&alice).await;
    let id = alice.get("tokens").await.is(200)[0]["id"].as_str().unwrap().to_owned();
    other.delete(&format!("tokens/{id}")).await.is(204);
    channel.wait_for_end().await;
    let mut channel = Channel::open(&other).await;
    s.admin.delete("users/alice").await.is(204);
    channel.wait_for_end().await;
    let bob = s.user("bob").await;
    let mut channel = Channel::open(&bob).await;
    s.stop().await;
    channel.wait_for_end().await;
}

#[tokio::test]
async fn a_channel_ends_also_when_another_process_revokes_its_token() {
    let s = start().await;
    let alice = s.user("alice").await;
    let mut channel = Channel::open(&alice).await;
    // The server has checked the token at least once after a second.
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    let config = tidings_server::ServerConfig::new(s.dir.path());
    let second = tidings_server::Server::open(config, s.clock.clone()).await.unwrap();
    let id = second.tokens(Some("alice")).await.unwrap()[0].id.clone();
    second.revoke_token(&id).await.unwrap();
    channel.wait_for_end().await;
}

#[tokio::test]
async fn a_stream_ends_also_when_another_process_revokes_its_token_while_it_starts() {
    let s = start().await;
    s.user("alice").await;
    let fresh = s.server.create_token("alice", "phone", &[Scope::Inbox]).await.unwrap();
    let alice = Client::new(&s.url, &fresh.token);
    let config = tidings_server::ServerConfig::new(s.dir.path());
    let other = tidings_server::Server::open(config, s.clock.clone()).await.unwrap();
    // The server has just looked the token up, and does not see what another process does.
    alice.get("me").await.is(200);
    other.revoke_token(&fresh.about.id).await.unwrap();
    let request = alice.request(reqwest::Method::GET, "events");
    let response = request.send().await.unwrap();
    if response.status() == 200 {
        drop(within_timeout("the end of the stream", response.bytes()).await);
    } else {
        assert_eq!(response.status(), 401);
    }
}
