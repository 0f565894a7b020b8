//! The embedded server, as the adapter of the own server's port. Other devices, and pages in a browser, use it only if
//! the reader permits it. If a new address fails, the server goes on at the old one.

mod addresses;
mod binding;
mod discovery;
mod running;
mod server_task;
mod tokens;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use tidings_home::{Home, usual_port};
use tidings_ipc::{TokenRow, UserRow};
use tidings_model::wire::Scope;
use tidings_model::{Clock, Code};
use tidings_ports::{ListenConfig, OwnServer, ServerStartError, TokenPurpose, UserError};
use tidings_server::endpoint::is_program_token;
use tidings_server::mend_clock::{FutureStamps, mend_clock};
use tidings_server::{Origin, Server, WrittenContent};
use tokio::io::AsyncWriteExt;

use self::binding::{ReservedPort, bind, bind_again, other_error};
use self::discovery::{Discovery, Network};
use self::server_task::ServerTask;

/// The user id of the owner.
const OWNER: &str = "me";
/// The owner's display name, unless it was changed.
const OWNER_NAME: &str = "Me";
/// The label of the app's own tokens.
const INBOX_TOKEN_LABEL: &str = "inbox on this computer";
/// The longest wait for the server's first answer after its start.
const START_TIMEOUT: Duration = Duration::from_secs(20);

/// The embedded server and its settings.
pub(crate) struct Embedded {
    home: Home,
    clock: Arc<dyn Clock>,
    /// Where the server is announced while other devices may connect.
    network: Network,
    running: Mutex<Option<RunningOwnServer>>,
    reserved: ReservedPort,
    /// Held while the server starts, moves, restores or ends.
    lifecycle: tokio::sync::Mutex<()>,
}

struct RunningOwnServer {
    server: Server,
    listen: ListenConfig,
    port: u16,
    task: ServerTask,
    /// The announcement in the network, while other devices may connect.
    discovery: Option<Discovery>,
}

impl Embedded {
    pub(crate) fn new(home: Home, clock: Arc<dyn Clock>) -> Self {
        let (running, reserved, lifecycle) =
            (Mutex::default(), ReservedPort::default(), tokio::sync::Mutex::default());
        Self { home, clock, network: Network::everywhere(), running, reserved, lifecycle }
    }

    fn with_running<T>(&self, read: impl FnOnce(&RunningOwnServer) -> T) -> Option<T> {
        self.running.lock().as_ref().map(read)
    }

    fn server(&self) -> Result<Server, String> {
        self.with_running(|running| running.server.clone()).ok_or_else(|| "it does not run".to_owned())
    }
}

#[async_trait]
impl OwnServer for Embedded {
    fn reserve_port(&self, listen: &ListenConfig) {
        self.reserved.take_port(listen.others, listen.port.unwrap_or_else(usual_port));
    }

    async fn start(&self, listen: ListenConfig) -> Result<u16, ServerStartError> {
        let _guard = self.lifecycle.lock().await;
        // If the start fails, it is closed, so that nobody waits for an answer that does not come.
        let listener = self.reserved.listener(listen.others, listen.port.unwrap_or_else(usual_port))?;
        let server = self.open(&listen).await?;
        self.run(server, listener, listen).await
    }

    fn origin(&self, text: &str) -> Option<String> {
        text.parse::<Origin>().ok().map(|origin| origin.as_str().to_owned())
    }

    async fn move_to(&self, listen: ListenConfig) -> Result<u16, ServerStartError> {
        let _guard = self.lifecycle.lock().await;
        let Some((before, port)) = self.with_running(|running| (running.listen.clone(), running.port)) else {
            let server = self.open(&listen).await?;
            let listener = bind(listen.others, listen.port.unwrap_or_else(usual_port))?;
            return self.run(server, listener, listen).await;
        };
        // A free port that was taken in place of the usual one is kept if another setting changes.
        let wanted = if listen.port == before.port { port } else { listen.port.unwrap_or_else(usual_port) };
        if (wanted, listen.others, &listen.origins) == (port, before.others, &before.origins) {
            return Ok(port);
        }
        // A new port is bound before the old one is given up; requests to it wait meanwhile.
        let new_listener = if wanted == port { None } else { Some(bind(listen.others, wanted)?) };
        let Some((server, ..)) = self.end().await else { return Err(other_error("it ended meanwhile")) };
        let moved = async {
            let listener = match new_listener {
                Some(listener) => listener,
                None => bind_again(listen.others, port).await?,
            };
            self.run(server.with_config(self.config(&listen)), listener, listen).await
        };
        match moved.await {
            Ok(port) => Ok(port),
            Err(why) => {
                self.serve_again(server, before, port).await?;
                Err(why)
            }
        }
    }

    async fn token(&self, purpose: TokenPurpose) -> Result<String, String> {
        let server = self.server()?;
        let fresh = match purpose {
            TokenPurpose::Inbox => {
                // The app has lost its former tokens, so they are revoked.
                let tokens = server.tokens(Some(OWNER)).await.map_err(error_text)?;
                for token in tokens.iter().filter(|token| is_own_inbox(token)) {
                    server.revoke_token(&token.id).await.map_err(error_text)?;
                }
                server.owner(OWNER, OWNER_NAME, INBOX_TOKEN_LABEL, &[Scope::Inbox]).await
            }
            TokenPurpose::Terminal => server.renew_endpoint(OWNER, OWNER_NAME).await,
        };
        Ok(fresh.map_err(error_text)?.token)
    }

    async fn accepts_token(&self, token: &str) -> bool {
        let Some(port) = self.with_running(|running| running.port) else { return false };
        binding::accepts(port, token, START_TIMEOUT).await
    }

    async fn tokens(&self) -> Result<Vec<TokenRow>, String> {
        let tokens = self.server()?.tokens(Some(OWNER)).await.map_err(error_text)?;
        Ok(tokens::rows(&tokens, |token| !is_own_inbox(token) && !is_program_token(&token.id)))
    }

    async fn create_token(&self, label: &str, reads: bool) -> Result<String, String> {
        // A token with the label of the app's own would be hidden from the list.
        let label = if label == INBOX_TOKEN_LABEL { format!("{label} (2)") } else { label.to_owned() };
        let scopes: &[Scope] = if reads { &[Scope::Inbox, Scope::Publish] } else { &[Scope::Publish] };
        Ok(self.server()?.create_token(OWNER, &label, scopes).await.map_err(error_text)?.token)
    }

    async fn create_application(&self, name: &str) -> Result<String, String> {
        self.server()?.create_application(OWNER, name).await.map_err(error_text)
    }

    async fn revoke_token(&self, id: &str) -> Result<bool, String> {
        if !self.tokens().await?.iter().any(|token| token.id == id) {
            return Ok(false);
        }
        self.server()?.revoke_token(id).await.map_err(error_text)?;
        Ok(true)
    }

    async fn users(&self) -> Result<Vec<UserRow>, String> {
        let users = self.server()?.users().await.map_err(error_text)?;
        Ok(users
            .into_iter()
            .map(|user| UserRow { me: user.id == OWNER, id: user.id, name: user.name })
            .collect())
    }

    async fn add_user(&self, id: &str, name: &str) -> Result<(), UserError> {
        self.server().map_err(UserError::Other)?.create_user(id, name).await.map(drop).map_err(user_error)
    }

    async fn rename_user(&self, id: &str, name: &str) -> Result<(), UserError> {
        self.server().map_err(UserError::Other)?.rename_user(id, name).await.map(drop).map_err(user_error)
    }

    async fn remove_user(&self, id: &str, recalls: bool) -> Result<(), UserError> {
        if id == OWNER {
            return Err(UserError::Own);
        }
        let written = if recalls { WrittenContent::Delete } else { WrittenContent::Keep };
        self.server().map_err(UserError::Other)?.begin_removal(id, written).await.map_err(user_error)
    }

    async fn export_user(&self, id: &str, to: &Path) -> Result<(), UserError> {
        let server = self.server().map_err(UserError::Other)?;
        let mut export = server.export_user(id).await.map_err(user_error)?;
        let failed = |error: std::io::Error| UserError::Other(error.to_string());
        let mut file = tokio::fs::File::create(to).await.map_err(failed)?;
        while let Some(lines) = export.lines().await.map_err(user_error)? {
            file.write_all(lines.as_bytes()).await.map_err(failed)?;
        }
        file.flush().await.map_err(failed)
    }

    fn addresses(&self) -> Vec<String> {
        let port = self.with_running(|running| running.listen.others.then_some(running.port)).flatten();
        port.map(addresses::reachable).unwrap_or_default()
    }

    fn discovery_trouble(&self) -> Option<String> {
        self.with_running(|running| running.discovery.as_ref()?.trouble()).flatten()
    }

    async fn backup(&self, to: &Path) -> Result<(), String> {
        self.server()?.backup(to).await.map_err(error_text)
    }

    async fn restore(&self, from: &Path) -> Result<u16, String> {
        let _guard = self.lifecycle.lock().await;
        let before = self.end().await;
        let listen = before.as_ref().map_or_else(ListenConfig::default, |(_, listen, _)| listen.clone());
        let port = before.as_ref().map_or_else(usual_port, |(.., port)| *port);
        // Dropping the last handle closes the database.
        drop(before);
        // A backup of a wrong clock is restored as it is; the window offers to mend it.
        let (dir, clock) = (self.home.dir(), Arc::clone(&self.clock));
        let restored = Server::restore(dir, from, clock, FutureStamps::Keep).await.map_err(error_text);
        let server = self.open(&listen).await.map_err(error_text)?;
        let again = self.serve_again(server, listen, port).await.map_err(error_text);
        restored.and(again)
    }

    async fn stamps_are_ahead(&self) -> bool {
        let Ok(server) = self.server() else { return false };
        server.stamps_ahead().await.ok().flatten().is_some()
    }

    async fn mend_clock(&self) -> Result<u16, String> {
        let _guard = self.lifecycle.lock().await;
        let before = self.end().await;
        let listen = before.as_ref().map_or_else(ListenConfig::default, |(_, listen, _)| listen.clone());
        let port = before.as_ref().map_or_else(usual_port, |(.., port)| *port);
        drop(before);
        let config = self.config(&listen);
        let mended =
            mend_clock(&config.store, &config.data_dir, Arc::clone(&self.clock)).await.map_err(error_text);
        let server = self.open(&listen).await.map_err(error_text)?;
        let again = self.serve_again(server, listen, port).await.map_err(error_text);
        mended.and(again)
    }

    async fn reclaimable_bytes(&self) -> u64 {
        match self.server() {
            Ok(server) => server.reclaimable_bytes().await.unwrap_or(0),
            Err(_) => 0,
        }
    }

    async fn compact(&self) -> Result<(), String> {
        self.server()?.compact().await.map_err(error_text)
    }

    async fn stop(&self) {
        let _guard = self.lifecycle.lock().await;
        if let Ok(server) = self.server()
            && let Err(error) = server.end_endpoint().await
        {
            tracing::warn!(%error, "the token of endpoint.json could not be revoked");
        }
        self.end().await;
    }
}

/// Whether the app made a token for its own inbox. What another token made, as by signing in, may have any label.
fn is_own_inbox(token: &tidings_server::Token) -> bool {
    token.label == INBOX_TOKEN_LABEL && token.made_by.is_none()
}

fn error_text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn user_error(error: tidings_server::Error) -> UserError {
    match error {
        tidings_server::Error::Refused(problem) => match problem.code {
            Code::Conflict => UserError::Taken,
            Code::Invalid => UserError::Invalid,
            Code::NotFound => UserError::Gone,
            _ => UserError::Other(problem.detail.clone()),
        },
        other => UserError::Other(other.to_string()),
    }
}

#[cfg(test)]
mod tests;
