//! Pulls sources into the replica and sends local marks to their servers, without losing or repeating any.
//!
//! A program starts an [`Engine`] and watches [`Engine::statuses`]; a single pull without an engine is [`pull_once`].
//! This crate does not depend on the server: the own server of standalone mode is a source on the loopback like any
//! other.

mod blocking;
mod engine;
mod error;
mod net;
pub mod outgoing_files;
pub mod private_files;
mod pull;
pub mod source;
mod status;
pub mod supervise;
pub mod tokens;
pub mod wake;

pub use engine::{BackoffConfig, Engine, EngineConfig};
pub use error::{Error, Result, Trouble};
pub use net::{address, download, egress, http};
pub use pull::uploads::{UploadProgress, Uploads};
pub use pull::{Report, pull_once};
pub use source::{GroupAnswer, NewGroup, PreviewPage, ServerInfo, Since, Source, Upload};
pub use status::{EngineEvent, PullReason, SourceStatus, SourceStatuses};
pub use tokens::{StoredTokens, TokenStore, Tokens};
pub use wake::{Wake, Wakes};
