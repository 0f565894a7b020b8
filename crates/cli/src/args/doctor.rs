//! Arguments of `doctor`.

use clap::Args;

use super::Store;

#[derive(Debug, Clone, Args)]
pub(crate) struct Doctor {
    /// Name sources by their hosts instead of your names, to send the result to somebody.
    #[arg(long)]
    pub(crate) report: bool,
    #[command(flatten)]
    pub(crate) store: Store,
}
