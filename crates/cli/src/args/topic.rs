//! Arguments of `topic`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use tidings_model::topic::Expected;

#[derive(Debug, Subcommand)]
pub(crate) enum Topic {
    /// Change settings of a topic. What is not given stays unchanged.
    Set(SetTopic),
    /// Show the settings of a topic.
    Show {
        /// The topic.
        topic: String,
    },
    /// List the topics with settings.
    List,
    /// Remove the settings of a topic. What was published on it stays.
    Remove {
        /// The topic.
        topic: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct SetTopic {
    /// The topic.
    pub(crate) topic: String,
    /// The name to show; empty to use the topic itself.
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// The address of an icon for notifications without one; empty for none.
    #[arg(long, value_name = "URL")]
    pub(crate) icon: Option<String>,
    /// The lowest priority. Lower ones are raised to it; 1 for none.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=5))]
    pub(crate) priority_floor: Option<u8>,
    /// Expect a notification at least this often, such as 26h: if none comes, one says so, and one when it is back; off for
    /// never.
    #[arg(long, value_name = "TIME")]
    pub(crate) expect: Option<Expected>,
    /// A file with the template for webhooks of unknown senders; - reads it from standard input. An empty file removes
    /// the template.
    #[arg(long, value_name = "FILE")]
    pub(crate) template: Option<PathBuf>,
    /// A user who may publish. Nobody else may; can be given several times.
    #[arg(long, value_name = "USER")]
    pub(crate) publisher: Vec<String>,
    /// Let everyone publish who may publish on this server.
    #[arg(long, conflicts_with = "publisher")]
    pub(crate) anybody: bool,
    /// A user who may read it. Nobody else may; can be given several times.
    #[arg(long, value_name = "USER")]
    pub(crate) reader: Vec<String>,
    /// Let all users of the server read it.
    #[arg(long, conflicts_with = "reader")]
    pub(crate) all_readers: bool,
    /// Read the secret with which this sender signs from standard input: forgejo, github, gitlab, grafana or sentry. An
    /// empty one is removed.
    #[arg(long, value_name = "SENDER")]
    pub(crate) secret_of: Option<String>,
}
