//! The desktop app without a desktop: the commands of the page, toasts and badge, and the state behind them. A desktop
//! is reached only through the traits in [`tidings_ports`]; this crate names no toolkit and no bus.

mod app;
mod commands;
mod context;
mod desktop;
mod doctor;
mod error;
pub mod events;
mod inbox;
pub mod log;
pub mod notify;
mod one_dialog;
pub mod publish;
mod saved_files;
mod settings;
mod settings_file;
mod sources;
mod state;
mod storage;
#[cfg(test)]
mod tests;
mod tray_and_badge;

pub use app::App;
pub use app::running::StartConfig;
pub use commands::Command;
pub use context::Parts;
pub use desktop::desktop_search::FoundThread;
pub use desktop::socket;
pub use doctor::known_version;
pub use error::{Error, Result};
pub use sources::own_server::wanted_port;
pub use sources::probe::suggested_name;
pub use state::age_hold;
pub use state::data_folder::OpenedFolder;
pub use state::notices::Degradation;
