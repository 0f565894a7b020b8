//! The desktop app without a desktop: the commands of the page, toasts and badge, and the state behind them. A desktop
//! is reached only through the traits in [`ports`]; this crate names no toolkit and no bus.

mod app;
mod commands;
mod context;
mod desktop;
pub mod doctor;
mod error;
pub mod home;
mod inbox;
pub mod ipc;
pub mod log;
pub mod notify;
pub mod ports;
pub mod publish;
pub mod query;
pub mod quiet;
pub mod render;
mod saved_files;
mod settings;
mod settings_file;
mod sources;
mod state;
mod storage;
pub mod strings;
#[cfg(test)]
mod tests;
pub mod toast_policy;
mod tray_and_badge;
pub mod user_file;

pub use app::App;
pub use app::running::StartConfig;
pub use commands::Command;
pub use context::Parts;
pub use desktop::socket;
pub use error::{Error, Result};
pub use home::{Home, archive};
pub use inbox::preview::preview;
pub use ports::{ListenConfig, OwnServer, ServerStartError, TokenPurpose, UserError};
pub use sources::probe::suggested_name;
pub use state::age_hold;
pub use state::data_folder::OpenedFolder;
pub use state::notices::Degradation;
pub use storage::export;
