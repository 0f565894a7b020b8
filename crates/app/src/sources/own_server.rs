//! Starts this computer's own server, and makes its owner, the token and the source that pulls from it where they are
//! missing. What fails becomes a notice, and the rest goes on.

use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tidings_replica::{NewSource, Source, SourceChange};
use tidings_sync::supervise;

use super::server_state::Publishing;
use crate::app::App;
use crate::error::Result;
use crate::ipc::{NoticeCode, TokenRow};
use crate::settings::notices::Degradation;
use crate::storage::home::{Endpoint, usual_port};

/// How long the own server's first pull waits for the keyring's answer. Beyond it the source gets a fresh token.
const KEYRING: Duration = Duration::from_millis(250);

/// The name in the replica of where the server listens.
const KEY: &str = "server";

/// What a fresh token is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenPurpose {
    /// The app pulls with it.
    Inbox,
    /// The terminal publishes with it, and can do nothing else. It replaces the ones before.
    Terminal,
}

/// Where the server listens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ListenConfig {
    /// On this port; none takes the usual one, or a free one where that is taken.
    pub port: Option<u16>,
    /// Not only for this computer. Publishing without a token stays for this computer alone.
    pub others: bool,
}

/// Why the server does not listen there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServerStartError {
    /// Another program has the port.
    #[error("port {0} is in use by another program")]
    Taken(u16),
    /// The port needs more rights.
    #[error("port {0} is not allowed")]
    Denied(u16),
    /// Something else: a sentence.
    #[error("{0}")]
    Other(String),
}

/// The server that the app runs itself, behind a port.
#[async_trait]
pub trait OwnServer: Send + Sync + 'static {
    /// Starts to answer at a place, or on a free port where that one is taken. Gives the port, or why not.
    async fn start(&self, place: ListenConfig) -> Result<u16, ServerStartError>;
    /// Goes over to another place without losing anything, and gives the port. Where that fails it stays where it is.
    async fn move_to(&self, place: ListenConfig) -> Result<u16, ServerStartError>;
    /// A fresh token of the owner, who is made where it is missing.
    async fn token(&self, purpose: TokenPurpose) -> Result<String, String>;
    /// Whether a token is one of the owner's.
    async fn knows(&self, token: &str) -> bool;
    /// The tokens that somebody made, the newest first.
    async fn tokens(&self) -> Result<Vec<TokenRow>, String>;
    /// Makes a token to publish with, and to read with where `reads`; gives its text.
    async fn create_token(&self, label: &str, reads: bool) -> Result<String, String>;
    /// Revokes one of [`OwnServer::tokens`]; false where there is none with this id. Its open streams end at once.
    async fn revoke_token(&self, id: &str) -> Result<bool, String>;
    /// Where other devices reach it; empty where they may not.
    fn addresses(&self) -> Vec<String>;
    /// Copies everything into a file.
    async fn backup(&self, to: &Path) -> Result<(), String>;
    /// Puts a backup in place of everything, begins a new history, and listens again where it did. What is no backup
    /// is refused before anything changes.
    async fn restore(&self, from: &Path) -> Result<u16, String>;
    /// Bytes that [`OwnServer::compact`] would give back, about.
    async fn spare(&self) -> u64;
    /// Writes its file anew without what it does not need.
    async fn compact(&self) -> Result<(), String>;
    /// Finishes what is in flight and ends.
    async fn stop(&self);
}

impl App {
    /// Starts the own server and makes its owner's source, token and `endpoint.json` where they are missing. What
    /// fails is said in a notice.
    pub(crate) async fn start_server(&self, server: &dyn OwnServer) {
        if self.inner.data.is_stand_in() {
            // What it would acknowledge could not be kept.
            return;
        }
        let place = self.server_place().await;
        let started = server.start(place).await;
        self.server_is_at(server, place, started.map_err(|why| why.to_string())).await;
    }

    /// Where the own server was told to listen.
    pub(crate) async fn server_place(&self) -> ListenConfig {
        let kept = self.disk(|replica| replica.setting(KEY)).await.ok().flatten();
        kept.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
    }

    /// Keeps where the own server listens.
    pub(crate) async fn keep_server_place(&self, place: ListenConfig) -> Result<()> {
        let value = serde_json::to_value(place).unwrap_or_default();
        self.disk(move |replica| replica.set_setting(KEY, &value)).await
    }

    /// The own server answers on this port now, or does not answer at all.
    pub(crate) async fn server_is_at(
        &self,
        server: &dyn OwnServer,
        place: ListenConfig,
        port: Result<u16, String>,
    ) {
        let made = match port {
            Ok(port) => {
                let wanted = place.port.unwrap_or_else(usual_port);
                if port == wanted {
                    self.clear(NoticeCode::PortTaken);
                } else {
                    self.raise(&Degradation::Port { usual: wanted, now: port });
                }
                let url = format!("http://127.0.0.1:{port}");
                self.inner.server.set_publishing(Publishing::At(url.clone()));
                self.own_source(server, &url).await
            }
            Err(why) => {
                self.inner.server.set_publishing(Publishing::Nowhere);
                self.inner.server.withdraw_endpoint(&self.inner.data.home().endpoint());
                Err(why)
            }
        };
        match &made {
            Ok(()) => self.clear(NoticeCode::NoServer),
            Err(why) => self.raise(&Degradation::Server(why.clone())),
        }
        self.inner.server.set_trouble(made.err());
    }

    async fn own_source(&self, server: &dyn OwnServer, url: &str) -> Result<(), String> {
        let (was, row) = self.find_or_add_source(url).await.map_err(|error| error.to_string())?;
        let (tokens, asked) = (self.inner.keys.store().clone(), row.clone());
        let kept = spawn_blocking(move || match tokens.get(&asked) {
            Some(token) => Some((token, false)),
            // The server moved: what it knows again stays.
            None => Some((tokens.get(&was?)?, true)),
        });
        let kept = tokio::time::timeout(KEYRING, kept).await;
        let token = match kept.ok().flatten().flatten() {
            Some((token, moved)) if server.knows(&token).await => {
                if moved {
                    self.store_token_in_background(row.clone(), token.clone());
                }
                token
            }
            _ => {
                let token = server.token(TokenPurpose::Inbox).await?;
                // A locked or slow keyring keeps it when it can; the source is pulled meanwhile.
                self.store_token_in_background(row.clone(), token.clone());
                token
            }
        };
        self.inner.keys.store().set_in_memory(&row, &token);
        self.write_endpoint(server, url).await
    }

    fn store_token_in_background(&self, source: Source, token: String) {
        let app = self.clone();
        supervise::once("keeping the own server's token", async move {
            if let Err(error) = app.keep_token(source, token).await {
                tracing::error!(%error, "the token of the own server could not be kept");
            }
        });
    }

    /// The own server's source as it was, where there was one, and as it is: its address is where the server answers,
    /// whatever was written there.
    async fn find_or_add_source(&self, url: &str) -> Result<(Option<Source>, Source)> {
        let url = url.to_owned();
        self.disk(move |replica| {
            let was = replica.sources()?.into_iter().find(|source| source.own);
            let id = match &was {
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
            Ok((was, replica.source(id)?))
        })
        .await
    }

    /// Tells the terminal where the server is, with a fresh token that only publishes.
    async fn write_endpoint(&self, server: &dyn OwnServer, url: &str) -> Result<(), String> {
        let token = server.token(TokenPurpose::Terminal).await?;
        let endpoint = Endpoint { url: url.to_owned(), token };
        endpoint.write(&self.inner.data.home().endpoint()).map_err(|error| error.to_string())?;
        self.inner.server.set_endpoint(endpoint);
        Ok(())
    }
}

async fn spawn_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}
