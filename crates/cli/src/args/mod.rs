//! What can be typed. Refuses to do anything; `--help` is written here.

mod inbox;
mod people;
mod server;
mod span;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

pub(crate) use self::inbox::{ExportFormat, ExportOf, List, MarkWord, Protocol, Source, Which};
pub(crate) use self::people::{Group, Send};
pub(crate) use self::server::{Serve, Token, User};
pub(crate) use self::span::span;

/// Every notification, one inbox, even offline.
#[derive(Debug, Parser)]
#[command(name = "tidings", version, about, propagate_version = true, disable_help_subcommand = true)]
pub(crate) struct Cli {
    /// Print one JSON document and nothing else.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the server without a window.
    Serve(Serve),
    /// The server's users.
    #[command(subcommand)]
    User(User),
    /// The server's tokens.
    #[command(subcommand)]
    Token(Token),
    /// Publish a notification.
    Send(Send),
    /// Groups of people who write to each other.
    #[command(subcommand)]
    Group(Group),
    /// What the inbox pulls from.
    #[command(subcommand)]
    Source(Source),
    /// Send what waits and pull every source.
    Pull {
        /// Go on for as long as this runs.
        #[arg(long)]
        watch: bool,
    },
    /// The unread numbers.
    Unread,
    /// What is in the inbox, newest first.
    List(List),
    /// Find notifications, for example: from:bob is:unread before:2026-11-01 "exact words".
    Search {
        /// Words that must all be there (the last may be the beginning of one), and conditions: from: is: kind: source:
        /// before: after: on: priority: has:
        #[arg(required = true)]
        query: Vec<String>,
        /// At most so many.
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
        limit: u32,
    },
    /// Mark notifications.
    Mark {
        /// As what.
        #[arg(value_enum)]
        word: MarkWord,
        #[command(flatten)]
        which: Which,
    },
    /// Hide a notification until a time.
    Snooze {
        /// Which.
        #[arg(required = true)]
        msgids: Vec<String>,
        /// For example 2026-11-21T08:00:00Z, or 30m, 2h, 3d from now.
        #[arg(long)]
        until: String,
    },
    /// Verify the databases and recount every number.
    Check,
    /// Copy the server and the inbox into one file while they are in use; tokens are left out.
    Backup {
        /// Where to.
        file: PathBuf,
    },
    /// Put a backup in place of what is here; what was here stays beside it.
    Restore {
        /// From where.
        file: PathBuf,
    },
    /// Write everything in the inbox, and in the inboxes of the server here, to standard output.
    Export {
        /// As what.
        #[arg(long, value_enum)]
        format: ExportFormat,
        /// Only one of the two.
        #[arg(long, value_enum)]
        of: Option<ExportOf>,
    },
}
