//! A real server in the process of the test, on a port of the loopback.

use std::sync::Arc;
use std::time::Duration;

use tidings_model::Clock;
use tidings_model::wire::Scope;
use tidings_server::{Server, ServerConfig};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::client::Client;
use crate::wait;

/// A running server. Dropping it ends neither the server nor its task; [`RunningServer::stop`] does.
pub struct RunningServer {
    /// Where it listens.
    pub url: String,
    /// What it serves.
    pub server: Server,
    stop: CancellationToken,
    task: JoinHandle<Result<(), tidings_server::Error>>,
}

impl RunningServer {
    /// Opens the data folder and serves it on a free port.
    pub async fn start(config: ServerConfig, clock: Arc<dyn Clock>) -> Self {
        Self::serve(Server::open(config, clock).await.unwrap()).await
    }

    /// Serves what is open already. A standalone owner has to be among its users before that.
    pub async fn serve(server: Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let stop = CancellationToken::new();
        let task =
            tokio::spawn(tidings_server::serve(listener, server.clone(), stop.clone().cancelled_owned()));
        Self { url, server, stop, task }
    }

    /// A client with a new token of a user, who is made where there is none.
    pub async fn owner(&self, id: &str, name: &str, scopes: &[Scope]) -> Client {
        let token = self.server.owner(id, name, "test", scopes).await.unwrap().token;
        Client::new(&self.url, &token)
    }

    /// A client with another token of a user.
    pub async fn token(&self, user: &str, scopes: &[Scope]) -> Client {
        let token = self.server.create_token(user, "test", scopes).await.unwrap().token;
        Client::new(&self.url, &token)
    }

    /// Nothing disagrees with its recount.
    pub async fn holds_together(&self) {
        assert_eq!(self.server.check().await.unwrap(), []);
    }

    /// Stops serving and waits for that; what the server has open stays so until this is dropped.
    pub async fn end(&mut self, bound: Duration) {
        self.stop.cancel();
        tokio::time::timeout(bound, &mut self.task).await.expect("it ends in time").unwrap().unwrap();
    }

    /// Stops it and waits until its files are closed.
    pub async fn stop(mut self) {
        self.end(wait::SOON).await;
    }
}
