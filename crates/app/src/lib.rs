//! Everything the desktop does, without a desktop: commands, words, policies and events, with ports as traits.
//! Refuses to name a window toolkit, a bus or a server: what stands behind a port is the host's matter.

mod app;
pub mod archive;
mod commands;
mod desktop_requests;
mod error;
pub mod events;
pub mod export;
pub mod home;
pub mod ipc;
mod links;
mod notices;
pub mod policy;
pub mod ports;
mod preview;
pub mod query;
pub mod render;
mod running;
mod settings;
pub mod socket;
mod standalone;
pub mod strings;
#[cfg(test)]
mod tests;
mod toasts;
mod updates;
pub mod user_file;

pub use app::{App, Parts};
pub use error::{Error, Result};
pub use home::Home;
pub use notices::Degradation;
pub use running::Connections;
pub use standalone::{ListenConfig, OwnServer, ServerStartError, TokenPurpose};
