//! The server without a window, its users and tokens. Refuses what is in anybody's inbox.

use std::{net::IpAddr, time::Duration};

use clap::{Args, Subcommand};
use tidings_model::wire::Scope;

use super::span::span;

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Where to listen; port 0 picks a free one.
    #[arg(long, default_value = "127.0.0.1:7878", value_name = "ADDRESS:PORT")]
    pub(crate) listen: String,
    /// Where the data is: sqlite.
    #[arg(long, default_value = "sqlite")]
    pub(crate) store: String,
    /// Programs on this machine publish on topics without a token.
    #[arg(long)]
    pub(crate) open_publish: bool,
    /// Forget notifications and receipts that are older, for example 90d or 12h; kept for good unless given.
    #[arg(long, value_name = "AGE", value_parser = parse_age)]
    pub(crate) retain: Option<Duration>,
    /// Another host name to answer to; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub(crate) allow_host: Vec<String>,
    /// The address of a proxy whose forwarding headers are believed; may be given several times.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) trust_proxy: Vec<IpAddr>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum User {
    /// Add a user.
    Add {
        /// 1 to 64 of A-Z a-z 0-9 . _ -
        id: String,
        /// What people call them; the id unless given.
        #[arg(long)]
        name: Option<String>,
    },
    /// List the users.
    List,
    /// Remove a user; its tokens stop working at once.
    Remove {
        /// Which.
        id: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Token {
    /// Make a token; it is shown once.
    Create {
        /// Whose.
        #[arg(long)]
        user: String,
        /// inbox, publish or admin; may be given several times.
        #[arg(long, required = true)]
        scope: Vec<Scope>,
        /// What it is for.
        #[arg(long, default_value = "")]
        label: String,
    },
    /// List the tokens, without their text.
    List {
        /// Only this user's.
        #[arg(long)]
        user: Option<String>,
    },
    /// Revoke a token by its id.
    Revoke {
        /// As `token list` shows it.
        id: String,
    },
}

fn parse_age(text: &str) -> Result<Duration, String> {
    span(text).filter(|age| !age.is_zero()).ok_or_else(|| "an age such as 90d, 12h or 30m".to_owned())
}
