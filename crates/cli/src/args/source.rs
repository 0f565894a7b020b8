//! Arguments of `source`.

use clap::{Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum Source {
    /// Add a source; its server is asked who you are before it is stored.
    Add {
        /// The protocol of the server.
        #[arg(value_enum)]
        protocol: Protocol,
        /// The address of the server. Without a scheme https is tried, and then http on this machine and in its network.
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
