//! Starts this computer's own server, and creates its owner, token and source if they are missing. A failure becomes a
//! notice, and the app goes on without the server.

pub(crate) mod api;
mod clock_mending;
mod settings;
mod users;

use std::sync::Arc;
use std::time::Duration;

use tidings_home::{Endpoint, usual_port};
use tidings_ipc::NoticeCode;
use tidings_net::supervise;
use tidings_ports::{ListenConfig, OwnServer, TokenPurpose};
use tidings_replica::{NewSource, Replica, Source, SourceChange};

use super::engine::RunningEngine;
use super::tokens::Tokens;
use crate::context::{Context, part};
use crate::error::Result;
use crate::saved_files::SavedFiles;
use crate::state::notices::Degradation;
use crate::state::own_server::{PublishAddress, ServerState};

/// The longest wait for the keyring at the start; after it the source gets a new token.
const KEYRING_TIMEOUT: Duration = Duration::from_millis(250);

/// The key in the replica of the server's [`ListenConfig`].
const LISTEN_CONFIG_KEY: &str = "server";

part! {
    /// This computer's own server: its start, its listener, its users and its API.
    pub(crate) struct Server {
        context: Arc<Context>,
        saved_files: Arc<SavedFiles>,
        engine: Arc<RunningEngine>,
        tokens: Arc<Tokens>,
        state: Arc<ServerState>,
    }
}

impl Server {
    /// Takes the own server's port, so that it is found from the first moment, though it starts after the window. Blocks
    /// for one read of the replica.
    pub(crate) fn reserve_port(&self, server: &dyn OwnServer) {
        if !self.context.data.is_temporary() {
            let stored = self.context.replica.setting(LISTEN_CONFIG_KEY);
            server.reserve_port(&stored_config(stored.ok().flatten()));
        }
    }

    /// Starts the own server, and creates its source, token and `endpoint.json` if they are missing. A failure becomes
    /// a notice.
    pub(crate) async fn start_server(&self, server: &dyn OwnServer) {
        if self.context.data.is_temporary() {
            // Its data could not be kept beyond this session.
            return;
        }
        let listen = self.listen_config().await;
        let started = server.start(listen.clone()).await;
        self.handle_listening(server, &listen, started.map_err(|why| why.to_string())).await;
    }

    /// The stored settings of the own server's listener.
    pub(crate) async fn listen_config(&self) -> ListenConfig {
        let stored = self.context.disk(|replica| replica.setting(LISTEN_CONFIG_KEY)).await.ok().flatten();
        ListenConfig { lang: self.context.lang(), ..stored_config(stored) }
    }

    /// Stores the settings of the own server's listener.
    pub(crate) async fn store_listen_config(&self, listen: &ListenConfig) -> Result<()> {
        let value = serde_json::to_value(listen).unwrap_or_default();
        self.context.disk(move |replica| replica.set_setting(LISTEN_CONFIG_KEY, &value)).await
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
                    self.context.clear(NoticeCode::PortTaken);
                } else {
                    self.context.raise(&Degradation::Port { usual: wanted, actual: port });
                }
                let url = format!("http://127.0.0.1:{port}");
                self.state.set_publishing(PublishAddress::At(url.clone()));
                self.ensure_own_source(server, &url).await
            }
            Err(why) => {
                self.state.set_publishing(PublishAddress::Unavailable);
                self.state.withdraw_endpoint(&self.context.data.home().endpoint());
                Err(why)
            }
        };
        self.look_at_stamps(server).await;
        match &result {
            Ok(()) => self.context.clear(NoticeCode::NoServer),
            Err(why) => self.context.raise(&Degradation::Server(why.clone())),
        }
        self.state.set_trouble(result.err());
    }

    async fn ensure_own_source(&self, server: &dyn OwnServer, url: &str) -> Result<(), String> {
        let (former, row) = self.find_or_add_source(url).await.map_err(|error| error.to_string())?;
        let (tokens, current) = (self.tokens.store().clone(), row.clone());
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
        self.tokens.store().set_in_memory(&row, &token);
        self.write_endpoint(server, url).await
    }

    fn store_token_in_background(&self, source: Source, token: String) {
        let tokens = Arc::clone(&self.tokens);
        supervise::once("keeping the own server's token", async move {
            if let Err(error) = tokens.store_token(source, token).await {
                tracing::error!(%error, "the token of the own server could not be stored");
            }
        });
    }

    /// The own server's source as it was, if there was one, and as it is now, with the server's current address.
    async fn find_or_add_source(&self, url: &str) -> Result<(Option<Source>, Source)> {
        let url = url.to_owned();
        self.context
            .disk(move |replica| {
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
        endpoint.write(&self.context.data.home().endpoint()).map_err(|error| error.to_string())?;
        self.state.set_endpoint(endpoint);
        Ok(())
    }
}

/// The port that the own server takes if nobody else has it.
///
/// # Errors
/// If the replica can't be read.
pub fn wanted_port(replica: &Replica) -> tidings_replica::Result<u16> {
    Ok(stored_config(replica.setting(LISTEN_CONFIG_KEY)?).port.unwrap_or_else(usual_port))
}

fn stored_config(stored: Option<serde_json::Value>) -> ListenConfig {
    stored.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
}

async fn spawn_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}
