//! Arguments of `send` and `group`.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct Send {
    /// The topic to publish on.
    #[arg(long, default_value = "tidings", conflicts_with = "to")]
    pub(crate) topic: String,
    /// Send a message to this user instead, or to a group as group:ID.
    #[arg(long, value_name = "USER")]
    pub(crate) to: Option<String>,
    /// The title.
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// The priority, 1 (lowest) to 5 (urgent); 3 unless given.
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=5))]
    pub(crate) priority: Option<u8>,
    /// The text; - reads it from standard input.
    #[arg(required = true)]
    pub(crate) body: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Group {
    /// Create a group; you are its owner and a member.
    Create {
        /// The name of the group.
        name: String,
        /// The id of the group; random unless given.
        #[arg(long)]
        id: Option<String>,
        /// A further member; may be given several times.
        #[arg(long, value_name = "USER")]
        member: Vec<String>,
    },
    /// List the groups that you are in and those in your inbox, the newest first.
    List,
    /// Show a group and its members.
    Show {
        /// The id of the group.
        id: String,
    },
    /// Add a member; only the group's owner can.
    Add {
        /// The id of the group.
        id: String,
        /// The id of the user.
        user: String,
    },
    /// Remove a member; only the group's owner can.
    Remove {
        /// The id of the group.
        id: String,
        /// The id of the user.
        user: String,
    },
    /// Leave a group; its messages so far stay in your inbox.
    Leave {
        /// The id of the group.
        id: String,
    },
}
