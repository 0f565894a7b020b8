//! A real server in the test's process, on a port of the loopback.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tidings_model::Clock;
use tidings_model::wire::Scope;
use tidings_server::{Listeners, Server, ServerConfig};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::client::Client;
use crate::wait;

/// A running server. Dropping this value does not end it; [`RunningServer::stop`] does.
pub struct RunningServer {
    /// The root URL at which it listens.
    pub url: String,
    /// The address at which it takes mail.
    pub mail: SocketAddr,
    /// The server that is served.
    pub server: Server,
    stop: CancellationToken,
    task: JoinHandle<Result<(), tidings_server::Error>>,
}

impl RunningServer {
    /// Opens the server's data folder and serves it on a free port.
    pub async fn start(config: ServerConfig, clock: Arc<dyn Clock>) -> Self {
        Self::serve(Server::open(config, clock).await.unwrap()).await
    }

    /// Serves an open server. The owner of a standalone server has to exist before.
    pub async fn serve(server: Server) -> Self {
        let listener = tidings_server::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let smtp = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mail = smtp.local_addr().unwrap();
        let listeners = Listeners { http: listener, smtp: Some(smtp) };
        let stop = CancellationToken::new();
        let task =
            tokio::spawn(tidings_server::serve(listeners, server.clone(), stop.clone().cancelled_owned()));
        Self { url, mail, server, stop, task }
    }

    /// A client with a new token of a user. The user is created if missing.
    pub async fn owner(&self, id: &str, name: &str, scopes: &[Scope]) -> Client {
        let token = self.server.owner(id, name, "test", scopes).await.unwrap().token;
        Client::new(&self.url, &token)
    }

    /// A client with an additional token of an existing user.
    pub async fn token(&self, user: &str, scopes: &[Scope]) -> Client {
        let token = self.server.create_token(user, "test", scopes).await.unwrap().token;
        Client::new(&self.url, &token)
    }

    /// Asserts that the server's check finds no difference between stored counts and a recount.
    pub async fn holds_together(&self) {
        assert_eq!(self.server.check().await.unwrap(), []);
    }

    /// Stops serving and waits for that, at most `bound`. The server keeps its files open until this value is dropped.
    pub async fn end(&mut self, bound: Duration) {
        self.stop.cancel();
        tokio::time::timeout(bound, &mut self.task).await.expect("it ends in time").unwrap().unwrap();
    }

    /// Stops serving, waits for that and closes the server's files.
    pub async fn stop(mut self) {
        self.end(wait::TEST_TIMEOUT).await;
    }
}
