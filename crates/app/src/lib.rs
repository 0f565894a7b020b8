//! The desktop app without a desktop: the commands of the page, toasts and badge, and the state behind them. A desktop
//! is reached only through the traits in [`ports`]; this crate names no toolkit and no bus.

mod app;
mod desktop;
mod error;
mod inbox;
pub mod ipc;
pub mod notify;
pub mod publish;
pub mod render;
mod settings;
mod sources;
mod storage;
pub mod strings;
#[cfg(test)]
mod tests;

pub use app::{App, Parts};
pub use desktop::running::StartConfig;
pub use desktop::{ports, socket};
pub use error::{Error, Result};
pub use inbox::preview::preview;
pub use inbox::query;
pub use settings::notices::Degradation;
pub use sources::own_server::{ListenConfig, OwnServer, ServerStartError, TokenPurpose, UserError};
pub use sources::probe::suggested_name;
pub use storage::home::Home;
pub use storage::{age_hold, archive, export, home, user_file};
