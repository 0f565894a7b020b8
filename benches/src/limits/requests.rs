//! The requests that are measured: for each documented maximum, the most expensive one.

use std::pin::Pin;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::fill::Fixture;
use crate::Result;
use crate::client::expect_success;

type SendFuture = Pin<Box<dyn Future<Output = Result<()>> + Send>>;

/// One measured request, or a few that belong together.
#[derive(Clone, Copy)]
pub(super) struct Request {
    pub(super) name: fn(&Fixture) -> String,
    /// Sends it with the n-th reader's token and waits for the response.
    pub(super) send: fn(Arc<Fixture>, usize) -> SendFuture,
    /// Whether a repetition costs as much as the first time.
    pub(super) repeats: bool,
}

/// Bytes of the largest allowed body.
const BODY_BYTES: usize = 8 * 1024 * 1024;

/// No request for a while; the probes' response times meanwhile are the floor.
pub(super) const IDLE: Request = Request {
    name: |_| "nothing".to_owned(),
    send: |_, _| {
        Box::pin(async {
            tokio::time::sleep(super::LOAD_DURATION).await;
            Ok(())
        })
    },
    repeats: false,
};

/// Sends a body and reads the response, whatever its status.
async fn send_any_status(fixture: &Fixture, user: usize, path: &str, body: Bytes) -> Result<()> {
    send(fixture, user, path, body).await?.bytes().await?;
    Ok(())
}

async fn send(fixture: &Fixture, user: usize, path: &str, body: Bytes) -> Result<reqwest::Response> {
    let token = fixture.tokens.get(user).ok_or("no such reader")?;
    let request = fixture.client.request(token, Method::POST, path);
    Ok(request.header("content-type", "application/json").body(body).send().await?)
}

/// Sends a body; a status other than success is an error.
async fn post(fixture: &Fixture, user: usize, path: &str, body: Bytes) -> Result<()> {
    expect_success(path, send(fixture, user, path, body).await?).await.map(drop)
}

/// One request with the n-th reader's token; a status other than success is an error.
async fn call(fixture: &Fixture, user: usize, method: Method, path: &str, body: &Value) -> Result<Value> {
    let token = fixture.tokens.get(user).ok_or("no such reader")?;
    fixture.call_as(token, method, path, body).await
}

/// Operations on items that no inbox has, as many as fit into one body.
fn operations_body(fixture: &Fixture) -> Bytes {
    let msgids = fixture.body("msgids", || {
        let msgids: Vec<String> = (0..10_000).map(|n| format!("nobody-has-this-item-{n:010}")).collect();
        json!(msgids).to_string()
    });
    let mut body = BytesMut::from(&b"{\"ops\":["[..]);
    for n in 0..24 {
        let comma = if n == 0 { "" } else { "," };
        let id = rand::random::<u64>();
        body.extend_from_slice(format!(r#"{comma}{{"id":"{n}-{id:x}","op":"read","msgids":"#).as_bytes());
        body.extend_from_slice(&msgids);
        body.extend_from_slice(b"}");
    }
    body.extend_from_slice(b"]}");
    body.freeze()
}

/// The cursor of a page of a pull, without its items.
#[derive(Deserialize)]
struct PullPosition {
    next: String,
    more: bool,
}

/// Pulls a whole inbox, from the beginning.
async fn pull(fixture: &Fixture, user: usize) -> Result<()> {
    let token = fixture.tokens.get(user).ok_or("no such reader")?;
    let mut since = String::new();
    loop {
        let path = format!("/sync?limit=5000{since}");
        let page =
            expect_success(&path, fixture.client.request(token, Method::GET, &path).send().await?).await?;
        let PullPosition { next, more } = serde_json::from_str(&page)?;
        since = format!("&since={next}");
        if !more {
            return Ok(());
        }
    }
}

/// Opens connections, sends the same text on each, and reads nothing for a while. A connection that the server refuses
/// or closes is no error.
async fn hold_open(fixture: &Fixture, connections: usize, text: &str) -> Result<()> {
    let address = fixture.client.url.strip_prefix("http://").ok_or("no address")?;
    let mut open = Vec::with_capacity(connections);
    for _ in 0..connections {
        if let Ok(mut connection) = TcpStream::connect(address).await {
            let _ = connection.write_all(text.as_bytes()).await;
            open.push(connection);
        }
    }
    tokio::time::sleep(super::LOAD_DURATION).await;
    Ok(())
}

/// Lists all conversations, page by page.
async fn conversations(fixture: &Fixture, user: usize) -> Result<()> {
    let mut before = String::new();
    loop {
        let page =
            call(fixture, user, Method::GET, &format!("/conversations?limit=1000{before}"), &Value::Null)
                .await?;
        let page = page.as_array().ok_or("no page")?;
        let Some(last) = page.last().and_then(|c| c.get("last")?.get("created_at")?.as_str()) else {
            return Ok(());
        };
        before = format!("&before={last}");
    }
}

macro_rules! request {
    ($name:expr, $repeats:expr, |$fixture:ident, $user:ident| $send:expr) => {
        Request { name: $name, send: |$fixture, $user| Box::pin(async move { $send }), repeats: $repeats }
    };
}

/// All measured requests, in the order of the report's rows.
pub(super) const ALL_REQUESTS: &[Request] = &[
    request!(|_| "a body of 8 MiB of empty objects".to_owned(), true, |fixture, user| {
        let objects =
            fixture.body("objects", || format!("[{}{{}}]", "{\"a\":0},".repeat(BODY_BYTES / 8 - 1)));
        send_any_status(&fixture, user, "/reminders", objects).await
    }),
    request!(|_| "a body of 8 MiB of brackets".to_owned(), true, |fixture, user| {
        send_any_status(&fixture, user, "/reminders", fixture.body("brackets", || "[".repeat(BODY_BYTES)))
            .await
    }),
    request!(|_| "a body of 8 MiB of numbers in `data`".to_owned(), true, |fixture, user| {
        let numbers = || format!("{{\"data\":{{\"n\":[{}0]}}}}", "0,".repeat(BODY_BYTES / 2 - 32));
        let numbers = fixture.body("numbers", numbers);
        send_any_status(&fixture, user, "/reminders", numbers).await
    }),
    request!(|_| "1,000 reminders of 8 KiB each".to_owned(), true, |fixture, user| {
        let actor = super::fill::reader(user);
        let many = fixture.body(&format!("many of {actor}"), || {
            let one = json!({"actor": actor, "action": "like", "target": {"type": "article", "id": "many"},
                "body": "x".repeat(8_000)});
            Value::Array(vec![one; 1_000]).to_string()
        });
        post(&fixture, user, "/reminders", many).await
    }),
    request!(|_| "one notification of 500 KiB".to_owned(), true, |fixture, user| {
        let actor = super::fill::reader(user);
        let one = json!({"actor": actor, "action": "like", "target": {"type": "article", "id": "one"},
            "body": "x".repeat(250_000), "title": "y".repeat(250_000)});
        call(&fixture, user, Method::POST, "/reminders", &one).await.map(drop)
    }),
    request!(
        |fixture| format!("a whole pull of {} items, 150 of them of 64 KiB", fixture.items),
        true,
        |fixture, user| pull(&fixture, user).await
    ),
    request!(|_| "240,000 message ids in one request".to_owned(), true, |fixture, user| {
        post(&fixture, user, "/inbox/ops", operations_body(&fixture)).await
    }),
    request!(
        |fixture| format!("{} conversations, page by page", fixture.conversations),
        true,
        |fixture, user| conversations(&fixture, user).await
    ),
    request!(
        |fixture| format!("unread numbers of {} conversations, cap 1,000", fixture.conversations),
        true,
        |fixture, user| call(&fixture, user, Method::GET, "/unread?cap=1000", &Value::Null).await.map(drop)
    ),
    request!(|_| "the catalog with a class changed".to_owned(), true, |fixture, _user| {
        let mut catalog = fixture.call(Method::GET, "/catalog", &Value::Null).await?;
        let class = if rand::random() { "auto" } else { "manual" };
        if let Some(class_value) = catalog.pointer_mut("/actions/share/class") {
            *class_value = json!(class);
        }
        fixture.call(Method::PUT, "/catalog", &catalog).await.map(drop)
    }),
    request!(|_| "a group of 100,000 members that nobody is".to_owned(), true, |fixture, user| {
        let crowd = fixture.body("crowd", || {
            let members: Vec<String> = (0..99_999).map(|n| format!("nobody{n}")).collect();
            json!({"name": "Crowd", "members": members}).to_string()
        });
        send_any_status(&fixture, user, "/groups", crowd).await
    }),
    request!(|_| "20 readers who don't read".to_owned(), false, |fixture, user| {
        let token = fixture.tokens.get(user).ok_or("no such reader")?;
        hold_open(&fixture, 20, &format!("GET /api/v1/sync?limit=5000 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n")).await
    }),
    request!(|_| "1,100 half-sent heads".to_owned(), false, |fixture, _user| {
        hold_open(&fixture, 1_100, "GET /api/v1/health HTTP/1.1\r\nHost: local").await
    }),
    request!(|_| "1,000 reminders beside 64 live channels each".to_owned(), false, |fixture, user| {
        let token = fixture.tokens.get(user).ok_or("no such reader")?;
        let channel = format!(
            "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n"
        );
        let actor = super::fill::reader(user);
        let one = json!({"actor": actor, "action": "like", "target": {"type": "article", "id": "wide"}});
        let posts = async {
            call(&fixture, user, Method::POST, "/reminders", &Value::Array(vec![one; 1_000])).await.map(drop)
        };
        let (channels, posted) = tokio::join!(hold_open(&fixture, 64, &channel), posts);
        channels.and(posted)
    }),
    request!(
        |fixture| format!("{} messages of a group read at once", fixture.conversations),
        false,
        |fixture, user| {
            call(&fixture, user, Method::PUT, "/views/conversation/group:all", &json!({})).await.map(drop)
        }
    ),
    request!(|fixture| format!("{} items read by one operation", fixture.items), false, |fixture, user| {
        let through = call(&fixture, user, Method::GET, "/info", &Value::Null).await?;
        let through = through.get("now").and_then(Value::as_str).ok_or("no time")?.to_owned();
        let op = json!({"id": format!("all{user}"), "op": "read_all", "through": through});
        call(&fixture, user, Method::POST, "/inbox/ops", &json!({"ops": [op]})).await.map(drop)
    }),
];
