//! Tests of the bounds for all streams of a user together: places for connections, and names of topics.

use futures_util::StreamExt;
use reqwest::Method;
use serde_json::json;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use crate::support::{Client, Running, start, start_with, until, within_timeout};

/// Every kind of stream: the path that opens it.
const KINDS: [&str; 6] = ["/api/v1/events", "/a/json", "/a/sse", "/a/raw", "/a/ws", "/stream"];

/// An open stream of any kind.
enum Open {
    Body(futures_util::stream::BoxStream<'static, reqwest::Result<bytes::Bytes>>),
    Socket(Box<WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>>),
}

impl Open {
    /// Waits until the stream ends.
    async fn end(&mut self) {
        loop {
            let goes_on = match self {
                Self::Body(bytes) => matches!(within_timeout("the end", bytes.next()).await, Some(Ok(_))),
                Self::Socket(socket) => {
                    let message = within_timeout("the end", socket.next()).await;
                    matches!(message, Some(Ok(Message::Text(_) | Message::Ping(_))))
                }
            };
            if !goes_on {
                return;
            }
        }
    }
}

/// Opens a stream; the status if it is refused.
async fn open(client: &Client, path: &str) -> Result<Open, u16> {
    if !path.ends_with("/ws") && !path.ends_with("/stream") {
        let response = client.request(Method::GET, path).send().await.unwrap();
        let status = response.status().as_u16();
        return if status == 200 { Ok(Open::Body(response.bytes_stream().boxed())) } else { Err(status) };
    }
    let mut request =
        format!("{}{path}", client.url.replacen("http", "ws", 1)).into_client_request().unwrap();
    request.headers_mut().insert("authorization", format!("Bearer {}", client.token).parse().unwrap());
    match within_timeout("the upgrade", tokio_tungstenite::connect_async(request)).await {
        Ok((socket, _)) => Ok(Open::Socket(Box::new(socket))),
        Err(tungstenite::Error::Http(refused)) => Err(refused.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

/// Waits until a user may open a stream.
async fn open_again(client: &Client, path: &str) -> Open {
    let opened = std::sync::Mutex::new(None);
    until("there is a place", || async {
        let attempt = open(client, path).await.ok();
        let is_open = attempt.is_some();
        *opened.lock().unwrap() = attempt;
        is_open
    })
    .await;
    opened.into_inner().unwrap().unwrap()
}

#[tokio::test]
async fn one_users_streams_of_every_kind_take_a_quarter_of_the_places_and_give_them_back() {
    let s = start_with(|c| c.connections = 16).await;
    let (mal, alice) = (s.user("mal").await, s.user("alice").await);
    for (first, kind) in KINDS.iter().enumerate() {
        let mut held = Vec::new();
        for next in KINDS.iter().cycle().skip(first).take(4) {
            held.push(open_again(&mal, next).await);
        }
        for refused in KINDS {
            assert_eq!(open(&mal, refused).await.err(), Some(429), "{refused}");
        }
        alice.post("messages", json!({"to": "mal", "body": "x"})).await.is(201);
        assert!(open(&alice, kind).await.is_ok(), "others have places of their own");
    }
    s.holds_together().await;
}

#[tokio::test]
async fn where_there_is_no_room_the_oldest_stream_of_whoever_has_most_makes_way() {
    let s = start_with(|c| c.connections = 16).await;
    let mut users = Vec::new();
    for id in ["mal", "mel", "mil", "mol"] {
        users.push(s.user(id).await);
    }
    let (mut held, mut kinds) = (Vec::new(), KINDS.iter().rev().cycle());
    for user in &users[..3] {
        for _ in 0..4 {
            held.push(open(user, kinds.next().unwrap()).await.unwrap());
        }
    }
    let late = &users[3];
    held.push(open(late, "/a/json").await.unwrap());
    held.push(open(late, "/a/ws").await.unwrap());
    // All places for streams are taken, and two are left for requests.
    s.admin.get("users").await.is(200);
    held.push(open(late, "/stream").await.unwrap());
    // A WebSocket of Gotify's, which was the first.
    held[0].end().await;
    held.push(open(late, "/api/v1/events").await.unwrap());
    held[4].end().await;
    late.get("me").await.is(200);
    s.holds_together().await;
}

async fn stream_count(s: &Running) -> String {
    let metrics = s.admin.request(Method::GET, "/metrics").send().await.unwrap().text().await.unwrap();
    let line = metrics.lines().find(|line| line.starts_with("tidings_topic_streams "));
    line.unwrap().to_owned()
}

#[tokio::test]
async fn a_user_listens_to_8192_names_over_all_streams_and_a_closed_one_gives_its_names_back() {
    let s = start().await;
    let (mal, alice) = (s.user("mal").await, s.user("alice").await);
    let topics = |stream: usize| {
        let names: Vec<String> = (0..256).map(|n| format!("{stream}-{n}-{}", "x".repeat(40))).collect();
        format!("/{}/json", names.join(","))
    };
    let mut held = Vec::new();
    for stream in 0..32 {
        held.push(open(&mal, &topics(stream)).await.unwrap());
    }
    let refused = mal.get("/one-more/json").await.is(429);
    assert_eq!(refused["code"], 42903, "{refused}");
    // What ends by itself holds no names, and others have their own.
    mal.get("/one-more/json?poll=1").await.is(200);
    assert!(open(&alice, &topics(0)).await.is_ok());
    drop(held);
    until("they are gone", || async { stream_count(&s).await == "tidings_topic_streams 0" }).await;
    for stream in 32..64 {
        open_again(&mal, &topics(stream)).await;
    }
}

#[tokio::test]
async fn filters_and_repeated_names_count_for_nothing_more_than_their_bytes() {
    let s = start().await;
    let mal = s.user("mal").await;
    // Much text that is no name: it is not kept, and its filters are of the user's share.
    let commas = format!("/a{}/json", ",a".repeat(20_000));
    let mut open_streams = Vec::new();
    let mut stream = open(&mal, &commas).await.unwrap();
    if let Open::Body(bytes) = &mut stream {
        let first = within_timeout("the first event", bytes.next()).await.unwrap().unwrap();
        assert!(first.len() < 200, "{}", String::from_utf8_lossy(&first));
    }
    let filtered = format!("/a/json?title={}", "x".repeat(50_000));
    let refused = loop {
        match open(&mal, &filtered).await {
            Ok(stream) => open_streams.push(stream),
            Err(status) => break status,
        }
        assert!(open_streams.len() < 100, "4 MiB are a share");
    };
    assert_eq!(refused, 429);
    assert!(open_streams.len() > 50);
    drop(stream);
}
