//! The `tidings` program: the headless server, and a command-line client. With `--json` standard output is one JSON
//! document; errors go to standard error. The desktop program has it, too, and runs it if it is started under its name.

mod args;
mod commands;
mod endpoint;
mod error;
mod inbox;
mod named;
mod output;
mod server;
mod text;
mod traces;

use std::{io::IsTerminal, process::ExitCode};

use clap::Parser;
use tidings_home::Home;
use tracing::Subscriber;
use tracing_subscriber::{EnvFilter, Layer, fmt, layer::SubscriberExt, util::SubscriberInitExt};

use crate::{
    args::{Cli, Command},
    error::{Error, Result},
    output::Output,
    traces::Traces,
};

/// The most threads for blocking work; idle ones end. Each keeps some memory.
const MAX_BLOCKING_THREADS: usize = 64;

/// Runs the program with the arguments of this process; returns its exit code. To be called by the first thread, while there
/// is no other, after [`tidings_sandbox::enter_if_child`].
pub fn run() -> ExitCode {
    tidings_server::share_heaps(heap_count());
    // Almost every command holds a token.
    tidings_server::forbid_memory_access();
    let Cli { json, command } = Cli::parse();
    // The limit would hold for what `run` starts, too; it sets it later.
    #[cfg(unix)]
    let limits_itself = matches!(command, Command::Run(_));
    #[cfg(not(unix))]
    let limits_itself = false;
    if !limits_itself {
        tidings_server::forbid_core_dumps();
    }
    match execute(command, Output { json }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is_broken_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            if error.is_damage() {
                tracing::info!(%error, "the replica is damaged");
                output::warn(tidings_sync::DAMAGED);
            } else if !matches!(error, Error::Reported | Error::Answered(_) | Error::Ended(_)) {
                output::warn(&error.to_string());
            }
            ExitCode::from(error.exit_code())
        }
    }
}

/// One heap for each core, and two at least: threads wait for each other seldom, and what they free is used again.
fn heap_count() -> u8 {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    u8::try_from(cores).unwrap_or(u8::MAX).max(2)
}

fn execute(command: Command, out: Output) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .max_blocking_threads(MAX_BLOCKING_THREADS)
        .enable_all()
        .build()?;
    let traces = match &command {
        Command::Serve(serve) => serve.traces.as_deref(),
        _ => None,
    };
    let traces = traces.map(|collector| Traces::start(collector, runtime.handle().clone())).transpose()?;
    log(matches!(command, Command::Serve(_)), traces.as_ref());
    let done = runtime.block_on(commands::run(command, &Home::find(), out));
    // While requests to the collector still run.
    if let Some(traces) = traces {
        traces.end();
    }
    // A blocked thread, for example on a locked keyring, does not delay the end.
    runtime.shutdown_background();
    done
}

/// Logs one line for each event to standard error. `TIDINGS_LOG` sets the level, for example `debug`. Spans go to the collector
/// of traces, if there is one. What others' code says in detail is left out: values of statements, and what is sent and
/// received, with tokens and texts.
fn log(server: bool, traces: Option<&Traces>) {
    let usual = if server { "info" } else { "error" };
    let asked = server::env_value("TIDINGS_LOG");
    let asked = asked.and_then(|asked| EnvFilter::try_new(tidings_app::log::directives(&asked)).ok());
    subscriber(asked.unwrap_or_else(|| EnvFilter::new(usual)), traces).init();
    if server {
        tidings_server::log_panics();
    }
}

fn subscriber(filter: EnvFilter, traces: Option<&Traces>) -> impl Subscriber + Send + Sync + use<> {
    let colours = std::io::stderr().is_terminal() && server::env_value("NO_COLOR").is_none();
    // What can't be written is lost: to say so on the same closed terminal would be a panic.
    let lines = fmt::layer().with_writer(std::io::stderr).with_ansi(colours).log_internal_errors(false);
    tracing_subscriber::registry().with(lines.with_filter(filter)).with(traces.map(Traces::layer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_traces_are_made_only_for_a_collector() {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let is_made = |traces: Option<&Traces>| {
            tracing::subscriber::with_default(subscriber(EnvFilter::new("info"), traces), || {
                let span = tracing::trace_span!(target: tidings_server::traces::TARGET, "span");
                let other = tracing::trace_span!("of another target");
                assert!(other.is_disabled() && !tracing::info_span!("of the log").is_disabled());
                !span.is_disabled()
            })
        };
        assert!(!is_made(None));
        let traces = Traces::start("http://127.0.0.1:9", runtime.handle().clone()).unwrap();
        assert!(is_made(Some(&traces)));
    }
}
