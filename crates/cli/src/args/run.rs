//! Arguments of `run`.

use std::ffi::OsString;

use clap::{Args, ValueHint};

use super::send::Send;

/// The arguments of `tidings run`.
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The topic to publish to.
    #[arg(long, default_value = Send::USUAL_TOPIC)]
    pub(crate) topic: String,
    /// Publish at this source of the inbox, on one of its topics, instead of at the server: at an ntfy server, for example.
    #[arg(long, value_name = "NAME")]
    pub(crate) source: Option<String>,
    /// The name of the command in the title [default: the whole command line, including any password in it].
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// Publish only if the command fails.
    #[arg(long)]
    pub(crate) only_failure: bool,
    /// How many of the last lines of the output to publish, at most 4 KiB of them; 0 for none.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(0..=1_000))]
    pub(crate) lines: u16,
    /// The command with its arguments. No shell reads it; `sh -c '…'` is a command, too.
    #[arg(required = true, trailing_var_arg = true, value_hint = ValueHint::CommandWithArguments)]
    pub(crate) command: Vec<OsString>,
}
