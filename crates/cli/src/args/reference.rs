//! Arguments of `completions` and `man`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use clap_complete::Shell;

/// A shell that completes commands and options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompletedShell {
    Bash,
    Zsh,
    Fish,
}

impl From<CompletedShell> for Shell {
    fn from(shell: CompletedShell) -> Self {
        match shell {
            CompletedShell::Bash => Self::Bash,
            CompletedShell::Zsh => Self::Zsh,
            CompletedShell::Fish => Self::Fish,
        }
    }
}

/// The arguments of `tidings man`.
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// Write tidings.1 and a page for each command into this folder instead of printing tidings.1.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) to: Option<PathBuf>,
}
