//! The commands, one file for each group of them.

mod accounts;
mod backup;
mod check;
mod export;
mod group;
mod list;
mod mark;
mod pull;
mod puller;
mod send;
mod serve;
mod source;
mod topic;
mod unread;
mod watch;

use tidings_app::home::Home;

use crate::{args::Command, error::Result, output::Output};

/// Runs a command.
pub(crate) async fn run(command: Command, home: &Home, out: Output) -> Result<()> {
    match command {
        Command::Serve(args) => serve::run(args, home, out).await,
        Command::User(args) => accounts::user(args, home, out).await,
        Command::Token(args) => accounts::token(args, home, out).await,
        Command::Topic(args) => topic::run(args, home, out).await,
        Command::Send(args) => send::run(args, home, out).await,
        Command::Group(args) => group::run(args, home, out).await,
        Command::Source(args) => source::run(args, home, out).await,
        Command::Pull { watch: false } => pull::once(home, out).await,
        Command::Pull { watch: true } => pull::watch(home, out).await,
        Command::Watch(args) => watch::run(args, home, out).await,
        Command::Unread => unread::run(home, out),
        Command::List(args) => list::list(args, home, out),
        Command::Search { query, limit } => list::search(&query.join(" "), limit, home, out),
        Command::Mark { word, which } => mark::mark(word, which, home, out).await,
        Command::Snooze { msgids, until } => mark::snooze(msgids, &until, home, out).await,
        Command::Check => check::run(home, out).await,
        Command::Backup { file } => backup::backup(&file, home, out).await,
        Command::Restore { file } => backup::restore(&file, home, out).await,
        Command::Export { format, of } => export::run(format, of, home).await,
    }
}
