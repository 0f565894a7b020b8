//! Arguments of `ask` and `answer`.

use std::time::Duration;

use clap::Args;

use super::duration::time_limit;
use super::send::Send;

#[derive(Debug, Args)]
pub(crate) struct Ask {
    /// The question.
    pub(crate) question: String,
    /// An answer to choose from; can be given up to eight times. Exit code 0 means the first one.
    #[arg(long, value_name = "ANSWER", required_unless_present = "text")]
    pub(crate) answer: Vec<String>,
    /// Also accept an answer in other words.
    #[arg(long)]
    pub(crate) text: bool,
    /// How long to wait for an answer, for example 30s, 10m or 2h [default: a day].
    #[arg(long, value_name = "TIME", value_parser = time_limit)]
    pub(crate) timeout: Option<Duration>,
    /// The answer that counts if nobody answers in time.
    #[arg(long, value_name = "ANSWER")]
    pub(crate) default: Option<String>,
    /// The topic to ask on.
    #[arg(long, default_value = Send::USUAL_TOPIC, conflicts_with = "to")]
    pub(crate) topic: String,
    /// Ask this user instead, or a group as group:ID.
    #[arg(long, value_name = "USER")]
    pub(crate) to: Option<String>,
    /// The title.
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// The priority, 1 (lowest) to 5 (urgent) [default: 3].
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=5))]
    pub(crate) priority: Option<u8>,
}

#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    /// The msgid of the question, as `tidings list` shows it: SOURCE/MSGID if two sources have the same.
    pub(crate) msgid: String,
    /// The label or ID of the answer.
    #[arg(required_unless_present = "text")]
    pub(crate) answer: Option<String>,
    /// An answer in your own words, if the question accepts one.
    #[arg(long)]
    pub(crate) text: Option<String>,
}
