//! Arguments of `mcp`.

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct Mcp {
    /// What the agent may do besides reading; can be given several times, or as a list separated by commas.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) allow: Vec<Allowed>,
}

/// What an agent may do besides reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Allowed {
    /// Mark notifications as read, unread, done or deleted.
    Mark,
    /// Publish notifications and send messages.
    Publish,
    /// Ask people questions and wait for their answers.
    Ask,
}

impl Allowed {
    /// The word of the command line.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Mark => "mark",
            Self::Publish => "publish",
            Self::Ask => "ask",
        }
    }
}
