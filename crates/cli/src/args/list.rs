//! Arguments of `list`.

use clap::Args;
use tidings_model::Kind;

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only unread notifications.
    #[arg(long)]
    pub(crate) unread: bool,
    /// Leave out archived and snoozed notifications.
    #[arg(long)]
    pub(crate) inbox: bool,
    /// Only this type: announcement, reminder or message.
    #[arg(long, value_parser = parse_kind)]
    pub(crate) kind: Option<Kind>,
    /// Only this thread, for example article:42#comment.
    #[arg(long)]
    pub(crate) thread: Option<String>,
    /// The most notifications to list.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) limit: u32,
}

pub(super) fn parse_kind(word: &str) -> Result<Kind, String> {
    Kind::from_wire(word).ok_or_else(|| "announcement, reminder or message".to_owned())
}
