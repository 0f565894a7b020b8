//! Arguments of `user` and `token`.

use clap::Subcommand;
use tidings_model::wire::Scope;

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
    /// List the tokens, without their secret, each with the token that made it.
    List {
        /// Only tokens of this user.
        #[arg(long)]
        user: Option<String>,
    },
    /// Revoke a token by its id, with what it made.
    Revoke {
        /// The id that `token list` shows.
        id: String,
    },
}
