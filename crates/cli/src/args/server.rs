//! Arguments of `serve`, `user` and `token`.

use std::{net::IpAddr, time::Duration};

use clap::{Args, Subcommand};
use tidings_model::wire::Scope;

use super::duration::parse_duration;

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// The address to listen on; port 0 picks a free one.
    #[arg(long, default_value = "127.0.0.1:7878", value_name = "ADDRESS:PORT")]
    pub(crate) listen: String,
    /// The database; only sqlite, in the data folder.
    #[arg(long, default_value = "sqlite")]
    pub(crate) store: String,
    /// Let programs on this machine publish on topics without a token.
    #[arg(long)]
    pub(crate) open_publish: bool,
    /// Delete notifications and receipts older than this, for example 90d or 12h; nothing is deleted unless given.
    #[arg(long, value_name = "AGE", value_parser = parse_age)]
    pub(crate) retain: Option<Duration>,
    /// A further host name that requests may be sent to; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub(crate) allow_host: Vec<String>,
    /// The address of a proxy whose X-Forwarded headers are trusted; may be given several times.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) trust_proxy: Vec<IpAddr>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum User {
    /// Add a user.
    Add {
        /// The id: 1 to 64 characters of A-Z a-z 0-9 . _ -
        id: String,
        /// The name that others see; the id unless given.
        #[arg(long)]
        name: Option<String>,
    },
    /// List the users.
    List,
    /// Remove a user; their tokens stop working at once.
    Remove {
        /// The id of the user.
        id: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Token {
    /// Create a token and print it; it can't be shown again.
    Create {
        /// The id of the user that it belongs to.
        #[arg(long)]
        user: String,
        /// A scope of the token: inbox, publish or admin; may be given several times.
        #[arg(long, required = true)]
        scope: Vec<Scope>,
        /// A note that `token list` shows.
        #[arg(long, default_value = "")]
        label: String,
    },
    /// List the tokens, without their secret.
    List {
        /// Only tokens of this user.
        #[arg(long)]
        user: Option<String>,
    },
    /// Revoke a token by its id.
    Revoke {
        /// The id that `token list` shows.
        id: String,
    },
}

fn parse_age(text: &str) -> Result<Duration, String> {
    parse_duration(text)
        .filter(|age| !age.is_zero())
        .ok_or_else(|| "an age such as 90d, 12h or 30m".to_owned())
}
