//! The embedded server, as the adapter of the own server's port. Other devices connect only where the reader permits
//! it; where a new address fails, the server goes on at the old one.

use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use parking_lot::Mutex;
use tidings_app::home::usual_port;
use tidings_app::ipc::TokenRow;
use tidings_app::{Home, ListenConfig, OwnServer, ServerStartError, TokenPurpose};
use tidings_model::Clock;
use tidings_model::wire::Scope;
use tidings_server::endpoint::is_program_token;
use tidings_server::{Server, ServerConfig, serve};
use tidings_sync::http::loopback_client;
use tokio::net::TcpListener;

use crate::addresses;
use crate::server_task::{self, ServerTask};

/// The user id of the owner.
const OWNER: &str = "me";
/// The owner's display name, unless it was changed.
const OWNER_NAME: &str = "Me";
/// The label of the app's own tokens.
const INBOX: &str = "inbox on this computer";
/// The longest wait for the server's first answer after its start.
const START: Duration = Duration::from_secs(20);
/// Interval between two tries to reach or bind a port.
const LOOK: Duration = Duration::from_millis(10);
/// The longest wait for the server's end; it ends within five seconds.
const END: Duration = Duration::from_secs(6);
/// The longest wait until a port that the server itself just left is free.
const FREED: Duration = Duration::from_secs(2);

/// The embedded server and its settings.
pub(crate) struct Embedded {
    home: Home,
    clock: Arc<dyn Clock>,
    running: Mutex<Option<Running>>,
    /// Held while the server starts, moves, restores or ends.
    turn: tokio::sync::Mutex<()>,
}

struct Running {
    server: Server,
    place: ListenConfig,
    port: u16,
    serving: ServerTask,
}

impl Embedded {
    pub(crate) fn new(home: Home, clock: Arc<dyn Clock>) -> Self {
        Self { home, clock, running: Mutex::default(), turn: tokio::sync::Mutex::default() }
    }

    fn now<T>(&self, look: impl FnOnce(&Running) -> T) -> Option<T> {
        self.running.lock().as_ref().map(look)
    }

    fn server(&self) -> Result<Server, String> {
        self.now(|running| running.server.clone()).ok_or_else(|| "it does not run".to_owned())
    }

    fn config(&self, place: ListenConfig) -> ServerConfig {
        let mut config = ServerConfig::new(self.home.dir());
        config.standalone_owner = Some(OWNER.to_owned());
        config.open_publish = true;
        if place.others {
            config.allow_hosts = addresses::names();
        }
        config
    }

    async fn open(&self, place: ListenConfig) -> Result<Server, ServerStartError> {
        let server = Server::open(self.config(place), Arc::clone(&self.clock)).await.map_err(other)?;
        // Before anything can be published, because publications reach the owner only where there is one.
        if !server.users().await.map_err(other)?.iter().any(|user| user.id == OWNER) {
            server.create_user(OWNER, OWNER_NAME).await.map_err(other)?;
        }
        Ok(server)
    }

    /// Serves on a listener until it is stopped; returns once the server answers.
    async fn run(
        &self,
        server: Server,
        listener: TcpListener,
        place: ListenConfig,
    ) -> Result<u16, ServerStartError> {
        let port = listener.local_addr().map_err(other)?.port();
        let served = server.clone();
        let (serving, failed) = server_task::keep(listener, move |listener, stop| {
            serve(listener, served.clone(), stop.cancelled_owned())
        })
        .map_err(other)?;
        let trouble = tokio::select! {
            failed = failed => Some(failed.map_or_else(|_| other("it ended at once"), other)),
            answered = tokio::time::timeout(START, answers(port)) => {
                answered.err().map(|_| other("it does not answer"))
            }
        };
        if let Some(trouble) = trouble {
            serving.abort();
            return Err(trouble);
        }
        let running = Running { server, place, port, serving };
        *self.running.lock() = Some(running);
        Ok(port)
    }

    /// Ends the running server; returns it with its listener's settings and port.
    async fn end(&self) -> Option<(Server, ListenConfig, u16)> {
        let running = self.running.lock().take()?;
        let _ = tokio::time::timeout(END, running.serving.stop()).await;
        Some((running.server, running.place, running.port))
    }

    /// Serves again on the former port after a failure or a restore.
    async fn go_back(&self, server: Server, place: ListenConfig, port: u16) -> Result<u16, ServerStartError> {
        let listener = bind_again(place.others, port).await?;
        self.run(server, listener, place).await
    }
}

#[async_trait]
impl OwnServer for Embedded {
    async fn start(&self, place: ListenConfig) -> Result<u16, ServerStartError> {
        let _turn = self.turn.lock().await;
        let server = self.open(place).await?;
        let listener = match bind(place.others, place.port.unwrap_or_else(usual_port)).await {
            Err(ServerStartError::Taken(_)) => bind(place.others, 0).await?,
            bound => bound?,
        };
        self.run(server, listener, place).await
    }

    async fn move_to(&self, place: ListenConfig) -> Result<u16, ServerStartError> {
        let _turn = self.turn.lock().await;
        let Some((before, port)) = self.now(|running| (running.place, running.port)) else {
            let server = self.open(place).await?;
            let listener = bind(place.others, place.port.unwrap_or_else(usual_port)).await?;
            return self.run(server, listener, place).await;
        };
        let wanted = place.port.unwrap_or_else(usual_port);
        if (wanted, place.others) == (port, before.others) {
            return Ok(port);
        }
        // A new port is bound before the old one is given up; requests to it wait meanwhile.
        let early = if wanted == port { None } else { Some(bind(place.others, wanted).await?) };
        let Some((server, ..)) = self.end().await else { return Err(other("it ended meanwhile")) };
        let moved = async {
            let listener = match early {
                Some(listener) => listener,
                None => bind_again(place.others, port).await?,
            };
            self.run(server.with_config(self.config(place)), listener, place).await
        };
        match moved.await {
            Ok(port) => Ok(port),
            Err(why) => {
                self.go_back(server, before, port).await?;
                Err(why)
            }
        }
    }

    async fn token(&self, purpose: TokenPurpose) -> Result<String, String> {
        let server = self.server()?;
        let fresh = match purpose {
            TokenPurpose::Inbox => {
                // The app has lost its former tokens, so they are revoked.
                let lost = server.tokens(Some(OWNER)).await.map_err(said)?;
                for lost in lost.into_iter().filter(|token| token.label == INBOX) {
                    server.revoke_token(&lost.id).await.map_err(said)?;
                }
                server.owner(OWNER, OWNER_NAME, INBOX, &[Scope::Inbox]).await
            }
            TokenPurpose::Terminal => server.renew_endpoint(OWNER, OWNER_NAME).await,
        };
        Ok(fresh.map_err(said)?.token)
    }

    async fn knows(&self, token: &str) -> bool {
        let Some(port) = self.now(|running| running.port) else { return false };
        let Ok(client) = loopback_client(START) else { return false };
        let asked = client.get(format!("http://127.0.0.1:{port}/api/v1/me")).bearer_auth(token).send().await;
        asked.is_ok_and(|answer| answer.status().is_success())
    }

    async fn tokens(&self) -> Result<Vec<TokenRow>, String> {
        let tokens = self.server()?.tokens(Some(OWNER)).await.map_err(said)?;
        let made = tokens.into_iter().rev().filter(|token| !is_own(token));
        let row = |token: tidings_server::Token| TokenRow {
            reads: token.scopes.iter().any(|scope| *scope != Scope::Publish),
            id: token.id,
            label: token.label,
            created_at: token.created_at.as_millis(),
        };
        Ok(made.map(row).collect())
    }

    async fn create_token(&self, label: &str, reads: bool) -> Result<String, String> {
        // A token with the label of the app's own would be hidden from the list.
        let label = if label == INBOX { format!("{label} (2)") } else { label.to_owned() };
        let scopes: &[Scope] = if reads { &[Scope::Inbox, Scope::Publish] } else { &[Scope::Publish] };
        Ok(self.server()?.create_token(OWNER, &label, scopes).await.map_err(said)?.token)
    }

    async fn revoke_token(&self, id: &str) -> Result<bool, String> {
        if !self.tokens().await?.iter().any(|token| token.id == id) {
            return Ok(false);
        }
        self.server()?.revoke_token(id).await.map_err(said)?;
        Ok(true)
    }

    fn addresses(&self) -> Vec<String> {
        let at = self.now(|running| running.place.others.then_some(running.port)).flatten();
        at.map(addresses::reachable).unwrap_or_default()
    }

    async fn backup(&self, to: &Path) -> Result<(), String> {
        self.server()?.backup(to).await.map_err(said)
    }

    async fn restore(&self, from: &Path) -> Result<u16, String> {
        let _turn = self.turn.lock().await;
        let before = self.end().await;
        let place = before.as_ref().map_or_else(ListenConfig::default, |(_, place, _)| *place);
        let port = before.as_ref().map_or_else(usual_port, |(.., port)| *port);
        // Dropping the last handle closes the database.
        drop(before);
        let restored = Server::restore(self.home.dir(), from, Arc::clone(&self.clock)).await.map_err(said);
        let server = self.open(place).await.map_err(said)?;
        let again = self.go_back(server, place, port).await.map_err(said);
        restored.and(again)
    }

    async fn spare(&self) -> u64 {
        match self.server() {
            Ok(server) => server.reclaimable_bytes().await.unwrap_or(0),
            Err(_) => 0,
        }
    }

    async fn compact(&self) -> Result<(), String> {
        self.server()?.compact().await.map_err(said)
    }

    async fn stop(&self) {
        let _turn = self.turn.lock().await;
        if let Ok(server) = self.server()
            && let Err(error) = server.end_endpoint().await
        {
            tracing::warn!(%error, "the token of endpoint.json could not be revoked");
        }
        self.end().await;
    }
}

fn is_own(token: &tidings_server::Token) -> bool {
    token.label == INBOX || is_program_token(&token.id)
}

/// Binds a port, for this computer alone or for other devices too.
async fn bind(others: bool, port: u16) -> Result<TcpListener, ServerStartError> {
    let address = if others { Ipv4Addr::UNSPECIFIED } else { Ipv4Addr::LOCALHOST };
    TcpListener::bind((address, port)).await.map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => ServerStartError::Taken(port),
        std::io::ErrorKind::PermissionDenied => ServerStartError::Denied(port),
        _ => other(error),
    })
}

/// Binds a port that this server has just left.
async fn bind_again(others: bool, port: u16) -> Result<TcpListener, ServerStartError> {
    let start = Instant::now();
    loop {
        match bind(others, port).await {
            Err(ServerStartError::Taken(_)) if start.elapsed() < FREED => tokio::time::sleep(LOOK).await,
            bound => return bound,
        }
    }
}

async fn answers(port: u16) {
    let Ok(client) = loopback_client(START) else { return };
    while client.get(format!("http://127.0.0.1:{port}/api/v1/health")).send().await.is_err() {
        tokio::time::sleep(LOOK).await;
    }
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn other(error: impl std::fmt::Display) -> ServerStartError {
    ServerStartError::Other(error.to_string())
}
