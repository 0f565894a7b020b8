//! Arguments of `mark`.

use clap::{Args, ValueEnum};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MarkArg {
    Read,
    Unread,
    Archive,
    Delete,
    /// Subscribe to the thread at its service.
    Subscribe,
    /// Unsubscribe from the thread at its service.
    Unsubscribe,
    /// Mute the thread, also at its service.
    Mute,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Which {
    /// The msgids, as `tidings list` shows them in brackets: SOURCE/MSGID if two sources have the same.
    pub(crate) msgids: Vec<String>,
    /// All notifications up to now.
    #[arg(long)]
    pub(crate) all: bool,
}
