//! The inbox: what it pulls from, what of it is listed, marked and taken along. Refuses what a query means.

use clap::{Args, Subcommand, ValueEnum};
use tidings_model::Kind;

#[derive(Debug, Subcommand)]
pub(crate) enum Source {
    /// Add a source.
    Add {
        /// What it speaks.
        #[arg(value_enum)]
        protocol: Protocol,
        /// Its address.
        url: String,
        /// The token; - reads it from standard input. Others on this machine can see arguments: prefer - or the
        /// variable.
        #[arg(long, env = "TIDINGS_TOKEN", hide_env_values = true)]
        token: Option<String>,
        /// What to call it; the address's host unless given.
        #[arg(long)]
        name: Option<String>,
    },
    /// List the sources.
    List,
    /// Remove a source.
    Remove {
        /// Its name or address.
        name: String,
        /// Keep what came from it.
        #[arg(long)]
        keep: bool,
    },
    /// Stop pulling a source for now.
    Pause {
        /// Its name or address.
        name: String,
    },
    /// Pull a paused source again.
    Resume {
        /// Its name or address.
        name: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Protocol {
    Tidings,
    Ntfy,
    Gotify,
    Github,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only unread ones.
    #[arg(long)]
    pub(crate) unread: bool,
    /// Only one kind.
    #[arg(long, value_parser = parse_kind)]
    pub(crate) kind: Option<Kind>,
    /// Only one thread, for example article:42#comment.
    #[arg(long)]
    pub(crate) thread: Option<String>,
    /// At most so many.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) limit: u32,
}

fn parse_kind(word: &str) -> Result<Kind, String> {
    Kind::from_word(word).ok_or_else(|| "announcement, reminder or message".to_owned())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MarkWord {
    Read,
    Unread,
    Archive,
    Delete,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Which {
    /// Which.
    pub(crate) msgids: Vec<String>,
    /// Everything up to now.
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    Json,
    Csv,
    Mbox,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportOf {
    /// What was pulled, from every source.
    Inbox,
    /// What the server has for each of its users.
    Server,
}
