//! A server where two people work, and the desktop of one who is connected to it.

use std::sync::Arc;

use tidings_model::SystemClock;
use tidings_model::wire::Scope;
use tidings_server::{Server, ServerConfig, serve};
use tidings_sync::BackoffConfig;
use tokio::net::TcpListener;

use super::harness::TestApp;
use crate::Connections;

/// A server with two users, each with a token that reads, and one that only publishes.
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
    let server = Server::open(ServerConfig::new(folder.path()), Arc::new(SystemClock)).await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(serve(listener, server.clone(), std::future::pending()));
    let both = &[Scope::Inbox, Scope::Publish];
    let ana = server.owner("ana", "Ana Reis", "test", both).await.unwrap().token;
    let bo = server.owner("bo", "Bo", "test", both).await.unwrap().token;
    let publisher = server.create_token("bo", "test", &[Scope::Publish]).await.unwrap().token;
    Work { server, url, ana, bo, publisher, _folder: folder }
}

impl TestApp {
    /// The engine runs, without an own server.
    pub(super) async fn connected(self) -> Self {
        let wakes = Box::pin(futures_util::stream::pending());
        self.app.start(Connections { server: None, wakes, backoff: BackoffConfig::default() }).await;
        self
    }
}
