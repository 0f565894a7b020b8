//! An HTTP client for Tidings servers. It sends and reads plain JSON instead of the project's own types, so that tests
//! check the wire format itself.

use std::net::IpAddr;
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::join_all;
use reqwest::header::HeaderMap;
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};

use crate::wait;

/// How many publications [`Client::publish_many`] has under way.
const AT_ONCE: usize = 10;

/// A client of one server, with the token that it sends.
///
/// A path that begins with `/` is relative to the server's root; any other is relative to `/api/v1/`.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    /// The server's root URL without a trailing slash, for example `http://127.0.0.1:7878`.
    pub url: String,
    /// The bearer token; no `Authorization` header is sent if it is empty.
    pub token: String,
}

/// A complete HTTP response.
#[derive(Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: StatusCode,
    /// The response headers.
    pub headers: HeaderMap,
    /// The body as JSON; a JSON string with the whole text if the body is not JSON.
    pub body: Value,
}

impl Answer {
    /// Asserts that the response has this status and returns its body.
    #[track_caller]
    pub fn is(self, status: u16) -> Value {
        assert_eq!(self.status.as_u16(), status, "{}", self.body);
        self.body
    }

    /// Asserts that the response has a 2xx status and returns its body.
    #[track_caller]
    pub fn success(self) -> Value {
        assert!(self.status.is_success(), "{} {}", self.status, self.body);
        self.body
    }

    /// Asserts that the response is a problem (RFC 9457) with this status, code and field.
    #[track_caller]
    pub fn problem(self, status: u16, code: &str, field: Option<&str>) {
        assert_eq!(self.status.as_u16(), status, "{}", self.body);
        assert_eq!(self.headers["content-type"], "application/problem+json");
        assert_eq!(self.body["code"], code);
        assert_eq!(self.body["status"], status);
        assert_eq!(self.body.get("field").and_then(Value::as_str), field, "{}", self.body);
        for name in ["type", "title", "detail"] {
            assert!(self.body[name].is_string(), "{name}");
        }
    }
}

impl Client {
    /// A client of the server at `url` that authenticates with `token`.
    pub fn new(url: &str, token: &str) -> Self {
        Self { http: http(None), url: url.trim_end_matches('/').to_owned(), token: token.to_owned() }
    }

    /// A client that sends no token.
    pub fn without_token(url: &str) -> Self {
        Self::new(url, "")
    }

    /// A client of the same server with another token.
    #[must_use]
    pub fn with_token(&self, token: &str) -> Self {
        Self { token: token.to_owned(), ..self.clone() }
    }

    /// The same client, with connections from another address of this machine.
    #[must_use]
    pub fn from_address(&self, address: IpAddr) -> Self {
        Self { http: http(Some(address)), ..self.clone() }
    }

    /// A request with the client's token, to be changed before it is sent.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/api/v1/{path}") };
        let request = self.http.request(method, format!("{}{path}", self.url));
        if self.token.is_empty() { request } else { request.bearer_auth(&self.token) }
    }

    /// Sends a request of [`Client::request`]. Fails the test if no complete response arrives.
    pub async fn send(&self, request: RequestBuilder) -> Answer {
        Self::try_send(request).await.expect("the server answers")
    }

    /// Sends a request; `None` if no complete response arrives.
    pub async fn try_send(request: RequestBuilder) -> Option<Answer> {
        let response = request.send().await.ok()?;
        let (status, headers) = (response.status(), response.headers().clone());
        let text = response.text().await.ok()?;
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        Some(Answer { status, headers, body })
    }

    /// Sends a request with a JSON body, or without a body if it is null.
    pub async fn ask(&self, method: Method, path: &str, body: Value) -> Answer {
        let request = self.request(method, path);
        self.send(if body.is_null() { request } else { request.json(&body) }).await
    }

    /// Sends a GET.
    pub async fn get(&self, path: &str) -> Answer {
        self.ask(Method::GET, path, Value::Null).await
    }

    /// Sends a POST with a JSON body, or without a body if it is null.
    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.ask(Method::POST, path, body).await
    }

    /// Sends a POST with an idempotency key; `None` if no complete response arrives.
    pub async fn post_keyed(&self, path: &str, body: Value, key: &str) -> Option<Answer> {
        Self::try_send(self.request(Method::POST, path).header("Idempotency-Key", key).json(&body)).await
    }

    /// Sends a PUT with a JSON body, or without a body if it is null.
    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.ask(Method::PUT, path, body).await
    }

    /// Sends a PATCH with a JSON body.
    pub async fn patch(&self, path: &str, body: Value) -> Answer {
        self.ask(Method::PATCH, path, body).await
    }

    /// Sends a DELETE.
    pub async fn delete(&self, path: &str) -> Answer {
        self.ask(Method::DELETE, path, Value::Null).await
    }

    /// Whether `GET /api/v1/health` succeeds.
    pub async fn healthy(&self) -> bool {
        let answer = Self::try_send(self.request(Method::GET, "health")).await;
        answer.is_some_and(|answer| answer.status.is_success())
    }

    /// Publishes as `curl -d "body" URL/topic` does, with these headers, and returns the response's body.
    pub async fn publish(&self, topic: &str, body: &str, headers: &[(&str, &str)]) -> Value {
        let request = self.http.post(format!("{}/{topic}", self.url)).body(body.to_owned());
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        self.send(request).await.success()
    }

    /// Publishes texts on their topics, some at once. A server stores those together, and who listens pulls them together.
    pub async fn publish_many(&self, posts: &[(String, String)]) {
        for some in posts.chunks(AT_ONCE) {
            join_all(some.iter().map(|(topic, body)| self.publish(topic, body, &[]))).await;
        }
    }

    /// Creates a user with a token of these scopes and returns the user's client. Needs an admin's token.
    pub async fn user(&self, id: &str, scopes: &[&str]) -> Self {
        self.user_named(id, id, scopes).await
    }

    /// [`Client::user`] with a display name.
    pub async fn user_named(&self, id: &str, name: &str, scopes: &[&str]) -> Self {
        self.post("users", json!({"id": id, "name": name})).await.success();
        let token = json!({"label": "test", "scopes": scopes});
        let token = self.post(&format!("users/{id}/tokens"), token).await.success();
        self.with_token(token["token"].as_str().expect("a token"))
    }

    /// The number of unread items of a kind, or of all kinds for `total`. Fails the test if it exceeds 1,000.
    pub async fn unread(&self, of: &str) -> u64 {
        let unread = self.get("unread?cap=1000").await.is(200);
        assert_eq!(unread[of]["capped"], false);
        unread[of]["count"].as_u64().expect("a count")
    }

    /// The newest items of the inbox, at most 100.
    pub async fn inbox(&self) -> Vec<Value> {
        self.get("inbox?limit=100").await.is(200)["items"].as_array().expect("items").clone()
    }

    /// The bodies of the read items among the newest 100.
    pub async fn read_bodies(&self) -> Vec<String> {
        let read = self.inbox().await.into_iter().filter(|item| item["read_at"].is_string());
        read.map(|item| item["body"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Pulls everything after a stamp, `limit` items a page. Returns the items, the view marks and the next position.
    pub async fn pull(&self, since: Option<&str>, limit: usize) -> (Vec<Value>, Vec<Value>, String) {
        let mut since = since.map(str::to_owned);
        let (mut items, mut marks) = (Vec::new(), Vec::new());
        loop {
            let from = since.as_deref().map_or(String::new(), |s| format!("&since={s}"));
            let mut page = self.get(&format!("sync?limit={limit}{from}")).await.is(200);
            items.append(page["items"].as_array_mut().expect("items"));
            marks.append(page["marks"].as_array_mut().expect("marks"));
            let next = page["next"].as_str().expect("a position").to_owned();
            if page["more"] == false {
                return (items, marks, next);
            }
            since = Some(next);
        }
    }

    /// Sends one operation on these items, with additional fields in `more`. Fails the test if it is not applied.
    pub async fn op(&self, op: &str, msgids: &[&str], more: Value) -> Value {
        let mut body = json!({"id": unique(), "op": op, "msgids": msgids});
        body.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        let answer = self.post("inbox/ops", json!({"ops": [body]})).await.is(200);
        assert_eq!(answer["results"][0]["ok"], true, "{answer}");
        answer
    }

    /// Subscribes the token's user to these actions on an article.
    pub async fn subscribe(&self, article: &str, actions: &[&str]) {
        let target = json!({"type": "article", "id": article});
        self.put("subscriptions", json!({"target": target, "actions": actions})).await.is(200);
    }

    /// Publishes a reminder that `actor` did `action` to an article.
    pub async fn remind(&self, actor: &str, action: &str, article: &str) -> Value {
        let target = json!({"type": "article", "id": article});
        self.post("reminders", json!({"actor": actor, "action": action, "target": target})).await.is(201)
    }
}

fn http(from: Option<IpAddr>) -> reqwest::Client {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    // A pooled connection to a server that was stopped and started again would fail the next request.
    let http = reqwest::Client::builder().timeout(wait::TEST_TIMEOUT).no_proxy().pool_max_idle_per_host(0);
    // The servers speak plain HTTP. Reading the machine's authorities takes longer than many a test.
    let http = http.tls_certs_only([]);
    http.local_address(from).build().expect("an HTTP client")
}

/// A string that is unique within this process.
pub fn unique() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("u{}", NEXT.fetch_add(1, Ordering::Relaxed))
}
