//! Arguments of `user` and `token`.

use clap::Subcommand;
use tidings_model::wire::Scope;

#[derive(Debug, Subcommand)]
pub(crate) enum User {
    /// Add a user.
    Add {
        /// The ID: 1 to 64 characters of A-Z a-z 0-9 . _ -
        id: String,
        /// The name that others see [default: the ID].
        #[arg(long)]
        name: Option<String>,
    },
    /// List the users.
    List,
    /// Remove a user for good, after a question: their tokens stop working at once, and nobody else is given their ID.
    Remove {
        /// The ID of the user.
        id: String,
        /// What to do with what they wrote: keep it, or recall it from every inbox.
        #[arg(long, value_enum, default_value = "keep")]
        content: Content,
        /// Do not ask.
        #[arg(long)]
        yes: bool,
    },
    /// Rename a user. What they publish from now on has the new name.
    Rename {
        /// The ID of the user.
        id: String,
        /// The name that others see.
        name: String,
    },
    /// Print all data of a user, as JSON lines.
    Export {
        /// The ID of the user.
        id: String,
    },
}

/// What becomes of what a removed user wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum Content {
    /// It stays with those who have it.
    #[default]
    Keep,
    /// It is recalled from every inbox.
    Delete,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Token {
    /// Create a token and print it. It can't be shown again.
    Create {
        /// The ID of the user that it belongs to.
        #[arg(long)]
        user: String,
        /// A scope of the token: inbox, publish or admin; can be given several times.
        #[arg(long, required = true)]
        scope: Vec<Scope>,
        /// A note that `token list` shows.
        #[arg(long, default_value = "")]
        label: String,
    },
    /// List the tokens, without their secrets, each with the token that created it.
    List {
        /// Only tokens of this user.
        #[arg(long)]
        user: Option<String>,
    },
    /// Revoke a token by its ID, and the tokens that it created.
    Revoke {
        /// The ID that `token list` shows.
        id: String,
    },
}
