//! Tests of Gotify's stream: it gets what is published while it is open, once and in order, and ends with its token.

use futures_util::StreamExt;
use serde_json::{Value, json};
use tidings_model::wire::Scope;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use crate::gotify::{application, messages};
use crate::support::{Client, Running, start_with, within_timeout};

/// An open stream.
struct Stream(WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>);

impl Stream {
    async fn open(client: &Client) -> Self {
        let address = format!("{}/stream?token={}", client.url.replacen("http", "ws", 1), client.token);
        let opened = within_timeout("the upgrade", tokio_tungstenite::connect_async(address)).await;
        Self(opened.unwrap().0)
    }

    /// The next message or ping (null); `None` at the end.
    async fn next(&mut self) -> Option<Value> {
        match within_timeout("something of the stream", self.0.next()).await {
            Some(Ok(Message::Text(text))) => Some(serde_json::from_str(&text).unwrap()),
            Some(Ok(Message::Ping(_))) => Some(Value::Null),
            _ => None,
        }
    }

    async fn message(&mut self) -> Value {
        loop {
            let next = self.next().await.expect("the stream is open");
            if !next.is_null() {
                return next;
            }
        }
    }
}

async fn running() -> (Running, Client) {
    let s = start_with(|c| c.keep_alive_interval = std::time::Duration::from_millis(300)).await;
    let alice = s.user("alice").await;
    (s, alice)
}

async fn publish(app: &Client, message: &str) -> Value {
    app.post("/message", json!({"message": message, "priority": 5})).await.is(200)
}

#[tokio::test]
async fn a_stream_gets_what_comes_is_pinged_and_ends_with_its_client() {
    let (s, alice) = running().await;
    let (_, app) = application(&alice, "a").await;
    publish(&app, "before").await;
    let made = alice.post("/client", json!({"name": "phone"})).await.is(200);
    let mut stream = Stream::open(&alice.with_token(made["token"].as_str().unwrap())).await;
    let mut other = Stream::open(&alice).await;
    let bob = s.user("bob").await;
    let (_, app_of_bob) = application(&bob, "b").await;
    publish(&app_of_bob, "not Alice's").await;
    let now = publish(&app, "now").await;
    assert_eq!((stream.message().await, other.message().await), (now.clone(), now));
    assert!(stream.next().await.unwrap().is_null(), "a ping");
    alice.delete(&format!("/client/{}", made["id"])).await.is(200);
    while stream.next().await.is_some() {}
    let last = publish(&app, "last").await;
    assert_eq!(other.message().await, last, "other streams of the user go on");
}

#[tokio::test]
async fn a_stream_misses_and_repeats_nothing_while_four_publish() {
    const EACH: usize = 100;
    let (_s, alice) = running().await;
    let (_, app) = application(&alice, "a").await;
    let mut stream = Stream::open(&alice).await;
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let app = app.clone();
            tokio::spawn(async move {
                for n in 0..EACH {
                    publish(&app, &format!("{writer}.{n}")).await;
                }
            })
        })
        .collect();
    let mut received = Vec::new();
    while received.len() < 4 * EACH {
        received.push(stream.message().await);
    }
    for writer in writers {
        writer.await.unwrap();
    }
    let ids: Vec<i64> = received.iter().map(|message| message["id"].as_i64().unwrap()).collect();
    assert!(ids.is_sorted_by(|a, b| a < b), "in order, and none twice");
    let page = alice.get("/message?limit=200").await.is(200);
    let newest: Vec<&Value> = page["messages"].as_array().unwrap().iter().collect();
    assert_eq!(newest, received.iter().rev().take(200).collect::<Vec<_>>(), "as the list has them");
    assert_eq!(alice.unread("reminder").await, 400);
    let last = publish(&app, "last").await;
    assert_eq!(stream.message().await, last, "nothing else was left");
}

#[tokio::test]
async fn what_a_client_says_on_a_stream_is_dropped_and_too_much_ends_it() {
    use futures_util::SinkExt;
    let (_s, alice) = running().await;
    let (_, app) = application(&alice, "a").await;
    let mut stream = Stream::open(&alice).await;
    stream.0.send(Message::Text("hello".into())).await.unwrap();
    let sent = publish(&app, "one").await;
    assert_eq!(stream.message().await, sent);
    stream.0.send(Message::Text("x".repeat(100_000).into())).await.unwrap();
    while stream.next().await.is_some() {}
    let again = Stream::open(&alice).await;
    drop(again);
    assert_eq!(messages(&alice).await.len(), 1);
}

#[tokio::test]
async fn a_stream_ends_with_its_user() {
    let (s, alice) = running().await;
    let other = s.token("alice", &[Scope::Inbox]).await;
    let mut streams = [Stream::open(&alice).await, Stream::open(&other).await];
    s.admin.delete("users/alice").await.is(204);
    for stream in &mut streams {
        while stream.next().await.is_some() {}
    }
}
