//! Arguments of the commands for the inbox: sources, lists, marks, exports.

use clap::{Args, Subcommand, ValueEnum};
use tidings_model::Kind;

#[derive(Debug, Subcommand)]
pub(crate) enum Source {
    /// Add a source; its server is asked who you are before it is stored.
    Add {
        /// The protocol of the server.
        #[arg(value_enum)]
        protocol: Protocol,
        /// The address of the server, with its scheme.
        url: String,
        /// The token; - reads it from standard input. Other users of this machine can see arguments: prefer - or the
        /// variable.
        #[arg(long, env = "TIDINGS_TOKEN", hide_env_values = true)]
        token: Option<String>,
        /// The name to show; the address's host unless given.
        #[arg(long)]
        name: Option<String>,
    },
    /// List the sources.
    List,
    /// Remove a source and its notifications.
    Remove {
        /// The name or address of the source.
        name: String,
        /// Keep its notifications.
        #[arg(long)]
        keep: bool,
    },
    /// Stop pulling a source until it is resumed.
    Pause {
        /// The name or address of the source.
        name: String,
    },
    /// Pull a paused source again.
    Resume {
        /// The name or address of the source.
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
    /// Only unread notifications.
    #[arg(long)]
    pub(crate) unread: bool,
    /// Only this kind: announcement, reminder or message.
    #[arg(long, value_parser = parse_kind)]
    pub(crate) kind: Option<Kind>,
    /// Only this thread, for example article:42#comment.
    #[arg(long)]
    pub(crate) thread: Option<String>,
    /// The most notifications to list.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) limit: u32,
}

fn parse_kind(word: &str) -> Result<Kind, String> {
    Kind::from_wire(word).ok_or_else(|| "announcement, reminder or message".to_owned())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MarkArg {
    Read,
    Unread,
    Archive,
    Delete,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Which {
    /// The msgids, as `tidings list` shows them in brackets.
    pub(crate) msgids: Vec<String>,
    /// All notifications up to now.
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
    /// The notifications that the inbox pulled from its sources.
    Inbox,
    /// The notifications that the server of this data folder has for each of its users.
    Server,
}
