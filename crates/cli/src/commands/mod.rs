//! The commands, one file for each group of them.

mod accounts;
mod ask;
mod backup;
mod certificate;
mod check;
mod doctor;
mod export;
mod group;
mod list;
mod mark;
mod mcp;
mod migrate;
mod mute;
mod publish;
mod pull;
mod puller;
mod recall;
mod reference;
mod repair;
#[cfg(unix)]
mod run;
mod send;
mod serve;
mod sign_in;
mod source;
mod topic;
mod unread;
mod watch;

use tidings_home::Home;

use crate::{args::Command, error::Result, output::Output};

/// Runs a command.
pub(crate) async fn run(command: Command, home: &Home, out: Output) -> Result<()> {
    match command {
        Command::Serve(args) => serve::run(args, home, out).await,
        Command::User { store, command } => accounts::user(command, store, home, out).await,
        Command::Token { store, command } => accounts::token(command, store, home, out).await,
        Command::Topic { store, command } => topic::run(command, store, home, out).await,
        Command::Send(args) => send::run(args, home, out).await,
        Command::Ask(args) => ask::ask(args, home, out).await,
        Command::Answer(args) => ask::answer(args, home, out).await,
        #[cfg(unix)]
        Command::Run(args) => run::run(args, home, out).await,
        Command::Recall { msgid } => recall::run(&msgid, home, out).await,
        Command::Group(args) => group::run(args, home, out).await,
        Command::Source(args) => source::run(args, home, out).await,
        Command::Certificate(args) => certificate::run(args, home, out).await,
        Command::Pull(args) if args.watch => pull::watch(home, out).await,
        Command::Pull(args) => pull::once(args, home, out).await,
        Command::Watch(args) => watch::run(args, home, out).await,
        Command::Unread => unread::run(home, out),
        Command::List(args) => list::list(args, home, out),
        Command::Search { query, limit } => list::search(&query.join(" "), limit, home, out),
        Command::Mark { word, which } => mark::mark(word, which, home, out).await,
        Command::Mute { what, until } => mute::mute(what, until.as_deref(), home, out).await,
        Command::Unmute { what } => mute::unmute(what, home, out).await,
        Command::Quiet => mute::quiet(home, out),
        Command::Mcp(args) => mcp::run(args, home).await,
        Command::Snooze { msgids, until } => mark::snooze(msgids, &until, home, out).await,
        Command::Check { mend_clock, store } => check::run(mend_clock, store, home, out).await,
        Command::Doctor(args) => doctor::run(args, home, out).await,
        Command::Repair => repair::run(home, out).await,
        Command::Migrate(args) => migrate::run(args, out).await,
        Command::Backup { file, store } => backup::backup(&file, store, home, out).await,
        Command::Restore { file, mend_clock, store } => {
            backup::restore(&file, mend_clock, store, home, out).await
        }
        Command::Export { format, of, store } => export::run(format, of, store, home, out).await,
        Command::Completions { shell } => reference::completions(shell),
        Command::Man(args) => reference::man(args, out),
    }
}
