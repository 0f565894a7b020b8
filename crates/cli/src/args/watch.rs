//! Arguments of `watch`.

use clap::Args;
use tidings_model::Kind;

use super::list::parse_kind;

#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// Only this kind: announcement, reminder or message.
    #[arg(long, value_parser = parse_kind)]
    pub(crate) kind: Option<Kind>,
    /// Only this topic.
    #[arg(long, conflicts_with = "kind")]
    pub(crate) topic: Option<String>,
}
