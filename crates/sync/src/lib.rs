//! Pulls sources into the replica and sends local marks to their servers, without losing or repeating any.
//!
//! A program starts an [`Engine`] and watches [`Engine::statuses`]; a single pull without an engine is [`pull_once`].
//! This crate does not depend on the server: the own server of standalone mode is a source on the loopback like any
//! other.

mod backoff;
mod blocking;
mod engine;
mod error;
pub mod outgoing_files;
pub mod presets;
mod pull;
mod pull_end;
pub mod session;
pub mod sign_in;
mod status;
pub mod tokens;
mod trouble;
mod waits;
pub mod wake;

pub use backoff::BackoffConfig;
pub use engine::{Engine, EngineConfig};
pub use error::{Error, Result};
pub use pull::publishing::publish_once;
pub use pull::uploads::{UploadProgress, Uploads};
pub use pull::{PullLimit, Report, pull_once, pull_within};
pub use pull_end::PullEnd;
pub use sign_in::StoredTokens;
pub use status::{EngineEvent, PullReason, SourceStatus, SourceStatuses};
pub use tokens::{TokenStore, Tokens};
pub use trouble::{DAMAGED, Trouble};
pub use wake::{Wake, Wakes};
