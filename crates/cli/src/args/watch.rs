//! Arguments of `watch`.

use std::time::Duration;

use clap::{Args, ValueHint};
use tidings_model::Kind;

use super::duration::time_limit;
use super::list::parse_kind;

#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// Only this type: announcement, reminder or message.
    #[arg(long, value_parser = parse_kind)]
    pub(crate) kind: Option<Kind>,
    /// Only this topic.
    #[arg(long, conflicts_with = "kind")]
    pub(crate) topic: Option<String>,
    /// Run this command by `sh -c` for each notification, one after the other, instead of printing a line. The notification is
    /// JSON on its standard input, and in `TIDINGS_TITLE`, `TIDINGS_BODY`, `TIDINGS_SOURCE`, `TIDINGS_TOPIC`, `TIDINGS_KIND`,
    /// `TIDINGS_ACTOR`, `TIDINGS_PRIORITY`, `TIDINGS_TAGS`, `TIDINGS_URL` and `TIDINGS_MSGID`.
    #[arg(long, value_name = "COMMAND", value_hint = ValueHint::CommandString)]
    pub(crate) exec: Option<String>,
    /// End the command after this time, for example 30s or 10m.
    #[arg(long, value_name = "TIME", requires = "exec", default_value = "60s", value_parser = time_limit)]
    pub(crate) time_limit: Duration,
}
