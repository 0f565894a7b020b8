//! Starts this computer's own server, and creates its owner, token and source where they are missing. A failure becomes
//! a notice, and the app goes on without the server.

use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tidings_replica::{NewSource, Source, SourceChange};
use tidings_sync::supervise;

use super::server_state::PublishAddress;
use crate::app::App;
use crate::error::Result;
use crate::ipc::{NoticeCode, TokenRow, UserRow};
use crate::settings::notices::Degradation;
use crate::storage::home::{Endpoint, usual_port};

/// The longest wait for the keyring at the start; after it the source gets a new token.
const KEYRING_TIMEOUT: Duration = Duration::from_millis(250);

/// The key in the replica of the server's [`ListenConfig`].
const LISTEN_CONFIG_KEY: &str = "server";

/// The purpose of a new token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenPurpose {
    /// The app pulls with the token.
    Inbox,
    /// The terminal publishes with the token, which permits nothing else. It replaces the earlier ones.
    Terminal,
}

/// The settings of the server's listener.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ListenConfig {
    /// The port; `None` takes the usual one, or a free one where that is in use.
    pub port: Option<u16>,
    /// Whether other devices may connect. Publishing without a token stays limited to this computer.
    pub others: bool,
    /// The origins of pages in a browser that may use the server with a token, as browsers send them.
    pub origins: Vec<String>,
}

/// The reason why the server does not listen at an address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServerStartError {
    /// Another program uses the port.
    #[error("port {0} is in use by another program")]
    PortTaken(u16),
    /// The process may not use the port.
    #[error("port {0} is not allowed")]
    PortDenied(u16),
    /// Any other reason, as a sentence.
    #[error("{0}")]
    Other(String),
}

/// Why a user of the own server is not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UserError {
    /// The id is taken, or was that of a user who was removed.
    #[error("the id is taken")]
    Taken,
    /// The id or the name is not valid.
    #[error("the id or the name is not valid")]
    Invalid,
    /// There is no such user.
    #[error("there is no such user")]
    Gone,
    /// It is the app's own user.
    #[error("it is the app's own user")]
    Own,
    /// Any other reason, as a sentence.
    #[error("{0}")]
    Other(String),
}

/// The port to the server that the app runs itself.
#[async_trait]
pub trait OwnServer: Send + Sync + 'static {
    /// Takes the configured port ahead of the start, without blocking: what connects waits until the server answers.
    /// Where the port cannot be taken, the start says so.
    fn reserve_port(&self, listen: &ListenConfig);
    /// Starts the server on the configured port, or on a free one where that is in use. Returns the port.
    async fn start(&self, listen: ListenConfig) -> Result<u16, ServerStartError>;
    /// The origin of web pages in a text, as browsers send it; `None` where there is none, or more than one.
    fn origin(&self, text: &str) -> Option<String>;
    /// Moves the server to another port or audience without losing a request; returns the port. After an error it
    /// listens where it did before.
    async fn move_to(&self, listen: ListenConfig) -> Result<u16, ServerStartError>;
    /// Creates a token of the owner, and the owner where it is missing.
    async fn token(&self, purpose: TokenPurpose) -> Result<String, String>;
    /// Whether the server accepts a token.
    async fn accepts_token(&self, token: &str) -> bool;
    /// The tokens that the reader created, newest first.
    async fn tokens(&self) -> Result<Vec<TokenRow>, String>;
    /// Creates a token that may publish, and read where `reads`; returns its secret.
    async fn create_token(&self, label: &str, reads: bool) -> Result<String, String>;
    /// Makes an application of Gotify's API; returns the secret of its token.
    async fn create_application(&self, name: &str) -> Result<String, String>;
    /// Revokes one of [`OwnServer::tokens`]; `false` where no such token exists. Its open streams end at once.
    async fn revoke_token(&self, id: &str) -> Result<bool, String>;
    /// The users, by id.
    async fn users(&self) -> Result<Vec<UserRow>, String>;
    /// Adds a user.
    async fn add_user(&self, id: &str, name: &str) -> Result<(), UserError>;
    /// Gives a user another name.
    async fn rename_user(&self, id: &str, name: &str) -> Result<(), UserError>;
    /// Removes a user for good, and recalls what they wrote where `recalls`. The rest of it is deleted later.
    async fn remove_user(&self, id: &str, recalls: bool) -> Result<(), UserError>;
    /// Writes all that is stored of a user to a file, as JSON lines.
    async fn export_user(&self, id: &str, to: &Path) -> Result<(), UserError>;
    /// The addresses for other devices, the likeliest first; empty where they may not connect.
    fn addresses(&self) -> Vec<String>;
    /// The reason why other devices that may connect do not find the server by themselves; `None` where they do.
    fn discovery_trouble(&self) -> Option<String>;
    /// Writes a backup of the server's database to a file.
    async fn backup(&self, to: &Path) -> Result<(), String>;
    /// Replaces the server's data by a backup, begins a new epoch, and listens on the same port again. A file that is
    /// no backup is refused before anything changes.
    async fn restore(&self, from: &Path) -> Result<u16, String>;
    /// Whether the newest stamp is more than an hour ahead of the clock, as a wrong clock leaves it.
    async fn stamps_are_ahead(&self) -> bool;
    /// Ends the server, gives its stamps in the future times of now, begins a new epoch, and listens on the same port again.
    async fn mend_clock(&self) -> Result<u16, String>;
    /// Bytes that [`OwnServer::compact`] would free, an estimate.
    async fn reclaimable_bytes(&self) -> u64;
    /// Compacts the server's database.
    async fn compact(&self) -> Result<(), String>;
    /// Finishes the requests in flight and ends the server.
    async fn stop(&self);
}

impl App {
    /// Takes the own server's port, so that it is found from the first moment, though it starts after the window. Blocks
    /// for one read of the replica.
    pub fn reserve_port(&self, server: &dyn OwnServer) {
        if !self.inner.data.is_temporary() {
            let stored = self.inner.replica.setting(LISTEN_CONFIG_KEY);
            server.reserve_port(&stored_config(stored.ok().flatten()));
        }
    }

    /// Starts the own server, and creates its source, token and `endpoint.json` where they are missing. A failure
    /// becomes a notice.
    pub(crate) async fn start_server(&self, server: &dyn OwnServer) {
        if self.inner.data.is_temporary() {
            // Its data could not be kept beyond this session.
            return;
        }
        let listen = self.listen_config().await;
        let started = server.start(listen.clone()).await;
        self.handle_listening(server, &listen, started.map_err(|why| why.to_string())).await;
    }

    /// The stored settings of the own server's listener.
    pub(crate) async fn listen_config(&self) -> ListenConfig {
        stored_config(self.disk(|replica| replica.setting(LISTEN_CONFIG_KEY)).await.ok().flatten())
    }

    /// Stores the settings of the own server's listener.
    pub(crate) async fn store_listen_config(&self, listen: &ListenConfig) -> Result<()> {
        let value = serde_json::to_value(listen).unwrap_or_default();
        self.disk(move |replica| replica.set_setting(LISTEN_CONFIG_KEY, &value)).await
    }

    /// Handles that the own server listens on a port, or failed to.
    pub(crate) async fn handle_listening(
        &self,
        server: &dyn OwnServer,
        listen: &ListenConfig,
        port: Result<u16, String>,
    ) {
        let result = match port {
            Ok(port) => {
                let wanted = listen.port.unwrap_or_else(usual_port);
                if port == wanted {
                    self.clear(NoticeCode::PortTaken);
                } else {
                    self.raise(&Degradation::Port { usual: wanted, actual: port });
                }
                let url = format!("http://127.0.0.1:{port}");
                self.inner.server.set_publishing(PublishAddress::At(url.clone()));
                self.ensure_own_source(server, &url).await
            }
            Err(why) => {
                self.inner.server.set_publishing(PublishAddress::Unavailable);
                self.inner.server.withdraw_endpoint(&self.inner.data.home().endpoint());
                Err(why)
            }
        };
        self.look_at_stamps(server).await;
        match &result {
            Ok(()) => self.clear(NoticeCode::NoServer),
            Err(why) => self.raise(&Degradation::Server(why.clone())),
        }
        self.inner.server.set_trouble(result.err());
    }

    async fn ensure_own_source(&self, server: &dyn OwnServer, url: &str) -> Result<(), String> {
        let (former, row) = self.find_or_add_source(url).await.map_err(|error| error.to_string())?;
        let (tokens, current) = (self.inner.tokens.store().clone(), row.clone());
        let stored = spawn_blocking(move || match tokens.get(&current) {
            Some(token) => Some((token, false)),
            // The server moved: a token that it still accepts stays in use.
            None => Some((tokens.get(&former?)?, true)),
        });
        let stored = tokio::time::timeout(KEYRING_TIMEOUT, stored).await;
        let token = match stored.ok().flatten().flatten() {
            Some((token, moved)) if server.accepts_token(&token).await => {
                if moved {
                    self.store_token_in_background(row.clone(), token.clone());
                }
                token
            }
            _ => {
                let token = server.token(TokenPurpose::Inbox).await?;
                // The keyring may be locked or slow; the source is pulled meanwhile.
                self.store_token_in_background(row.clone(), token.clone());
                token
            }
        };
        self.inner.tokens.store().set_in_memory(&row, &token);
        self.write_endpoint(server, url).await
    }

    fn store_token_in_background(&self, source: Source, token: String) {
        let app = self.clone();
        supervise::once("keeping the own server's token", async move {
            if let Err(error) = app.store_token(source, token).await {
                tracing::error!(%error, "the token of the own server could not be stored");
            }
        });
    }

    /// The own server's source as it was, if there was one, and as it is now, with the server's current address.
    async fn find_or_add_source(&self, url: &str) -> Result<(Option<Source>, Source)> {
        let url = url.to_owned();
        self.disk(move |replica| {
            let former = replica.sources()?.into_iter().find(|source| source.own);
            let id = match &former {
                Some(source) => {
                    if source.url != url {
                        let change = SourceChange { url: Some(url), ..SourceChange::default() };
                        replica.change_source(source.id, change)?;
                    }
                    source.id
                }
                None => replica.add_source(NewSource {
                    name: String::new(),
                    protocol: "tidings".to_owned(),
                    url,
                    user: None,
                    own: true,
                })?,
            };
            Ok((former, replica.source(id)?))
        })
        .await
    }

    /// Writes `endpoint.json` for the terminal, with a new token that only publishes.
    async fn write_endpoint(&self, server: &dyn OwnServer, url: &str) -> Result<(), String> {
        let token = server.token(TokenPurpose::Terminal).await?;
        let endpoint = Endpoint { url: url.to_owned(), token };
        endpoint.write(&self.inner.data.home().endpoint()).map_err(|error| error.to_string())?;
        self.inner.server.set_endpoint(endpoint);
        Ok(())
    }
}

fn stored_config(stored: Option<serde_json::Value>) -> ListenConfig {
    stored.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
}

async fn spawn_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}
