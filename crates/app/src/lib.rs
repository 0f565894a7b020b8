//! Everything the desktop does, without a desktop: commands, words, policies and events, with ports as traits.
//! Refuses to name a window toolkit, a bus or a server: what stands behind a port is the host's matter.

mod app;
pub mod archive;
mod commands;
mod error;
pub mod events;
pub mod export;
pub mod home;
mod links;
mod look;
mod notices;
pub mod page;
pub mod policy;
pub mod ports;
pub mod query;
pub mod render;
mod running;
mod settings;
pub mod socket;
mod standalone;
#[cfg(test)]
mod stories;
mod telling;
mod toasting;
pub mod user_file;
mod wishes;
pub mod words;

pub use app::{App, Parts};
pub use error::{Error, Result};
pub use home::Home;
pub use notices::Lack;
pub use running::Connections;
pub use standalone::{NoServer, OwnServer, Place, Purpose};
