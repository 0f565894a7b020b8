//! Arguments of `group`.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum Group {
    /// Create a group; you are its owner and a member.
    Create {
        /// The name of the group.
        name: String,
        /// The ID of the group [default: random].
        #[arg(long)]
        id: Option<String>,
        /// Another member; can be given several times.
        #[arg(long, value_name = "USER")]
        member: Vec<String>,
    },
    /// List the groups that you are in and those in your inbox, newest first.
    List,
    /// Show a group and its members.
    Show {
        /// The id of the group.
        id: String,
    },
    /// Show who has read a message, to whom it was only delivered, and who does not have it yet.
    Receipts {
        /// The id of the group.
        id: String,
        /// The msgid of the message.
        msgid: String,
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
    /// Rename a group; only its owner can.
    Rename {
        /// The id of the group.
        id: String,
        /// The new name.
        name: String,
    },
    /// Make another member the owner; only the owner can.
    #[command(name = "hand-over")]
    HandOver {
        /// The id of the group.
        id: String,
        /// The id of the member.
        user: String,
    },
    /// End a group; only its owner can. Its members keep its messages, and nobody can write to it any more.
    End {
        /// The id of the group.
        id: String,
    },
    /// Leave a group; its earlier messages stay in your inbox.
    Leave {
        /// The id of the group.
        id: String,
    },
}
