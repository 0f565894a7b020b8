//! Tests of ntfy's subscriptions: polls and streams get their messages, and neither misses or repeats anything.

use std::collections::HashSet;

use base64::Engine;
use futures_util::StreamExt;
use reqwest::Method;
use serde_json::{Value, json};
use tidings_model::wire::Scope;
use tidings_server::ServerConfig;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use crate::support::{Client, Running, start_with, until, within_timeout};

pub(crate) async fn standalone() -> (Running, Client, Client) {
    standalone_with(|_| {}).await
}

async fn standalone_with(configure: impl FnOnce(&mut ServerConfig)) -> (Running, Client, Client) {
    let s = start_with(|c| {
        c.open_publish = true;
        c.standalone_owner = Some("me".to_owned());
        c.keep_alive_interval = std::time::Duration::from_millis(300);
        configure(c);
    })
    .await;
    let me = s.token("me", &[Scope::Inbox]).await;
    let nobody = Client::without_token(&s.url);
    (s, me, nobody)
}

pub(crate) async fn publish(client: &Client, path: &str, body: &str) -> Value {
    client.send(client.request(Method::POST, path).body(body.to_owned())).await.is(200)
}

/// Revokes all tokens of `me`.
async fn revoke_tokens(s: &Running) {
    for token in s.server.tokens(Some("me")).await.unwrap() {
        s.server.revoke_token(&token.id).await.unwrap();
    }
}

/// The messages of a poll.
async fn poll(client: &Client, path: &str) -> Vec<Value> {
    let response = client.request(Method::GET, path).send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "application/x-ndjson; charset=utf-8");
    let text = within_timeout("the poll", response.text()).await.unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn texts(messages: &[Value]) -> Vec<&str> {
    messages.iter().map(|m| m["message"].as_str().unwrap_or_default()).collect()
}

fn events(messages: &[Value]) -> Vec<&str> {
    messages.iter().map(|m| m["event"].as_str().unwrap_or_default()).collect()
}

/// An open stream, line by line.
pub(crate) struct Stream {
    bytes: futures_util::stream::BoxStream<'static, reqwest::Result<bytes::Bytes>>,
    text: String,
}

impl Stream {
    pub(crate) async fn open(client: &Client, path: &str) -> Self {
        let response = client.request(Method::GET, path).send().await.unwrap();
        assert_eq!(response.status(), 200);
        Self { bytes: response.bytes_stream().boxed(), text: String::new() }
    }

    /// The next line; `None` at the end.
    pub(crate) async fn line(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.text.find('\n') {
                let line: String = self.text.drain(..=end).collect();
                return Some(line.trim_end_matches('\n').to_owned());
            }
            match within_timeout("more of the stream", self.bytes.next()).await {
                Some(Ok(bytes)) => self.text.push_str(std::str::from_utf8(&bytes).unwrap()),
                _ => return None,
            }
        }
    }

    /// The next event other than a keep-alive.
    pub(crate) async fn event(&mut self) -> Value {
        loop {
            let line = self.line().await.expect("the stream is open");
            let event: Value = serde_json::from_str(&line).unwrap();
            if event["event"] != "keepalive" {
                return event;
            }
        }
    }
}

#[tokio::test]
async fn a_poll_gives_what_was_published_from_where_it_is_asked() {
    let (s, me, nobody) = standalone().await;
    let first = publish(&nobody, "/a?title=First&p=5&tags=x,y", "one").await;
    s.clock.advance(60);
    let second = publish(&nobody, "/b", "two").await;
    let third = publish(&nobody, "/a", "three").await;
    let all = poll(&me, "/a,b/json?poll=1").await;
    assert_eq!(texts(&all), ["one", "two", "three"]);
    assert_eq!(all[0], first, "as its publisher was answered");
    assert_eq!(
        (&all[0]["title"], &all[0]["priority"], &all[0]["tags"]),
        (&json!("First"), &json!(5), &json!(["x", "y"]))
    );
    let id = |message: &Value| message["id"].as_str().unwrap().to_owned();
    for (since, wanted) in [
        ("all".to_owned(), vec!["one", "two", "three"]),
        ("none".to_owned(), vec![]),
        ("latest".to_owned(), vec!["two", "three"]),
        ("30s".to_owned(), vec!["two", "three"]),
        ("1h".to_owned(), vec!["one", "two", "three"]),
        (second["time"].to_string(), vec!["two", "three"]),
        (id(&first), vec!["two", "three"]),
        (id(&third), vec![]),
    ] {
        let found = poll(&me, &format!("/a,b/json?poll=1&since={since}")).await;
        assert_eq!(texts(&found), wanted, "{since}");
    }
    for (filter, wanted) in [
        ("priority=5", vec!["one"]),
        ("priority=max,default", vec!["one", "three"]),
        ("tags=x,y", vec!["one"]),
        ("tags=x,z", vec![]),
        ("title=First", vec!["one"]),
        ("message=three", vec!["three"]),
        (&format!("id={}", id(&third)), vec!["three"]),
    ] {
        assert_eq!(texts(&poll(&me, &format!("/a/json?poll=1&{filter}")).await), wanted, "{filter}");
    }
    let refused = me.get("/a/json?poll=1&since=yesterday").await.is(400);
    assert_eq!(refused["code"], 40008);
}

#[tokio::test]
async fn a_stream_opens_gets_what_comes_and_is_kept_alive() {
    let (_s, me, nobody) = standalone().await;
    publish(&nobody, "/a", "before").await;
    let mut stream = Stream::open(&me, "/a,b/json").await;
    let open = stream.event().await;
    assert_eq!((open["event"].as_str(), open["topic"].as_str()), (Some("open"), Some("a,b")));
    assert_eq!(open["id"].as_str().unwrap().len(), 12);
    let published = publish(&nobody, "/b", "now").await;
    assert_eq!(stream.event().await, published);
    let alive: Value = serde_json::from_str(&stream.line().await.unwrap()).unwrap();
    assert_eq!((alive["event"].as_str(), alive["topic"].as_str()), (Some("keepalive"), Some("a,b")));
    publish(&nobody, "/a", "two\nlines").await;
    let mut raw = Stream::open(&me, "/a/raw?since=all").await;
    assert_eq!(raw.line().await.as_deref(), Some(""));
    assert_eq!(raw.line().await.as_deref(), Some("before"));
    assert_eq!(raw.line().await.as_deref(), Some("two lines"));
    let mut sse = Stream::open(&me, "/a/sse?since=all").await;
    assert_eq!(sse.line().await.as_deref(), Some("event: open"));
    sse.line().await;
    assert_eq!(sse.line().await.as_deref(), Some(""));
    let data = sse.line().await.unwrap();
    let message: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
    assert_eq!(message["message"], "before");
}

#[tokio::test]
async fn a_sequence_is_revised_cleared_and_deleted_for_those_who_listen_and_those_who_come_later() {
    let (s, me, nobody) = standalone().await;
    let mut stream = Stream::open(&me, "/job/json").await;
    stream.event().await;
    let first = publish(&nobody, "/job/run-1", "10 %").await;
    assert_eq!(first["sequence_id"], "run-1");
    // Who has not heard the first content when the second replaces it hears the second alone.
    assert_eq!(stream.event().await, first);
    let second = publish(&nobody, "/job/run-1", "90 %").await;
    assert_ne!(first["id"], second["id"], "clients know messages by their ids");
    assert_eq!(stream.event().await, second);
    assert_eq!(me.unread("reminder").await, 1, "it is one item");
    let put = |path: &'static str| nobody.send(nobody.request(Method::PUT, path));
    let cleared = put("/job/run-1/clear").await.is(200);
    assert_eq!(
        (cleared["event"].as_str(), cleared["sequence_id"].as_str()),
        (Some("message_clear"), Some("run-1"))
    );
    assert_eq!(stream.event().await, cleared);
    assert_eq!(me.unread("reminder").await, 0);
    let plain = publish(&nobody, "/job", "by its id").await;
    let plain_id = plain["id"].as_str().unwrap();
    let revised = publish(&nobody, &format!("/job/{plain_id}"), "corrected").await;
    assert_eq!((&revised["sequence_id"], me.unread("reminder").await), (&plain["id"], 1));
    let deleted = nobody.send(nobody.request(Method::DELETE, "/job/run-1")).await.is(200);
    assert_eq!(deleted["event"], "message_delete");
    let late = poll(&me, "/job/json?poll=1").await;
    assert_eq!(events(&late), ["message", "message_delete"]);
    assert_eq!((&late[0], &late[1]), (&revised, &deleted));
    let since = poll(&me, &format!("/job/json?poll=1&since={}", revised["id"].as_str().unwrap())).await;
    assert_eq!(since, [deleted], "a revision's id is a place to go on from");
    let unknown = nobody.send(nobody.request(Method::DELETE, "/job/nobody-knows")).await.is(200);
    assert_eq!(unknown["event"], "message_delete");
    s.holds_together().await;
}

#[tokio::test]
async fn what_waits_is_listed_on_request_replaced_by_its_sequence_and_cancelled() {
    let (_s, me, nobody) = standalone().await;
    let delayed = |path: &'static str, text: &'static str| {
        nobody.send(nobody.request(Method::POST, path).header("In", "1h").body(text))
    };
    let plain = delayed("/t", "plain").await.is(200);
    delayed("/t/seq", "first").await.is(200);
    let replaced = delayed("/t/seq", "second").await.is(200);
    assert!(poll(&me, "/t/json?poll=1").await.is_empty());
    let waiting = poll(&me, "/t/json?poll=1&scheduled=1").await;
    assert_eq!(texts(&waiting), ["plain", "second"]);
    assert_eq!(waiting[1], replaced);
    let id = plain["id"].as_str().unwrap();
    nobody.send(nobody.request(Method::DELETE, &format!("/t/{id}"))).await.is(200);
    assert_eq!(texts(&poll(&me, "/t/json?poll=1&sched=1").await), ["second"]);
    publish(&nobody, "/t/seq", "now").await;
    assert_eq!(texts(&poll(&me, "/t/json?poll=1&sched=1").await), ["now"], "it does not come twice");
}

#[tokio::test]
async fn a_request_to_poll_reaches_those_who_listen_and_is_stored_nowhere() {
    let (_s, me, nobody) = standalone().await;
    let mut stream = Stream::open(&me, "/a/json?priority=5").await;
    stream.event().await;
    let request = nobody.request(Method::POST, "/a").header("X-Poll-ID", "AbC123xyz_-9");
    let answer = nobody.send(request).await.is(200);
    assert_eq!(stream.event().await, answer);
    assert_eq!((&answer["event"], &answer["poll_id"]), (&json!("poll_request"), &json!("AbC123xyz_-9")));
    assert_eq!(answer["message"], "New message");
    assert!(poll(&me, "/a/json?poll=1").await.is_empty() && me.inbox().await.is_empty());
    let bad = nobody.request(Method::POST, "/a").header("X-Poll-ID", "a b");
    nobody.send(bad).await.is(400);
}

#[tokio::test]
async fn only_a_token_that_reads_may_listen_and_its_end_ends_the_stream() {
    let (s, me, nobody) = standalone().await;
    let publisher = s.token("me", &[Scope::Publish]).await;
    for path in ["/a/json?poll=1", "/a/sse", "/a/raw", "/a/auth"] {
        assert_eq!(nobody.get(path).await.is(403)["code"], 40301, "{path}");
        assert_eq!(publisher.get(path).await.is(403)["code"], 40301, "{path}");
        assert_eq!(nobody.with_token("tdg_unknown").get(path).await.is(401)["code"], 40101, "{path}");
    }
    assert_eq!(me.get("/a/auth").await.is(200), json!({"success": true}));
    let basic = nobody.request(Method::GET, "/a/auth").basic_auth("anyone", Some(&me.token));
    nobody.send(basic).await.is(200);
    let auth = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(format!("Bearer {}", me.token));
    nobody.get(&format!("/a/json?poll=1&auth={auth}")).await;
    assert_eq!(me.get("/v1/account").await.is(200)["username"], "me");
    for path in ["/v1/account", "/v1/stats"] {
        assert_eq!(nobody.get(path).await.is(403)["code"], 40301, "{path}: also on the same machine");
        assert_eq!(nobody.with_token("tdg_unknown").get(path).await.is(401)["code"], 40101, "{path}");
        publisher.get(path).await.is(200);
    }
    assert_eq!(me.get("/a/ws").await.is(400)["code"], 40016);
    assert_eq!(me.get("/a%20b/json?poll=1").await.is(400)["code"], 40009);
    for refused in [me.get("/备份/json?poll=1").await, me.get("/备份/auth").await] {
        let refused = refused.is(400);
        assert_eq!(refused["code"], 40009);
        assert!(
            refused["error"].as_str().unwrap().contains("the letters A to Z and a to z, digits, - and _")
        );
    }
    let post = me.send(me.request(Method::POST, "/备份").body("text")).await.is(400);
    assert_eq!(post["code"], 40009);
    let mut stream = Stream::open(&me, "/a/json").await;
    stream.event().await;
    revoke_tokens(&s).await;
    while stream.line().await.is_some() {}
}

#[tokio::test]
async fn whoever_comes_back_with_its_last_id_misses_and_repeats_nothing_while_others_publish() {
    const MESSAGES: usize = 400;
    let (s, me, nobody) = standalone().await;
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let nobody = nobody.clone();
            tokio::spawn(async move {
                for n in 0..MESSAGES / 4 {
                    let topic = if n % 3 == 0 { "/a" } else { "/b" };
                    publish(&nobody, topic, &format!("{writer}.{n}")).await;
                }
            })
        })
        .collect();
    let (mut seen, mut last) = (Vec::new(), "all".to_owned());
    let mut round = 0;
    while seen.len() < MESSAGES {
        round += 1;
        let mut stream = Stream::open(&me, &format!("/a,b/json?since={last}")).await;
        stream.event().await;
        for _ in 0..(round % 7 + 1).min(MESSAGES - seen.len()) {
            let message = stream.event().await;
            last = message["id"].as_str().unwrap().to_owned();
            seen.push(message["message"].as_str().unwrap().to_owned());
        }
    }
    for writer in writers {
        writer.await.unwrap();
    }
    assert_eq!(seen.iter().collect::<HashSet<_>>().len(), MESSAGES, "nothing came twice");
    assert!(poll(&me, &format!("/a,b/json?poll=1&since={last}")).await.is_empty(), "and nothing is left");
    until("the streams are gone", || async {
        let metrics = s.admin.request(Method::GET, "/metrics").send().await.unwrap().text().await.unwrap();
        metrics.contains("\ntidings_topic_streams 0\n")
    })
    .await;
}

#[tokio::test]
async fn a_websocket_gets_the_same_is_pinged_and_ends_with_its_token() {
    let (s, me, nobody) = standalone().await;
    let first = publish(&nobody, "/a", "one").await;
    let address = format!("{}/a/ws?since=all", me.url.replacen("http", "ws", 1));
    let mut request = address.into_client_request().unwrap();
    request.headers_mut().insert("authorization", format!("Bearer {}", me.token).parse().unwrap());
    let (mut socket, _) =
        within_timeout("the upgrade", tokio_tungstenite::connect_async(request)).await.unwrap();
    let mut received = async || {
        let message = within_timeout("a message", socket.next()).await;
        match message {
            Some(Ok(Message::Text(text))) => Some(serde_json::from_str::<Value>(&text).unwrap()),
            Some(Ok(Message::Ping(_))) => Some(json!({"event": "ping"})),
            _ => None,
        }
    };
    assert_eq!(received().await.unwrap()["event"], "open");
    assert_eq!(received().await, Some(first));
    let (mut pings, mut second) = (0, None);
    publish(&nobody, "/a", "two").await;
    while pings == 0 || second.is_none() {
        match received().await.expect("the socket is open") {
            event if event["event"] == "ping" => pings += 1,
            event => second = Some(event),
        }
    }
    assert_eq!(second.unwrap()["message"], "two");
    revoke_tokens(&s).await;
    while received().await.is_some() {}
}

/// Takes a table away from a running server, and gives it back.
struct BrokenStore(rusqlite::Connection);

impl BrokenStore {
    fn new(s: &Running) -> Self {
        let file = rusqlite::Connection::open(s.dir.path().join("server.db")).unwrap();
        file.busy_timeout(std::time::Duration::from_secs(60)).unwrap();
        file.execute_batch("ALTER TABLE sequences RENAME TO elsewhere").unwrap();
        Self(file)
    }

    fn mend(&self) {
        self.0.execute_batch("ALTER TABLE elsewhere RENAME TO sequences").unwrap();
    }
}

#[tokio::test]
async fn a_poll_that_fails_is_an_error_and_never_a_part_of_the_answer() {
    const MESSAGES: usize = 60;
    let (s, me, nobody) = standalone_with(|c| c.send_timeout = std::time::Duration::from_secs(60)).await;
    // Far more than what waits on the way to a client that reads nothing.
    let body = "x".repeat(200 * 1024);
    for _ in 0..MESSAGES {
        publish(&nobody, "/a", &body).await;
    }
    for form in ["json", "sse", "raw"] {
        let path = format!("/a/{form}?poll=1");
        let whole = me.request(Method::GET, &path).send().await.unwrap().bytes().await.unwrap();
        assert!(whole.len() > MESSAGES * body.len());
        // It fails after its head was sent.
        let response = me.request(Method::GET, &path).send().await.unwrap();
        assert_eq!(response.status(), 200);
        let mut parts = response.bytes_stream();
        let mut received = within_timeout("a part", parts.next()).await.unwrap().unwrap().len();
        let store = BrokenStore::new(&s);
        let end = loop {
            match within_timeout("the rest", parts.next()).await {
                Some(Ok(part)) => received += part.len(),
                end => break end,
            }
        };
        assert!(matches!(end, Some(Err(_))), "{form}: {received} bytes passed for the whole");
        assert!(received < whole.len(), "{form}");
        // It fails before.
        let refused = me.get(&path).await.is(503);
        assert_eq!(refused["http"], 503, "{form}: {refused}");
        store.mend();
        let again = me.request(Method::GET, &path).send().await.unwrap().bytes().await.unwrap();
        assert_eq!(again.len(), whole.len(), "{form}");
    }
}
