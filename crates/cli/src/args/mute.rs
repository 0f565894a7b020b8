//! Arguments of `mute` and `unmute`.

use clap::Args;

/// What is muted or unmuted.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub(crate) struct Muted {
    /// Notifications, whose threads are meant: their msgids, as `tidings list` shows them in brackets.
    #[arg(conflicts_with = "source")]
    pub(crate) msgids: Vec<String>,
    /// The name or address of a source.
    #[arg(long, value_name = "NAME")]
    pub(crate) source: Option<String>,
    /// Only a topic of the source, or a repository as OWNER/NAME.
    #[arg(long, requires = "source")]
    pub(crate) topic: Option<String>,
}
