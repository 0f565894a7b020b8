//! The server of Tidings, embedded in the app or headless: it stores every publication durably and delivers it to the
//! inboxes. The clock, the listener and the configuration are passed in.
//!
//! # Embedding it
//!
//! ```no_run
//! use std::sync::Arc;
//! use tidings_model::SystemClock;
//! use tidings_model::wire::Scope;
//! use tidings_server::{Server, ServerConfig, serve};
//!
//! # async fn embed(stop: tokio_util::sync::CancellationToken) -> Result<(), Box<dyn std::error::Error>> {
//! let mut config = ServerConfig::new("/var/lib/tidings");
//! // Standalone mode: programs on this machine publish without a token, and this user receives what they publish.
//! config.standalone_owner = Some("me".to_owned());
//! config.open_publish = true;
//! let server = Server::open(config, Arc::new(SystemClock)).await?;
//!
//! // Creates the user if missing; the token's text can't be read again later.
//! let token = server.owner("me", "Me", "this computer", &[Scope::Inbox, Scope::Publish]).await?;
//! println!("{}", token.token);
//!
//! let listener = tidings_server::bind("127.0.0.1:7878").await?;
//! serve(listener, server, stop.cancelled_owned()).await?;
//! # Ok(())
//! # }
//! ```
//!
//! [`serve`] ends within five seconds of the shutdown future: it finishes the requests in progress and ends the
//! streams. Only one process at a time serves a data folder; another process can manage users and tokens through
//! [`Server::open`] meanwhile.

mod core_dumps;
mod heaps;
mod http;
mod parsers;
mod serve;
mod upkeep;

pub use core_dumps::{forbid_core_dumps, forbid_memory_access, log_panics};
pub use heaps::{share_heaps, trim_heaps, trim_heaps_periodically};
pub use parsers::parsers;
pub use serve::{Listeners, bind, listen, raise_open_files, serve};
pub use tidings_server_core::access::AccessBounds;
pub use tidings_server_core::config::{MailConfig, ProxyHeader, RateLimit, ServerConfig};
pub use tidings_server_core::domain::origin::Origin;
pub use tidings_server_core::export::UserExport;
pub use tidings_server_core::files::FileLimits;
pub use tidings_server_core::live::HintBounds;
pub use tidings_server_core::server::Server;
pub use tidings_server_core::{domain, endpoint, traces};
pub use tidings_sqlite::Bounds as FileBounds;
pub use tidings_store::domain::account::{FreshToken, Token, User, UserKey, WrittenContent};
pub use tidings_store::domain::topic::{Secret, Topic, TopicSettings};
pub use tidings_store::{Bounds, Difference, Error};
pub use tidings_store_migrate::{mend_clock, migrate, served};
pub use tidings_store_postgres::{RedisAddress, StoreAddress};
