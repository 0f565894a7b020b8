//! Arguments of `group`.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum Group {
    /// Create a group. You are its owner and a member.
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
        /// The ID of the group.
        id: String,
    },
    /// Show who has read a message, who has received it, and who has not received it yet.
    Receipts {
        /// The ID of the group.
        id: String,
        /// The msgid of the message.
        msgid: String,
    },
    /// Add a member. Only the owner of the group can do this.
    Add {
        /// The ID of the group.
        id: String,
        /// The ID of the user.
        user: String,
    },
    /// Remove a member. Only the owner of the group can do this.
    Remove {
        /// The ID of the group.
        id: String,
        /// The ID of the user.
        user: String,
    },
    /// Rename a group. Only its owner can do this.
    Rename {
        /// The ID of the group.
        id: String,
        /// The new name.
        name: String,
    },
    /// Make another member the owner. Only the owner can do this.
    #[command(name = "hand-over")]
    HandOver {
        /// The ID of the group.
        id: String,
        /// The ID of the member.
        user: String,
    },
    /// End a group. Only its owner can do this. Its members keep its messages, and nobody can write to it any more.
    End {
        /// The ID of the group.
        id: String,
    },
    /// Leave a group. Its earlier messages stay in your inbox.
    Leave {
        /// The ID of the group.
        id: String,
    },
}
