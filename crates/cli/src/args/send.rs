//! Arguments of `send`.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct Send {
    /// The topic to publish on.
    #[arg(long, default_value = "tidings", conflicts_with = "to")]
    pub(crate) topic: String,
    /// Send a message to this user instead, or to a group as group:ID.
    #[arg(long, value_name = "USER")]
    pub(crate) to: Option<String>,
    /// The title.
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// The priority, 1 (lowest) to 5 (urgent); 3 unless given.
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=5))]
    pub(crate) priority: Option<u8>,
    /// The text; - reads it from standard input.
    #[arg(required = true)]
    pub(crate) body: Vec<String>,
}
