//! The `tidings` program of machines without a desktop.

use std::process::ExitCode;

fn main() -> ExitCode {
    tidings_sandbox::enter_if_child(&[tidings_sources::parsers(), tidings_server::parsers()].concat());
    tidings_cli::run()
}
