//! Everything the desktop does, without a desktop: the commands of the page, what is shown and when, and the state
//! behind it. A desktop is what stands behind the traits in [`ports`]; no toolkit and no bus is named here.

mod app;
mod desktop;
mod error;
mod inbox;
pub mod ipc;
pub mod notify;
pub mod render;
mod settings;
mod sources;
mod storage;
pub mod strings;
#[cfg(test)]
mod tests;

pub use app::{App, Parts};
pub use desktop::running::Connections;
pub use desktop::{ports, socket};
pub use error::{Error, Result};
pub use inbox::query;
pub use settings::notices::Degradation;
pub use sources::own_server::{ListenConfig, OwnServer, ServerStartError, TokenPurpose};
pub use storage::home::Home;
pub use storage::{archive, export, home, user_file};
