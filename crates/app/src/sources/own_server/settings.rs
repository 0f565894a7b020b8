//! The settings of the own server: its port, access from other devices and from pages in a browser, and its tokens. If
//! a new address fails, the old one stays in use.

use std::sync::Arc;

use tidings_ipc::ServerView;
use tidings_ports::{ListenConfig, OwnServer, ServerStartError};

use super::Server;
use crate::error::{Error, Result};

/// The most origins of pages that may use the own server.
const MAX_ORIGINS: usize = 50;

impl Server {
    /// The state of the own server, with its tokens.
    pub(crate) async fn server(&self) -> Result<ServerView> {
        let listen = self.listen_config().await;
        let server = self.state.server();
        let (tokens, users) = match (server, self.state.url()) {
            (Some(server), Some(_)) => (
                server.tokens().await.map_err(Error::storage)?,
                server.users().await.map_err(Error::storage)?,
            ),
            _ => (Vec::new(), Vec::new()),
        };
        Ok(ServerView {
            url: self.state.url(),
            port: listen.port,
            others: listen.others,
            origins: listen.origins,
            addresses: server.map(|server| server.addresses()).unwrap_or_default(),
            trouble: self.state.trouble(),
            discovery_trouble: server
                .and_then(|server| server.discovery_trouble())
                .map(|why| (self.context.settings_strings().not_discovered)(&why)),
            tokens,
            users,
        })
    }

    /// Moves the own server to a port, and opens or closes it to other devices. If that fails it listens where it did
    /// before, and the error says why.
    pub(crate) async fn set_server(&self, port: Option<u16>, others: bool) -> Result<ServerView> {
        let before = self.listen_config().await;
        self.listen_as(ListenConfig { port: port.filter(|port| *port > 0), others, ..before }).await
    }

    /// Lets pages of these origins use the own server with a token, and no others. If one is no origin, or the server
    /// can't begin again, everything stays as it is.
    pub(crate) async fn set_origins(&self, origins: Vec<String>) -> Result<ServerView> {
        let (table, server) = (self.context.settings_strings(), self.own_server()?);
        let mut checked: Vec<String> = Vec::new();
        for text in origins {
            let text = text.trim();
            let origin = server.origin(text).ok_or_else(|| Error::invalid((table.bad_origin)(text)))?;
            if !checked.contains(&origin) {
                checked.push(origin);
            }
        }
        if checked.len() > MAX_ORIGINS {
            return Err(Error::invalid((table.too_many_origins)(MAX_ORIGINS as u64)));
        }
        let before = self.listen_config().await;
        self.listen_as(ListenConfig { origins: checked, ..before }).await
    }

    /// Applies settings of the own server's listener, and stores them if that succeeds.
    async fn listen_as(&self, listen: ListenConfig) -> Result<ServerView> {
        let server = self.own_server()?;
        let before = self.state.url();
        match server.move_to(listen.clone()).await {
            Ok(port) => {
                self.store_listen_config(&listen).await?;
                self.handle_listening(server.as_ref(), &listen, Ok(port)).await;
                self.engine.sources_changed().await;
                self.server().await
            }
            Err(why) => {
                let (table, at) = (self.context.settings_strings(), before.as_deref());
                Err(Error::invalid(match why {
                    ServerStartError::PortTaken(port) => (table.port_taken)(port, at),
                    ServerStartError::PortDenied(port) => (table.port_denied)(port, at),
                    ServerStartError::Other(why) => (table.server_failed)(&why, at),
                }))
            }
        }
    }

    /// Revokes a token of the own server; its open streams end at once.
    pub(crate) async fn revoke_token(&self, id: String) -> Result<ServerView> {
        if !self.own_server()?.revoke_token(&id).await.map_err(Error::storage)? {
            return Err(Error::NotFound);
        }
        self.server().await
    }

    pub(crate) fn own_server(&self) -> Result<&Arc<dyn OwnServer>> {
        self.state.server().ok_or_else(|| Error::invalid(self.context.settings_strings().no_server))
    }

    /// The port that the own server listens on.
    pub(crate) fn server_port(&self) -> Option<u16> {
        self.state.url()?.rsplit_once(':')?.1.parse().ok()
    }
}
