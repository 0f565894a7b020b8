//! A program that speaks to a Tidings server over HTTP, as any other would.
//! Refuses to use the project's own types: what is on the wire is what is checked.

use std::sync::Once;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::wait;

/// One server, and the token to speak to it with.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    /// Where it is, for example `http://127.0.0.1:7878`.
    pub url: String,
    /// The bearer token; empty for none.
    pub token: String,
}

impl Client {
    /// For a server and a token.
    pub fn new(url: &str, token: &str) -> Self {
        static PROVIDER: Once = Once::new();
        PROVIDER.call_once(|| {
            let _ = rustls::crypto::ring::default_provider().install_default();
        });
        let http = reqwest::Client::builder().timeout(wait::SOON).no_proxy();
        // A connection that was kept would meet the end of a server that was stopped in between.
        let http = http.pool_max_idle_per_host(0).build();
        let http = http.expect("an HTTP client");
        Self { http, url: url.trim_end_matches('/').to_owned(), token: token.to_owned() }
    }

    /// The same server with another token.
    #[must_use]
    pub fn with_token(&self, token: &str) -> Self {
        Self { token: token.to_owned(), ..self.clone() }
    }

    /// Sends a request under `/api/v1`; `body` null for none.
    pub async fn api(&self, method: Method, path: &str, body: Value) -> (StatusCode, Value) {
        let mut request = self.http.request(method, format!("{}/api/v1{path}", self.url));
        if !self.token.is_empty() {
            request = request.bearer_auth(&self.token);
        }
        if !body.is_null() {
            request = request.json(&body);
        }
        let response = request.send().await.expect("the server answers");
        let status = response.status();
        let text = response.text().await.expect("a whole answer");
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    /// POST with an idempotency key; none where no whole answer came.
    pub async fn keyed(&self, path: &str, body: Value, key: &str) -> Option<(StatusCode, Value)> {
        let request = self.http.post(format!("{}/api/v1{path}", self.url)).bearer_auth(&self.token);
        let response = request.header("Idempotency-Key", key).json(&body).send().await.ok()?;
        let status = response.status();
        Some((status, response.json().await.ok()?))
    }

    /// GET, which must be answered with 200.
    pub async fn get(&self, path: &str) -> Value {
        let (status, answer) = self.api(Method::GET, path, Value::Null).await;
        assert_eq!(status, StatusCode::OK, "GET {path}: {answer}");
        answer
    }

    /// POST, which must succeed.
    pub async fn post(&self, path: &str, body: Value) -> Value {
        let (status, answer) = self.api(Method::POST, path, body).await;
        assert!(status.is_success(), "POST {path}: {status} {answer}");
        answer
    }

    /// Whether it answers at all and says that it is well.
    pub async fn healthy(&self) -> bool {
        let answer = self.http.get(format!("{}/api/v1/health", self.url)).send().await;
        answer.is_ok_and(|answer| answer.status().is_success())
    }

    /// `curl -d "body" URL/topic`, with headers.
    pub async fn publish(&self, topic: &str, body: &str, headers: &[(&str, &str)]) -> Value {
        let mut request = self.http.post(format!("{}/{topic}", self.url)).body(body.to_owned());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = request.send().await.expect("the server answers");
        let status = response.status();
        let answer = response.text().await.expect("a whole answer");
        assert!(status.is_success(), "publishing on {topic}: {status} {answer}");
        serde_json::from_str(&answer).expect("ntfy's answer is JSON")
    }

    /// Makes a user with a token of its own (an admin's client).
    pub async fn user(&self, id: &str, scopes: &[&str]) -> Self {
        self.post("/users", json!({"id": id, "name": id})).await;
        let token =
            self.post(&format!("/users/{id}/tokens"), json!({"label": "test", "scopes": scopes})).await;
        self.with_token(token["token"].as_str().expect("a token"))
    }

    /// The number of unread items, up to 1,000.
    pub async fn unread(&self) -> u64 {
        self.get("/unread?cap=1000").await["total"]["count"].as_u64().expect("a count")
    }

    /// The bodies of those of the newest items that are read.
    pub async fn read_bodies(&self) -> Vec<String> {
        let read = self.inbox().await.into_iter().filter(|item| item["read_at"].is_string());
        read.map(|item| item["body"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// The newest items of the inbox.
    pub async fn inbox(&self) -> Vec<Value> {
        self.get("/inbox?limit=100").await["items"].as_array().expect("items").clone()
    }

    /// Everything that a pull from the beginning brings, oldest change first.
    pub async fn pulled(&self) -> Vec<Value> {
        let (mut items, mut since) = (Vec::new(), String::new());
        loop {
            let mut page = self.get(&format!("/sync?limit=5000{since}")).await;
            items.append(page["items"].as_array_mut().expect("items"));
            since = format!("&since={}", page["next"].as_str().expect("a position"));
            if page["more"] == json!(false) {
                return items;
            }
        }
    }
}
