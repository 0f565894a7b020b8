//! Arguments of `topic`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum Topic {
    /// Set what is given here for a topic; the rest stays as it is.
    Set(SetTopic),
    /// Show what is set for a topic.
    Show {
        /// The topic.
        topic: String,
    },
    /// List the topics with settings.
    List,
    /// Remove what is set for a topic; what was published on it stays.
    Remove {
        /// The topic.
        topic: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct SetTopic {
    /// The topic.
    pub(crate) topic: String,
    /// The name that is shown; empty for the topic's own.
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// The address of the icon of publications that have none; empty for none.
    #[arg(long, value_name = "URL")]
    pub(crate) icon: Option<String>,
    /// What is published with a lower priority gets this one; 1 for no floor.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=5))]
    pub(crate) priority_floor: Option<u8>,
    /// A file with the template for webhooks of senders that are not known; - reads it from standard input, an empty one is
    /// none.
    #[arg(long, value_name = "FILE")]
    pub(crate) template: Option<PathBuf>,
    /// A user who may publish, and with it nobody else; may be given several times.
    #[arg(long, value_name = "USER")]
    pub(crate) publisher: Vec<String>,
    /// Let everybody publish who may publish at all.
    #[arg(long, conflicts_with = "publisher")]
    pub(crate) anybody: bool,
    /// A user who may read it, and with it nobody else; may be given several times.
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
