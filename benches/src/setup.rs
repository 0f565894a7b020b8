//! The setup of a benchmark: a real server on the loopback with the reader's inbox, and a replica that pulls from it.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tidings_model::SystemClock;
use tidings_model::wire::Scope;
use tidings_replica::{NewSource, Replica, SourceId};
use tidings_server::{Server, ServerConfig, serve};
use tidings_sources::Tidings;
use tidings_sync::pull_once;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::Result;
use crate::client::Client;
use crate::corpus::{ACTOR_COUNT, Corpus, PEER_COUNT, Post, USER};

/// A running server with a reader and an admin.
pub(crate) struct LoadedServer {
    /// The token of an admin.
    pub(crate) admin: String,
    /// The reader's token, with scope `inbox`.
    pub(crate) token: String,
    pub(crate) client: Client,
    stop: CancellationToken,
    task: JoinHandle<std::result::Result<(), tidings_server::Error>>,
}

impl LoadedServer {
    /// Starts an empty server on a free port of the loopback.
    pub(crate) async fn open(data: &Path) -> Result<Self> {
        let mut config = ServerConfig::new(data);
        config.rate = None;
        config.open_publish = true;
        config.standalone_owner = Some(USER.to_owned());
        let server = Server::open(config, Arc::new(SystemClock)).await?;
        let token = server.owner(USER, "Reader", "bench", &[Scope::Inbox]).await?.token;
        server.create_user("root", "Root").await?;
        let admin = server.create_token("root", "bench", &[Scope::Admin]).await?.token;
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let client = Client::new(&format!("http://{}", listener.local_addr()?))?;
        let stop = CancellationToken::new();
        let task = tokio::spawn(serve(listener, server, stop.clone().cancelled_owned()));
        Ok(Self { admin, token, client, stop, task })
    }

    /// One request with the admin's token; a status other than success is an error.
    pub(crate) async fn call(&self, method: reqwest::Method, path: &str, body: &Value) -> Result<Value> {
        self.client.call(&self.admin, method, path, body).await
    }

    /// Publishes `items` notifications of the corpus to the reader.
    pub(crate) async fn fill(&self, items: usize) -> Result<()> {
        for peer in 0..PEER_COUNT {
            let user = json!({"id": format!("peer{peer}"), "name": format!("Peer {peer}")});
            self.call(reqwest::Method::POST, "/users", &user).await?;
        }
        for actor in 0..ACTOR_COUNT {
            let path = format!("/follows/actor{actor}?user={USER}");
            self.call(reqwest::Method::PUT, &path, &json!({})).await?;
        }
        let mut corpus = Corpus::new(1);
        let (mut announcements, mut reminders, mut messages) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..items {
            match corpus.next() {
                Some(Post::Announcement(body)) => announcements.push(body),
                Some(Post::Reminder(body)) => reminders.push(body),
                Some(Post::Message(body)) => messages.push(body),
                None => break,
            }
            for (path, batch) in [
                ("/announcements", &mut announcements),
                ("/reminders", &mut reminders),
                ("/messages", &mut messages),
            ] {
                if batch.len() == 1_000 {
                    self.call(reqwest::Method::POST, path, &Value::Array(std::mem::take(batch))).await?;
                }
            }
        }
        for (path, batch) in
            [("/announcements", announcements), ("/reminders", reminders), ("/messages", messages)]
        {
            if !batch.is_empty() {
                self.call(reqwest::Method::POST, path, &Value::Array(batch)).await?;
            }
        }
        Ok(())
    }

    /// Reads the unread counts, which runs the reader's fan-in first; gives the response.
    pub(crate) async fn fan_in(&self) -> Result<Value> {
        self.client.call(&self.token, reqwest::Method::GET, "/unread?cap=1000", &Value::Null).await
    }

    /// Pulls into a replica until nothing is new; gives the number of items fetched.
    pub(crate) async fn pull(&self, replica: &Replica, source: SourceId) -> Result<u64> {
        let sync_source = Tidings::new(&self.client.url, self.token.clone(), Arc::new(SystemClock))?;
        Ok(pull_once(replica, source, Arc::new(sync_source)).await?.fetched)
    }

    /// Stops the server and waits for its end.
    pub(crate) async fn close(self) -> Result<()> {
        self.stop.cancel();
        self.task.await??;
        Ok(())
    }
}

/// An empty replica with one source, the server at `url`.
pub(crate) fn replica(data: &Path, url: &str) -> Result<(Replica, SourceId)> {
    std::fs::create_dir_all(data)?;
    let replica = Replica::open(data, Arc::new(SystemClock))?;
    let source = replica.add_source(NewSource {
        name: "bench".into(),
        protocol: "tidings".into(),
        url: url.to_owned(),
        user: Some(USER.into()),
        own: false,
    })?;
    Ok((replica, source))
}
