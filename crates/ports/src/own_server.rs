//! The server that the app runs itself.

use std::path::Path;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tidings_ipc::{TokenRow, UserRow};
use tidings_model::Lang;

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
    /// The port; `None` takes the usual one, or a free one if that is in use.
    pub port: Option<u16>,
    /// Whether other devices may connect. Publishing without a token stays limited to this computer.
    pub others: bool,
    /// The origins of pages in a browser that may use the server with a token, as browsers send them.
    pub origins: Vec<String>,
    /// The language of the server's own publications.
    #[serde(skip)]
    pub lang: Lang,
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
    #[error("the ID is taken")]
    Taken,
    /// The id or the name is not valid.
    #[error("the ID or the name is not valid")]
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
    /// Takes the configured port ahead of the start, without blocking: what connects waits until the server answers. If
    /// the port cannot be taken, the start says so.
    fn reserve_port(&self, listen: &ListenConfig);
    /// Starts the server on the configured port, or on a free one if that is in use. Returns the port.
    async fn start(&self, listen: ListenConfig) -> Result<u16, ServerStartError>;
    /// The origin of web pages in a text, as browsers send it; `None` if there is none, or more than one.
    fn origin(&self, text: &str) -> Option<String>;
    /// Moves the server to another port or audience without losing a request; returns the port. After an error it
    /// listens where it did before.
    async fn move_to(&self, listen: ListenConfig) -> Result<u16, ServerStartError>;
    /// Creates a token of the owner, and the owner if it is missing.
    async fn token(&self, purpose: TokenPurpose) -> Result<String, String>;
    /// Whether the server accepts a token.
    async fn accepts_token(&self, token: &str) -> bool;
    /// The tokens that the reader created, newest first.
    async fn tokens(&self) -> Result<Vec<TokenRow>, String>;
    /// Creates a token that may publish, and read if `reads`; returns its secret.
    async fn create_token(&self, label: &str, reads: bool) -> Result<String, String>;
    /// Makes an application of Gotify's API; returns the secret of its token.
    async fn create_application(&self, name: &str) -> Result<String, String>;
    /// Revokes one of [`OwnServer::tokens`]; `false` if no such token exists. Its open streams end at once.
    async fn revoke_token(&self, id: &str) -> Result<bool, String>;
    /// The users, by id.
    async fn users(&self) -> Result<Vec<UserRow>, String>;
    /// Adds a user.
    async fn add_user(&self, id: &str, name: &str) -> Result<(), UserError>;
    /// Gives a user another name.
    async fn rename_user(&self, id: &str, name: &str) -> Result<(), UserError>;
    /// Removes a user for good, and recalls what they wrote if `recalls`. The rest of it is deleted later.
    async fn remove_user(&self, id: &str, recalls: bool) -> Result<(), UserError>;
    /// Writes all that is stored of a user to a file, as JSON lines.
    async fn export_user(&self, id: &str, to: &Path) -> Result<(), UserError>;
    /// The addresses for other devices, the likeliest first; empty if they may not connect.
    fn addresses(&self) -> Vec<String>;
    /// The reason why other devices that may connect do not find the server by themselves; `None` if they do.
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
