//! A server with two users, and an app that is connected to it.

use std::sync::Arc;

use serde_json::json;
use tidings_model::SystemClock;
use tidings_model::wire::Scope;
use tidings_server::Server;
use tidings_sync::BackoffConfig;
use tidings_testkit::client::Client;
use tidings_testkit::server::{RunningServer, config_of};

use super::harness::TestApp;
use crate::StartConfig;

/// A server with two users, their tokens, and a token that may only publish.
pub(super) struct Work {
    pub(super) server: Server,
    pub(super) url: String,
    pub(super) ana: String,
    pub(super) bo: String,
    pub(super) publisher: String,
    _folder: tempfile::TempDir,
}

pub(super) async fn work() -> Work {
    let folder = tempfile::tempdir().unwrap();
    let running = RunningServer::start(config_of(folder.path()), Arc::new(SystemClock)).await;
    let both = &[Scope::Inbox, Scope::Publish];
    Work {
        ana: running.owner("ana", "Ana Reis", both).await.token,
        bo: running.owner("bo", "Bo", both).await.token,
        publisher: running.token("bo", &[Scope::Publish]).await.token,
        server: running.server,
        url: running.url,
        _folder: folder,
    }
}

impl Work {
    /// Sends a message from Bo to Ana.
    pub(super) async fn message_to_ana(&self) {
        let message = json!({"to": "ana", "body": "Have you got it?"});
        Client::new(&self.url, &self.bo).post("messages", message).await.success();
    }

    /// Sends a message from Ana to Bo.
    pub(super) async fn message_to_bo(&self) {
        let message = json!({"to": "bo", "body": "Lunch at noon?"});
        Client::new(&self.url, &self.ana).post("messages", message).await.success();
    }
}

impl TestApp {
    /// Starts the engine, without an own server.
    pub(super) async fn connected(self) -> Self {
        let wakes = Box::pin(futures_util::stream::pending());
        self.app.start(StartConfig { server: None, wakes, backoff: BackoffConfig::default() }).await;
        self
    }
}
