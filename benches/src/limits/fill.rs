//! The server on which the limits are measured: seventeen readers with full inboxes. One is measured alone, eight at
//! once, and eight have requests under way when the server is stopped.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::process::Process;
use crate::Result;
use crate::client::Client;

/// Number of readers: one alone, and twice eight.
const READERS: usize = 17;
/// Notifications in every inbox whose `data` has nearly the largest allowed size.
const WIDE: usize = 150;
/// Bytes of the text in that `data`; with its field name and quotes it stays below 64 KiB.
const WIDE_TEXT: usize = 65_000;

/// A filled server and the parameters of the requests that are measured on it.
#[derive(Clone)]
pub(super) struct World {
    pub(super) client: Client,
    pub(super) admin: String,
    /// The readers' tokens, in the order of their numbers.
    pub(super) tokens: Vec<String>,
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

impl World {
    /// The same data, asked at the address of a later start of the server.
    pub(super) fn at(&self, process: &Process) -> Result<Arc<Self>> {
        Ok(Arc::new(Self { client: Client::new(&process.url)?, ..self.clone() }))
    }

    /// A large body, made once and kept under its name: making it during a measurement would use the server's
    /// processors.
    pub(super) fn body(&self, name: &str, make: impl FnOnce() -> String) -> Bytes {
        let mut bodies = self.bodies.lock();
        bodies.entry(name.to_owned()).or_insert_with(|| make().into()).clone()
    }

    /// One request with the admin's token; a status other than success is an error.
    pub(super) async fn ask(&self, method: Method, path: &str, body: &Value) -> Result<Value> {
        self.ask_as(&self.admin, method, path, body).await
    }

    pub(super) async fn ask_as(
        &self,
        token: &str,
        method: Method,
        path: &str,
        body: &Value,
    ) -> Result<Value> {
        self.client.ask(token, method, path, body).await
    }

    /// Publishes `count` notifications in arrays of 1,000.
    async fn post(&self, path: &str, count: usize, thing: impl Fn(usize) -> Value) -> Result<()> {
        let all: Vec<usize> = (0..count).collect();
        for part in all.chunks(1_000) {
            let part: Vec<Value> = part.iter().map(|n| thing(*n)).collect();
            self.ask(Method::POST, path, &Value::Array(part)).await?;
        }
        Ok(())
    }

    /// Posts to the group as many messages as there are conversations. The last reader posts, so that they are unread
    /// for all others.
    async fn talk(&self) -> Result<()> {
        let token = self.tokens.last().ok_or("no readers")?;
        let mut running: JoinSet<Result<Value>> = JoinSet::new();
        for n in 0..self.conversations {
            if n >= 64
                && let Some(done) = running.join_next().await
            {
                done??;
            }
            let (world, token) = (self.clone(), token.clone());
            running.spawn(async move {
                world.ask_as(&token, Method::POST, "/groups/all/messages", &json!({"body": "Hello"})).await
            });
        }
        while let Some(done) = running.join_next().await {
            done??;
        }
        Ok(())
    }

    /// Fills a new server with readers, a group, and `items` reminders for every reader.
    pub(super) async fn fill(process: &Process, items: usize) -> Result<Self> {
        let client = Client::new(&process.url)?;
        let admin = process.admin.clone().ok_or("not a new server")?;
        let conversations = (items / 10).max(1);
        let mut world =
            Self { client, admin, tokens: Vec::new(), items, conversations, bodies: Arc::default() };
        let readers: Vec<String> = (0..READERS).map(reader).collect();
        for id in &readers {
            world.ask(Method::POST, "/users", &json!({"id": id})).await?;
            let made = world
                .ask(Method::POST, &format!("/users/{id}/tokens"), &json!({"scopes": ["inbox"]}))
                .await?;
            world.tokens.push(made.get("token").and_then(Value::as_str).ok_or("no token")?.to_owned());
            for target in ["bulk", "wide"] {
                let wanted = json!({"target": {"type": "article", "id": target}, "actions": ["like"]});
                world.ask(Method::PUT, &format!("/subscriptions?user={id}"), &wanted).await?;
            }
        }
        world
            .ask(
                Method::POST,
                "/groups?user=reader0",
                &json!({"id": "all", "name": "All", "members": readers}),
            )
            .await?;
        let liked =
            |id: &str| json!({"actor": "bo", "action": "like", "target": {"type": "article", "id": id}});
        world.post("/reminders", items, |_| liked("bulk")).await?;
        for _ in 0..WIDE {
            let mut wide = liked("wide");
            if let Some(fields) = wide.as_object_mut() {
                fields.insert("data".to_owned(), json!({"text": "x".repeat(WIDE_TEXT)}));
            }
            world.ask(Method::POST, "/reminders", &wide).await?;
        }
        world.talk().await?;
        for id in &readers {
            world
                .post(
                    "/messages",
                    world.conversations,
                    |n| json!({"from": format!("peer{n}"), "to": id, "body": "Hello"}),
                )
                .await?;
        }
        for token in &world.tokens {
            world.ask_as(token, Method::GET, "/unread?cap=1", &Value::Null).await?;
        }
        Ok(world)
    }
}
