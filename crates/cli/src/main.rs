//! The `tidings` program: the headless server, and a command-line client. With `--json` standard output is one JSON
//! document; errors go to standard error.

mod args;
mod commands;
mod endpoint;
mod error;
mod inbox;
mod output;
mod server;
mod text;

use std::{io::IsTerminal, process::ExitCode};

use clap::Parser;
use tidings_app::home::Home;
use tracing_subscriber::EnvFilter;

use crate::{
    args::{Cli, Command},
    error::{Error, Result},
    output::Output,
};

/// The most threads for blocking work; idle ones end. Each keeps some memory.
const MAX_BLOCKING_THREADS: usize = 64;

fn main() -> ExitCode {
    let Cli { json, command } = Cli::parse();
    log(matches!(command, Command::Serve(_)));
    match run(command, Output { json }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is_broken_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            if !matches!(error, Error::Reported) {
                output::warn(&error.to_string());
            }
            ExitCode::from(error.exit_code())
        }
    }
}

fn run(command: Command, out: Output) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .max_blocking_threads(MAX_BLOCKING_THREADS)
        .enable_all()
        .build()?;
    let done = runtime.block_on(commands::run(command, &Home::find(), out));
    // A blocked thread, for example on a locked keyring, does not delay the end.
    runtime.shutdown_background();
    done
}

/// Logs one line for each event to standard error. `TIDINGS_LOG` sets the level, for example `debug`.
fn log(server: bool) {
    let usual = if server { "info" } else { "error" };
    let filter = EnvFilter::try_from_env("TIDINGS_LOG").unwrap_or_else(|_| EnvFilter::new(usual));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .init();
}
