//! Opens the server, serves until it is stopped, and serves again.

use std::sync::Arc;
use std::time::Duration;

use tidings_ports::{ListenConfig, ServerStartError};
use tidings_server::{Server, ServerConfig, serve};
use tokio::net::TcpListener;

use super::binding::{bind_again, other_error, wait_for_answer};
use super::discovery::Discovery;
use super::{Embedded, OWNER, OWNER_NAME, RunningOwnServer, START_TIMEOUT, addresses, server_task};

/// The longest wait for the server's end; it ends within five seconds.
const STOP_TIMEOUT: Duration = Duration::from_secs(6);

impl Embedded {
    pub(super) fn config(&self, listen: &ListenConfig) -> ServerConfig {
        let mut config = ServerConfig::new(self.home.dir());
        config.standalone_owner = Some(OWNER.to_owned());
        config.open_publish = true;
        config.lang = listen.lang;
        if listen.others {
            config.allow_hosts = addresses::names();
        }
        // Each was checked when it was set; a stored one that is none lets nobody in.
        config.allow_origins = listen.origins.iter().filter_map(|origin| origin.parse().ok()).collect();
        config
    }

    pub(super) async fn open(&self, listen: &ListenConfig) -> Result<Server, ServerStartError> {
        let server = Server::open(self.config(listen), Arc::clone(&self.clock)).await.map_err(other_error)?;
        // This comes before anything can be published, because publications reach the owner only if there is one.
        if !server.users().await.map_err(other_error)?.iter().any(|user| user.id == OWNER) {
            server.create_user(OWNER, OWNER_NAME).await.map_err(other_error)?;
        }
        Ok(server)
    }

    /// Serves on a listener until it is stopped; returns once the server answers.
    pub(super) async fn run(
        &self,
        server: Server,
        listener: TcpListener,
        listen: ListenConfig,
    ) -> Result<u16, ServerStartError> {
        let port = listener.local_addr().map_err(other_error)?.port();
        let served = server.clone();
        let (task, failed) = server_task::start(listener, move |listener, stop| {
            serve(listener, served.clone(), stop.cancelled_owned())
        })
        .map_err(other_error)?;
        let trouble = tokio::select! {
            failed = failed => Some(failed.map_or_else(|_| other_error("it ended at once"), other_error)),
            answered = tokio::time::timeout(START_TIMEOUT, wait_for_answer(port, START_TIMEOUT)) => {
                answered.err().map(|_| other_error("it does not answer"))
            }
        };
        if let Some(trouble) = trouble {
            task.abort();
            return Err(trouble);
        }
        let discovery = listen.others.then(|| Discovery::announce(&self.network, port));
        let running = RunningOwnServer { server, listen, port, task, discovery };
        *self.running.lock() = Some(running);
        Ok(port)
    }

    /// Ends the running server; returns it with its listener's settings and port.
    pub(super) async fn end(&self) -> Option<(Server, ListenConfig, u16)> {
        let running = self.running.lock().take()?;
        if let Some(discovery) = running.discovery {
            discovery.withdraw().await;
        }
        let _ = tokio::time::timeout(STOP_TIMEOUT, running.task.stop()).await;
        Some((running.server, running.listen, running.port))
    }

    /// Serves again on the former port after a failure or a restore.
    pub(super) async fn serve_again(
        &self,
        server: Server,
        listen: ListenConfig,
        port: u16,
    ) -> Result<u16, ServerStartError> {
        let listener = bind_again(listen.others, port).await?;
        self.run(server, listener, listen).await
    }
}
