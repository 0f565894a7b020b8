//! What is said to others, and the groups it is said in. Refuses what was said by them.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct Send {
    /// Publish on this topic.
    #[arg(long, default_value = "tidings", conflicts_with = "to")]
    pub(crate) topic: String,
    /// Send a message to this user instead, or to a group: group:ID.
    #[arg(long, value_name = "USER")]
    pub(crate) to: Option<String>,
    /// A heading.
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// 1 (least) to 5 (urgent).
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=5))]
    pub(crate) priority: Option<u8>,
    /// The text; - reads standard input.
    #[arg(required = true)]
    pub(crate) body: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Group {
    /// Make a group; you own it and are in it.
    Create {
        /// What people call it.
        name: String,
        /// Its id; one by chance unless given.
        #[arg(long)]
        id: Option<String>,
        /// A user who is in it from the start; may be given several times.
        #[arg(long, value_name = "USER")]
        member: Vec<String>,
    },
    /// List the groups that you are in, and those that your inbox knows; the latest first.
    List,
    /// Show a group and who is in it.
    Show {
        /// Its id.
        id: String,
    },
    /// Add a user; for the group's owner.
    Add {
        /// The group's id.
        id: String,
        /// Who.
        user: String,
    },
    /// Take a user out; for the group's owner.
    Remove {
        /// The group's id.
        id: String,
        /// Who.
        user: String,
    },
    /// Leave a group; what you have of it stays.
    Leave {
        /// The group's id.
        id: String,
    },
}
