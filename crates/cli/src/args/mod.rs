//! The command line: commands, arguments, options, and the text of `--help`.

mod accounts;
mod ask;
mod certificate;
mod doctor;
mod duration;
mod export;
mod group;
mod list;
mod mark;
mod mcp;
mod migrate;
mod mute;
mod pull;
mod reference;
#[cfg(unix)]
mod run;
mod send;
mod serve;
mod size;
mod source;
mod store;
mod topic;
mod watch;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

pub(crate) use self::accounts::{Content, Token, User};
pub(crate) use self::ask::{AnswerArgs, Ask};
pub(crate) use self::certificate::Certificate;
pub(crate) use self::doctor::Doctor;
pub(crate) use self::duration::parse_duration;
pub(crate) use self::export::{ExportFormat, ExportOf};
pub(crate) use self::group::Group;
pub(crate) use self::list::List;
pub(crate) use self::mark::{MarkArg, Which};
pub(crate) use self::mcp::{Allowed, Mcp};
pub(crate) use self::migrate::Migrate;
pub(crate) use self::mute::Muted;
pub(crate) use self::pull::Pull;
pub(crate) use self::reference::{CompletedShell, Man};
#[cfg(unix)]
pub(crate) use self::run::Run;
pub(crate) use self::send::Send;
pub(crate) use self::serve::{Failover, Receipts, Serve};
pub(crate) use self::source::Source;
pub(crate) use self::store::Store;
pub(crate) use self::topic::{SetTopic, Topic};
pub(crate) use self::watch::Watch;

/// Every notification, one inbox, even offline.
#[derive(Debug, Parser)]
#[command(name = "tidings", version, about, propagate_version = true, disable_help_subcommand = true)]
pub(crate) struct Cli {
    /// Print the result as one JSON document and nothing else.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// The command to run.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the headless server until it is stopped (Ctrl-C or SIGTERM).
    Serve(Serve),
    /// Add, list or remove users of the server in this data folder.
    User {
        #[command(flatten)]
        store: Store,
        #[command(subcommand)]
        command: User,
    },
    /// Create, list or revoke tokens of the server in this data folder.
    Token {
        #[command(flatten)]
        store: Store,
        #[command(subcommand)]
        command: Token,
    },
    /// Set, show, list or remove the settings of topics of the server in this data folder.
    Topic {
        #[command(flatten)]
        store: Store,
        #[command(subcommand)]
        command: Topic,
    },
    /// Publish a notification, or send a message to a user or a group, with tags, buttons or a file.
    Send(Send),
    /// Ask people a question, wait for the answer and print it. The exit code is 0 for the first answer, 1 for another
    /// one, and 3 if nobody answered in time.
    Ask(Ask),
    /// Answer a question of the inbox. The answer is sent with the next pull, and the first answer counts.
    Answer(AnswerArgs),
    /// Run a command, and publish how it ended, with the last lines of its output. The exit code is the command's, or 128 and the
    /// number of a signal that ended it. It is 127 if the command is not found, and 126 if it can't be started. Its output comes through a pipe,
    /// so a program that looks for a terminal finds none, and this command ends once nothing writes there any more.
    #[cfg(unix)]
    Run(Run),
    /// Take back what this token published, from every inbox.
    Recall {
        /// The msgid, as `tidings send` printed it.
        msgid: String,
    },
    /// Create and list groups, and change who is in them.
    #[command(subcommand)]
    Group(Group),
    /// Add, list, remove, pause or resume what the inbox pulls from: servers, topics, forges, feeds.
    #[command(subcommand)]
    Source(Source),
    /// Add, list or remove certificates for the address of a source. They are authorities that this computer doesn't know, such
    /// as a company's, and the client certificate that a server requires.
    #[command(subcommand)]
    Certificate(Certificate),
    /// Send waiting marks and messages, then fetch what is new from every source.
    Pull(Pull),
    /// Print notifications as they arrive, one per line, until this command is stopped, or run a command for each. With --json
    /// each line is a JSON document.
    Watch(Watch),
    /// Print how many notifications are unread on the badge, and how many are quiet (unread only): in all, by kind and by
    /// source.
    Unread,
    /// List the notifications, newest first, each with its topic or with who wrote to whom, and whether it is archived.
    List(List),
    /// Search the inbox, for example: tidings search from:bob is:unread before:2026-11-01 '"exact words"'.
    Search {
        /// Words that must all occur (the last one may be unfinished), and conditions: from: is: type: source: reason:
        /// before: after: on: priority: has:
        #[arg(required = true)]
        query: Vec<String>,
        /// The most notifications to list.
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
        limit: u32,
    },
    /// Mark notifications as read, unread, done (archive) or deleted.
    Mark {
        /// The mark to set.
        #[arg(value_enum)]
        word: MarkArg,
        #[command(flatten)]
        which: Which,
    },
    /// Hide notifications until a time. Then they come back as unread.
    Snooze {
        /// The msgids, as `tidings list` shows them in brackets: SOURCE/MSGID if two sources have the same.
        #[arg(required = true)]
        msgids: Vec<String>,
        /// A time such as 2026-11-21T08:00:00Z, or a duration from now such as 30m, 2h or 3d.
        #[arg(long)]
        until: String,
    },
    /// Mute threads, a source, or a topic of it: they make no toasts and do not count on the badge.
    Mute {
        #[command(flatten)]
        what: Muted,
        /// When the mute ends: a time such as 2026-11-21T08:00:00Z, or a duration from now such as 30m, 2h or 3d.
        #[arg(long)]
        until: Option<String>,
    },
    /// Unmute threads, a source, or a topic of it.
    Unmute {
        #[command(flatten)]
        what: Muted,
    },
    /// Print what is quiet now, and until when: a pause, quiet hours, and what is muted.
    Quiet,
    /// Serve the inbox to an agent over the Model Context Protocol, on standard input and output. The agent can only read,
    /// unless --allow lets it do more.
    Mcp(Mcp),
    /// Check the databases and recount every counter. If there is a difference, print a line for each and exit with 1.
    Check {
        /// Give the stamps that a wrong clock left in the future times of now, in their order, and then check. The server is
        /// stopped meanwhile, and every client pulls from the beginning once more, keeping marks and drafts.
        #[arg(long)]
        mend_clock: bool,
        #[command(flatten)]
        store: Store,
    },
    /// Check this computer and its sources: print what works, what does not, why, and what to do. Nothing is repaired. Exit
    /// with 1 if something needs you.
    Doctor(Doctor),
    /// Repair a damaged inbox: keep what can be read of drafts, marks, pins, rules and settings, and pull every source again.
    /// The damaged file stays beside the new one as replica.db.before.
    Repair,
    /// Move a server from a data folder into PostgreSQL, or back. Stop the server first. The place that it moves to must be
    /// empty; the place that it moves from stays unchanged.
    Migrate(Migrate),
    /// Save the server and the inbox in one tar file, even while they run. Tokens of sources and uploaded files are left
    /// out. A server in PostgreSQL is backed up by `pg_dump`.
    Backup {
        /// The file to write. It must not exist.
        file: PathBuf,
        #[command(flatten)]
        store: Store,
    },
    /// Replace the server and the inbox with a backup; the old files stay beside the new ones as *.before. A server in PostgreSQL
    /// is restored by `pg_restore`.
    Restore {
        /// The file that `tidings backup` wrote.
        file: PathBuf,
        /// Restore a backup whose stamps a wrong clock left in the future, and give them times of now, in their order.
        #[arg(long)]
        mend_clock: bool,
        #[command(flatten)]
        store: Store,
    },
    /// Write all notifications of the inbox and of the server in this data folder to standard output.
    Export {
        /// The format.
        #[arg(long, value_enum)]
        format: ExportFormat,
        /// Export only this one [default: both].
        #[arg(long, value_enum)]
        of: Option<ExportOf>,
        #[command(flatten)]
        store: Store,
    },
    /// Print the completion script for a shell, for example: tidings completions bash.
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: CompletedShell,
    },
    /// Print the manual page, or write a page for each command into a folder.
    Man(Man),
}
