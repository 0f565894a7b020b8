//! Pulls sources into the replica and sends local marks to their servers, without losing or repeating any.
//!
//! A program starts an [`Engine`] and watches [`Engine::statuses`]; a single pull without an engine is [`pull_once`].
//! This crate does not depend on the server: the own server of standalone mode is a source on the loopback like any
//! other.

mod backoff;
mod blocking;
mod bounds;
pub mod calendar;
mod certificate_fault;
pub mod certificates;
mod engine;
mod error;
pub mod imports;
mod net;
pub mod outgoing_files;
mod parsers;
pub mod private_files;
pub mod probe;
pub mod proxies;
mod pull;
mod pull_end;
pub mod releases;
mod route;
pub mod secrets;
pub mod session;
pub mod sign_in;
pub mod source;
mod status;
pub mod supervise;
pub mod tokens;
pub mod wake;

pub use backoff::BackoffConfig;
pub use bounds::Bounds;
pub use certificate_fault::CertificateFault;
pub use engine::{Engine, EngineConfig};
pub use error::{DAMAGED, Error, Result, Trouble};
pub use net::{address, download, egress, hosts, http};
pub use parsers::parsers;
pub use pull::publishing::publish_once;
pub use pull::uploads::{UploadProgress, Uploads};
pub use pull::{PullLimit, Report, pull_once, pull_within};
pub use pull_end::PullEnd;
pub use sign_in::StoredTokens;
pub use source::{
    ChangeAnswer, GroupAnswer, GroupChange, GroupView, NewGroup, PreviewPage, PublishedChange, ServerInfo,
    Since, Source, Upload,
};
pub use status::{EngineEvent, PullReason, SourceStatus, SourceStatuses};
pub use tokens::{TokenStore, Tokens};
pub use wake::{Wake, Wakes};
