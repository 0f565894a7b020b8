//! Arguments of `doctor`.

use clap::Args;

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Doctor {
    /// Name sources by their hosts instead of your names, to send the result to somebody.
    #[arg(long)]
    pub(crate) report: bool,
}
