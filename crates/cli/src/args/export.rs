//! Arguments of `export`.

use clap::ValueEnum;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    Json,
    Csv,
    Mbox,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportOf {
    /// The notifications of the inbox, from all its sources.
    Inbox,
    /// The notifications that the server of this data folder has for each of its users.
    Server,
}
