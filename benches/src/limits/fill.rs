//! The server on which the limits are measured: seventeen readers with full inboxes. One is measured alone, eight at
//! once, and eight have requests under way when the server is stopped.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::Result;
use crate::client::Client;
use crate::server_process::ServerProcess;

/// Number of readers: one alone, and twice eight.
const READER_COUNT: usize = 17;
/// Notifications in every inbox whose `data` has nearly the largest allowed size.
const LARGE_ITEM_COUNT: usize = 150;
/// Bytes of the text in that `data`; with its field name and quotes it stays below 64 KiB.
const LARGE_ITEM_TEXT_BYTES: usize = 65_000;

/// A filled server and the parameters of the requests that are measured on it.
#[derive(Clone)]
pub(super) struct Fixture {
    pub(super) client: Client,
    pub(super) admin: String,
    /// The readers' tokens, in the order of their numbers.
    pub(super) tokens: Vec<String>,
    /// Tokens of the same users that publish.
    pub(super) publishers: Vec<String>,
    /// The address for mail.
    pub(super) smtp: String,
    /// Reminders of manual class in each inbox.
    pub(super) items: usize,
    /// Conversations of each reader, and messages in the group of all readers.
    pub(super) conversations: usize,
    /// Request bodies made so far, by name.
    bodies: Arc<Mutex<HashMap<String, Bytes>>>,
}

/// The id of the n-th reader.
pub(super) fn reader(n: usize) -> String {
    format!("reader{n}")
}

impl Fixture {
    /// The same data, asked at the address of a later start of the server.
    pub(super) fn at(&self, process: &ServerProcess) -> Result<Arc<Self>> {
        let smtp = process.smtp.clone().unwrap_or_default();
        Ok(Arc::new(Self { client: Client::new(&process.url)?, smtp, ..self.clone() }))
    }

    /// A large body, made once and kept under its name: making it during a measurement would use the server's
    /// processors.
    pub(super) fn body(&self, name: &str, make: impl FnOnce() -> String) -> Bytes {
        let mut bodies = self.bodies.lock();
        bodies.entry(name.to_owned()).or_insert_with(|| make().into()).clone()
    }

    /// One request with the admin's token; a status other than success is an error.
    pub(super) async fn call(&self, method: Method, path: &str, body: &Value) -> Result<Value> {
        self.call_as(&self.admin, method, path, body).await
    }

    pub(super) async fn call_as(
        &self,
        token: &str,
        method: Method,
        path: &str,
        body: &Value,
    ) -> Result<Value> {
        self.client.call(token, method, path, body).await
    }

    /// Publishes `count` notifications in arrays of 1,000.
    async fn post(&self, path: &str, count: usize, element: impl Fn(usize) -> Value) -> Result<()> {
        let all: Vec<usize> = (0..count).collect();
        for chunk in all.chunks(1_000) {
            let chunk: Vec<Value> = chunk.iter().map(|n| element(*n)).collect();
            self.call(Method::POST, path, &Value::Array(chunk)).await?;
        }
        Ok(())
    }

    /// Posts to the group as many messages as there are conversations. The last reader posts, so that they are unread
    /// for all others.
    async fn post_group_messages(&self) -> Result<()> {
        let token = self.tokens.last().ok_or("no readers")?;
        let mut running: JoinSet<Result<Value>> = JoinSet::new();
        for n in 0..self.conversations {
            if n >= 64
                && let Some(done) = running.join_next().await
            {
                done??;
            }
            let (fixture, token) = (self.clone(), token.clone());
            running.spawn(async move {
                fixture.call_as(&token, Method::POST, "/groups/all/messages", &json!({"body": "Hello"})).await
            });
        }
        while let Some(done) = running.join_next().await {
            done??;
        }
        Ok(())
    }

    /// Fills a new server with readers, a group, and `items` reminders for every reader.
    pub(super) async fn fill(process: &ServerProcess, items: usize) -> Result<Self> {
        let client = Client::new(&process.url)?;
        let admin = process.admin.clone().ok_or("not a new server")?;
        let conversations = (items / 10).max(1);
        let (tokens, publishers, smtp) = (Vec::new(), Vec::new(), String::new());
        let bodies = Arc::default();
        let mut fixture = Self { client, admin, tokens, publishers, smtp, items, conversations, bodies };
        let readers: Vec<String> = (0..READER_COUNT).map(reader).collect();
        for id in &readers {
            fixture.call(Method::POST, "/users", &json!({"id": id})).await?;
            for scope in ["inbox", "publish"] {
                let path = format!("/users/{id}/tokens");
                let created = fixture.call(Method::POST, &path, &json!({"scopes": [scope]})).await?;
                let token = created.get("token").and_then(Value::as_str).ok_or("no token")?.to_owned();
                if scope == "inbox" { &mut fixture.tokens } else { &mut fixture.publishers }.push(token);
            }
            for target in ["bulk", "wide"] {
                let subscription = json!({"target": {"type": "article", "id": target}, "actions": ["like"]});
                fixture.call(Method::PUT, &format!("/subscriptions?user={id}"), &subscription).await?;
            }
        }
        fixture
            .call(
                Method::POST,
                "/groups?user=reader0",
                &json!({"id": "all", "name": "All", "members": readers}),
            )
            .await?;
        let reminder =
            |id: &str| json!({"actor": "bo", "action": "like", "target": {"type": "article", "id": id}});
        fixture.post("/reminders", items, |_| reminder("bulk")).await?;
        for _ in 0..LARGE_ITEM_COUNT {
            let mut large_reminder = reminder("wide");
            if let Some(fields) = large_reminder.as_object_mut() {
                fields.insert("data".to_owned(), json!({"text": "x".repeat(LARGE_ITEM_TEXT_BYTES)}));
            }
            fixture.call(Method::POST, "/reminders", &large_reminder).await?;
        }
        fixture.post_group_messages().await?;
        for id in &readers {
            fixture
                .post(
                    "/messages",
                    fixture.conversations,
                    |n| json!({"from": format!("peer{n}"), "to": id, "body": "Hello"}),
                )
                .await?;
        }
        for token in &fixture.tokens {
            fixture.call_as(token, Method::GET, "/unread?cap=1", &Value::Null).await?;
        }
        Ok(fixture)
    }
}
