//! What can be typed. Refuses to do anything; `--help` is written here.

use std::{path::PathBuf, time::Duration};

use clap::{Args, Parser, Subcommand, ValueEnum};
use tidings_model::{Kind, wire::Scope};

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

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Where to listen; port 0 picks a free one.
    #[arg(long, default_value = "127.0.0.1:7878", value_name = "ADDRESS:PORT")]
    pub(crate) listen: String,
    /// Where the data is: sqlite.
    #[arg(long, default_value = "sqlite")]
    pub(crate) store: String,
    /// Programs on this machine publish on topics without a token.
    #[arg(long)]
    pub(crate) open_publish: bool,
    /// Forget notifications and receipts that are older, for example 90d or 12h; kept for good unless given.
    #[arg(long, value_name = "AGE", value_parser = parse_age)]
    pub(crate) retain: Option<Duration>,
    /// Another host name to answer to; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub(crate) allow_host: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum User {
    /// Add a user.
    Add {
        /// 1 to 64 of A-Z a-z 0-9 . _ -
        id: String,
        /// What people call them; the id unless given.
        #[arg(long)]
        name: Option<String>,
    },
    /// List the users.
    List,
    /// Remove a user; its tokens stop working at once.
    Remove {
        /// Which.
        id: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Token {
    /// Make a token; it is shown once.
    Create {
        /// Whose.
        #[arg(long)]
        user: String,
        /// inbox, publish or admin; may be given several times.
        #[arg(long, required = true)]
        scope: Vec<Scope>,
        /// What it is for.
        #[arg(long, default_value = "")]
        label: String,
    },
    /// List the tokens, without their text.
    List {
        /// Only this user's.
        #[arg(long)]
        user: Option<String>,
    },
    /// Revoke a token by its id.
    Revoke {
        /// As `token list` shows it.
        id: String,
    },
}

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

#[derive(Debug, Subcommand)]
pub(crate) enum Source {
    /// Add a source.
    Add {
        /// What it speaks.
        #[arg(value_enum)]
        protocol: Protocol,
        /// Its address.
        url: String,
        /// The token; - reads it from standard input. Others on this machine can see arguments: prefer - or the
        /// variable.
        #[arg(long, env = "TIDINGS_TOKEN", hide_env_values = true)]
        token: Option<String>,
        /// What to call it; the address's host unless given.
        #[arg(long)]
        name: Option<String>,
    },
    /// List the sources.
    List,
    /// Remove a source.
    Remove {
        /// Its name or address.
        name: String,
        /// Keep what came from it.
        #[arg(long)]
        keep: bool,
    },
    /// Stop pulling a source for now.
    Pause {
        /// Its name or address.
        name: String,
    },
    /// Pull a paused source again.
    Resume {
        /// Its name or address.
        name: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Protocol {
    Tidings,
    Ntfy,
    Gotify,
    Github,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only unread ones.
    #[arg(long)]
    pub(crate) unread: bool,
    /// Only one kind.
    #[arg(long, value_parser = parse_kind)]
    pub(crate) kind: Option<Kind>,
    /// Only one thread, for example article:42#comment.
    #[arg(long)]
    pub(crate) thread: Option<String>,
    /// At most so many.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) limit: u32,
}

fn parse_age(text: &str) -> Result<Duration, String> {
    span(text).filter(|age| !age.is_zero()).ok_or_else(|| "an age such as 90d, 12h or 30m".to_owned())
}

/// Seconds, minutes, hours or days.
pub(crate) fn span(text: &str) -> Option<Duration> {
    let unit = text.chars().next_back()?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return None,
    };
    let count: u32 = text.strip_suffix(unit)?.parse().ok()?;
    Some(Duration::from_secs(u64::from(count) * seconds))
}

fn parse_kind(word: &str) -> Result<Kind, String> {
    Kind::from_word(word).ok_or_else(|| "announcement, reminder or message".to_owned())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MarkWord {
    Read,
    Unread,
    Archive,
    Delete,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Which {
    /// Which.
    pub(crate) msgids: Vec<String>,
    /// Everything up to now.
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    Json,
    Csv,
    Mbox,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportOf {
    /// What was pulled, from every source.
    Inbox,
    /// What the server has for each of its users.
    Server,
}
