//! Arguments of `source`.

use std::path::PathBuf;

use clap::Subcommand;
use clap::builder::{PossibleValue, PossibleValuesParser};
use tidings_sources::PROTOCOLS;

#[derive(Debug, Subcommand)]
pub(crate) enum Source {
    /// Add a source. It is tested before it is stored.
    Add {
        /// The type of the source.
        #[arg(value_name = "KIND", value_parser = kinds())]
        protocol: String,
        /// The address; some types have one of their own. Without a scheme https is tried, and then http on this machine
        /// and in its network.
        url: Option<String>,
        /// The token, or user:password if the type accepts it; - reads it from standard input. Other users of this
        /// machine can see arguments: prefer - or the variable.
        #[arg(long, env = "TIDINGS_TOKEN", hide_env_values = true)]
        token: Option<String>,
        /// Sign in with the browser instead of a token, if the type offers that: GitHub, GitLab, Mastodon. The rights that
        /// are asked for are printed first.
        #[arg(long)]
        sign_in: bool,
        /// The ID of your client at the service, which GitHub and GitLab need; it is kept for the next sign-in there.
        #[arg(long, value_name = "ID", requires = "sign_in")]
        client_id: Option<String>,
        /// Ask for more rights than are needed, for what the type offers with them.
        #[arg(long, requires = "sign_in")]
        more: bool,
        /// The name to show [default: the host of the address].
        #[arg(long)]
        name: Option<String>,
    },
    /// Sign in again, as the same user, to a source whose token was refused or revoked: with the browser if its type offers
    /// that, else with a token.
    SignIn {
        /// The name or address of the source.
        name: String,
        /// A new token instead; - reads it from standard input. Other users of this machine can see arguments: prefer -.
        #[arg(long, conflicts_with_all = ["client_id", "more"])]
        token: Option<String>,
        /// The ID of your client at the service, instead of the one that is kept.
        #[arg(long, value_name = "ID")]
        client_id: Option<String>,
        /// Ask for more rights than are needed, for what the type offers with them.
        #[arg(long)]
        more: bool,
    },
    /// Add the sources that another program kept: a list of feeds (OPML), or the settings of Gitify, gotify-tray or the
    /// `ntfy` command. Their addresses are shown first, and each is tested before it is stored.
    Import {
        /// The file; - reads standard input.
        file: PathBuf,
        /// Also test those on this computer or its network. Without this, they are named and left out.
        #[arg(long)]
        private: bool,
        /// Do not ask before testing. The question is asked in a terminal only.
        #[arg(long, short)]
        yes: bool,
    },
    /// Read again what was skipped because it could not be read before. `tidings check` names it.
    Retry {
        /// The name or address of the source, or the name of one input, as `tidings check` gives it.
        name: String,
    },
    /// Print the feeds as OPML, for other feed readers.
    Opml,
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
    /// Stop pulling from a source until it is resumed.
    Pause {
        /// The name or address of the source.
        name: String,
    },
    /// Resume pulling from a paused source.
    Resume {
        /// The name or address of the source.
        name: String,
    },
}

/// The kinds of sources that this version knows, each with an address.
fn kinds() -> PossibleValuesParser {
    let kind = |known: &tidings_sources::Protocol| {
        let address = known.default_url.unwrap_or(known.example);
        PossibleValue::new(known.name).help(format!("{}: {address}", known.label))
    };
    PROTOCOLS.iter().map(|known| kind(known)).collect::<Vec<_>>().into()
}
