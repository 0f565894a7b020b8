//! Tests of connections: several requests on one connection after any answer, and clients that are slow on purpose.

use std::time::Duration;

use serde_json::{Value, json};
use tidings_server::RateLimit;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{Client, Running, SHUTDOWN_TIMEOUT, TEST_TIMEOUT, logged, start, start_with, until};

/// A TCP connection on which a test writes and reads bytes.
pub(crate) struct RawConnection {
    pub(crate) stream: TcpStream,
    received: Vec<u8>,
}

/// A response as received.
#[derive(Debug)]
pub(crate) struct RawResponse {
    pub(crate) status: u16,
    head: String,
    body: Vec<u8>,
}

impl RawResponse {
    fn announces_close(&self) -> bool {
        self.head.to_ascii_lowercase().contains("\r\nconnection: close")
    }
}

impl RawConnection {
    pub(crate) async fn open(url: &str) -> Self {
        let stream = TcpStream::connect(url.trim_start_matches("http://")).await.unwrap();
        Self { stream, received: Vec::new() }
    }

    async fn read_more(&mut self) -> usize {
        let mut buffer = vec![0; 64 * 1024];
        let read = tokio::time::timeout(TEST_TIMEOUT, self.stream.read(&mut buffer));
        let n = read.await.expect("something comes").unwrap_or(0);
        self.received.extend_from_slice(&buffer[..n]);
        n
    }

    /// The next response other than `100 Continue`; `None` if the connection ended before.
    pub(crate) async fn answer(&mut self) -> Option<RawResponse> {
        loop {
            if let Some(end) = self.received.windows(4).position(|w| w == b"\r\n\r\n") {
                let head = String::from_utf8_lossy(&self.received[..end]).into_owned();
                self.received.drain(..end + 4);
                let status: u16 = head.split(' ').nth(1).unwrap().parse().unwrap();
                if status == 100 {
                    continue;
                }
                let length = head.to_ascii_lowercase();
                let length =
                    length.split("content-length: ").nth(1).map_or("0", |rest| rest.lines().next().unwrap());
                let length: usize = length.trim().parse().unwrap();
                while self.received.len() < length {
                    assert_ne!(self.read_more().await, 0, "the answer is whole: {head}");
                }
                let body = self.received.drain(..length).collect();
                return Some(RawResponse { status, head, body });
            }
            if self.read_more().await == 0 {
                return None;
            }
        }
    }
}

/// How a request body of a size is sent: with `Content-Length`, in chunks, or after `Expect: 100-continue`.
#[derive(Debug, Clone, Copy)]
enum BodyFraming {
    Length(usize),
    Chunked(usize),
    Expected(usize),
}

const FRAMINGS: [BodyFraming; 6] = [
    BodyFraming::Length(0),
    BodyFraming::Length(60 * 1024),
    BodyFraming::Length(3 * 1024 * 1024),
    BodyFraming::Chunked(60 * 1024),
    BodyFraming::Chunked(3 * 1024 * 1024),
    BodyFraming::Expected(60 * 1024),
];

/// The head and the body of a request.
fn request(line: &str, headers: &str, framing: BodyFraming) -> (String, Vec<u8>) {
    let host = if headers.contains("Host:") { "" } else { "Host: localhost\r\n" };
    let head = format!("{line} HTTP/1.1\r\n{host}{headers}");
    match framing {
        BodyFraming::Length(n) => (format!("{head}Content-Length: {n}\r\n\r\n"), vec![b' '; n]),
        BodyFraming::Expected(n) => {
            (format!("{head}Expect: 100-continue\r\nContent-Length: {n}\r\n\r\n"), vec![b' '; n])
        }
        BodyFraming::Chunked(n) => {
            let mut body = Vec::new();
            for _ in 0..n / 1024 {
                body.extend_from_slice(b"400\r\n");
                body.extend_from_slice(&[b' '; 1024]);
                body.extend_from_slice(b"\r\n");
            }
            body.extend_from_slice(b"0\r\n\r\n");
            (format!("{head}Transfer-Encoding: chunked\r\n\r\n"), body)
        }
    }
}

/// Sends a request twice on one connection, and another request after it. All are answered unless an answer says that
/// the connection closes, after which it must close.
async fn assert_announces_close(url: &str, line: &str, headers: &str, framing: BodyFraming, status: u16) {
    let what = format!("{line} {headers:?} {framing:?}");
    let mut raw = RawConnection::open(url).await;
    for _ in 0..2 {
        let (head, body) = request(line, headers, framing);
        raw.stream.write_all(head.as_bytes()).await.unwrap();
        if matches!(framing, BodyFraming::Expected(_)) {
            // The body is sent only after `100 Continue`.
            raw.read_more().await;
            if raw.received.starts_with(b"HTTP/1.1 100") {
                raw.stream.write_all(&body).await.unwrap();
            }
        } else {
            // A connection that closes may not take the whole body.
            drop(raw.stream.write_all(&body).await);
        }
        let answer = raw.answer().await.expect(&what);
        assert_eq!(answer.status, status, "{what}: {}", String::from_utf8_lossy(&answer.body));
        let small = matches!(framing, BodyFraming::Length(n) | BodyFraming::Chunked(n) if n <= 60 * 1024);
        if small && status != 413 {
            assert!(!answer.announces_close(), "{what}: a small body is read, and the connection goes on");
        }
        if answer.announces_close() {
            assert!(raw.answer().await.is_none(), "{what}: it ends");
            return;
        }
    }
    raw.stream.write_all(b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    assert_eq!(raw.answer().await.expect(&what).status, 200, "{what}");
}

#[tokio::test]
async fn no_connection_ends_after_an_answer_that_did_not_say_so() {
    let s = start().await;
    let alice = s.user("alice").await;
    let bearer = format!("Authorization: Bearer {}\r\n", alice.token);
    let first = alice.request(reqwest::Method::POST, "messages").header("idempotency-key", "once");
    alice.send(first.json(&json!({"to": "alice", "body": "x"}))).await.is(201);
    let replay = format!("{bearer}Idempotency-Key: once\r\n");
    let foreign = format!("{bearer}Origin: http://evil.example\r\n");
    let misdirected = format!("{bearer}Host: evil.example\r\n");
    for framing in FRAMINGS {
        for (line, headers, status) in [
            ("POST /api/v1/messages", replay.as_str(), 201),
            ("POST /api/v1/messages", "", 401),
            ("POST /api/v1/messages", foreign.as_str(), 403),
            ("POST /api/v1/nowhere", bearer.as_str(), 404),
            ("POST /api/v1/sync", bearer.as_str(), 405),
            ("POST /api/v1/messages", misdirected.as_str(), 421),
            ("GET /api/v1/unread", bearer.as_str(), 200),
            ("PUT /topic", "", 403),
        ] {
            assert_announces_close(&s.url, line, headers, framing, status).await;
        }
    }
    for framing in [BodyFraming::Length(8 * 1024 * 1024 + 1), BodyFraming::Chunked(9 * 1024 * 1024)] {
        assert_announces_close(&s.url, "POST /api/v1/messages", &bearer, framing, 413).await;
    }
}

#[tokio::test]
async fn whoever_asks_too_often_keeps_its_connection_too() {
    let s = start_with(|c| {
        c.rate = Some(RateLimit { burst: 1, per_second: 1 });
        c.rate_local = true;
    })
    .await;
    let mut raw = RawConnection::open(&s.url).await;
    let mut refused = 0;
    for _ in 0..8 {
        let (head, body) = request("POST /api/v1/messages", "", BodyFraming::Length(10 * 1024));
        raw.stream.write_all(head.as_bytes()).await.unwrap();
        raw.stream.write_all(&body).await.unwrap();
        let answer = raw.answer().await.expect("it goes on");
        assert!(!answer.announces_close());
        refused += usize::from(answer.status == 429);
    }
    assert!(refused > 0);
}

/// Creates a user with an inbox of 6 MB.
pub(crate) async fn full_inbox(s: &Running, id: &str) -> Client {
    let user = s.user(id).await;
    for _ in 0..2 {
        let many = vec![json!({"to": id, "body": "x".repeat(200 * 1024)}); 15];
        user.post("messages", json!(many)).await.is(201);
    }
    user
}

/// Requests a page that is larger than the system's buffers, and does not read the response.
pub(crate) async fn stalled_reader(user: &Client) -> RawConnection {
    let mut raw = RawConnection::open(&user.url).await;
    let head = format!(
        "GET /api/v1/sync?limit=5000 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\r\n",
        user.token
    );
    raw.stream.write_all(head.repeat(12).as_bytes()).await.unwrap();
    raw
}

#[tokio::test]
async fn a_client_that_takes_nothing_of_its_answer_is_let_go() {
    logged();
    let s = start_with(|c| c.send_timeout = Duration::from_millis(300)).await;
    let alice = full_inbox(&s, "alice").await;
    let mut raw = stalled_reader(&alice).await;
    until("it is let go", || async { logged().contains("takes nothing of its answer") }).await;
    let mut rest = Vec::new();
    drop(raw.stream.read_to_end(&mut rest).await);
    let pages = rest.windows(15).filter(|w| w == b"HTTP/1.1 200 OK").count();
    assert!(pages < 12, "not all of it was sent: {pages}");
    alice.get("sync?limit=1").await.is(200);
}

#[tokio::test]
async fn stalled_readers_of_one_user_hold_up_neither_another_nor_the_end() {
    let s = start().await;
    let (alice, bob) = (full_inbox(&s, "alice").await, full_inbox(&s, "bob").await);
    let mut readers = Vec::new();
    for _ in 0..20 {
        readers.push(stalled_reader(&alice).await);
    }
    bob.get("sync").await.is(200);
    bob.get("health").await.is(200);
    s.stop_within(SHUTDOWN_TIMEOUT).await;
}

#[tokio::test]
async fn half_sent_heads_make_way_for_whoever_comes_and_do_not_hold_up_the_end() {
    let s = start_with(|c| c.connections = 16).await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    let mut channel = RawConnection::open(&s.url).await;
    let token = &alice.token;
    let head =
        format!("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n");
    channel.stream.write_all(head.as_bytes()).await.unwrap();
    while !String::from_utf8_lossy(&channel.received).contains(": open") {
        channel.read_more().await;
    }
    let mut half_sent = Vec::new();
    for _ in 0..60 {
        let mut raw = RawConnection::open(&s.url).await;
        drop(raw.stream.write_all(b"GET /api/v1/health HTTP/1.1\r\nHost: local").await);
        half_sent.push(raw);
    }
    alice.get("me").await.is(200);
    bob.post("messages", json!({"to": "alice", "body": "x"})).await.is(201);
    let mut ended = 0;
    for raw in &mut half_sent {
        let mut byte = [0; 1];
        let read = tokio::time::timeout(Duration::from_millis(20), raw.stream.read(&mut byte)).await;
        ended += usize::from(matches!(read, Ok(Ok(0) | Err(_))));
    }
    assert!(ended >= 60 - 16, "{ended} made way");
    while !String::from_utf8_lossy(&channel.received).contains("event: hint") {
        assert_ne!(channel.read_more().await, 0, "a channel is at work, and stays");
    }
    s.stop_within(SHUTDOWN_TIMEOUT).await;
}

#[tokio::test]
async fn what_is_no_request_is_told_so_and_that_the_connection_ends() {
    let s = start().await;
    let mut raw = RawConnection::open(&s.url).await;
    raw.stream.write_all(b"NONSENSE\r\n\r\n").await.unwrap();
    let answer = raw.answer().await.unwrap();
    assert!(answer.status == 400 && answer.announces_close(), "{answer:?}");
    // A body that is not chunked as its head says.
    let alice = s.user("alice").await;
    let mut raw = RawConnection::open(&s.url).await;
    let token = &alice.token;
    let head = format!(
        "POST /api/v1/messages HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
         Transfer-Encoding: chunked\r\n\r\nno chunk\r\n"
    );
    raw.stream.write_all(head.as_bytes()).await.unwrap();
    let answer = raw.answer().await.unwrap();
    assert!(answer.status == 400 && answer.announces_close(), "{answer:?}");
    let problem: Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(problem["field"], "body");
}

#[tokio::test]
async fn a_connection_whose_head_was_read_keeps_no_place_for_large_ones() {
    let s = start_with(|c| c.large_heads = 1).await;
    let alice = s.user("alice").await;
    let body = json!({"to": "alice", "body": "x".repeat(10 * 1024)}).to_string();
    let complete_request = format!(
        "POST /api/v1/messages HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\
         Content-Length: {}\r\n\r\n{body}",
        alice.token,
        body.len()
    );
    let mut open = [RawConnection::open(&s.url).await, RawConnection::open(&s.url).await];
    // The head and body of a later request are read together, and together have the length of a large head.
    for _ in 0..4 {
        for raw in &mut open {
            raw.stream.write_all(complete_request.as_bytes()).await.unwrap();
            assert_eq!(raw.answer().await.expect("it goes on").status, 201);
        }
    }
    // A head that is large and incomplete takes the only place.
    let large = format!("GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nX: {}", "x".repeat(20 * 1024));
    let [first, second] = &mut open;
    first.stream.write_all(large.as_bytes()).await.unwrap();
    until("the place is taken", || async {
        let mut other = RawConnection::open(&s.url).await;
        drop(other.stream.write_all(format!("{large}\r\n\r\n").as_bytes()).await);
        other.answer().await.is_none()
    })
    .await;
    second.stream.write_all(b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    assert_eq!(second.answer().await.unwrap().status, 200);
    first.stream.write_all(b"\r\n\r\n").await.unwrap();
    assert_eq!(first.answer().await.unwrap().status, 200);
}

#[tokio::test]
async fn clients_who_all_connect_at_the_same_moment_are_let_in_before_one_is_accepted() {
    // The number of connections that the system lets wait, if that is less.
    let most = std::fs::read_to_string("/proc/sys/net/core/somaxconn");
    let most = most.ok().and_then(|most| most.trim().parse().ok()).unwrap_or(128);
    let listener = tidings_server::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let connecting: Vec<_> = (0..500.min(most)).map(|_| TcpStream::connect(address)).collect();
    let connected = tokio::time::timeout(TEST_TIMEOUT, futures_util::future::join_all(connecting)).await;
    for stream in connected.expect("the rest waits until some are accepted") {
        stream.unwrap();
    }
}
