//! The types of the settings page that tells publishers how to reach this computer's own server, and of the reader's
//! publications on a topic of a source.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::SourceId;

/// A tool for which there are lines to copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PublishTool {
    /// A command of `curl`.
    Curl,
    /// A command of Apprise.
    Apprise,
    /// A command of ntfy's own program.
    Ntfy,
    /// A command of Gotify's own program.
    Gotify,
    /// A unit that systemd starts if another one failed.
    Systemd,
    /// A line of a crontab.
    Cron,
    /// A shell function that runs a command and publishes how it ended.
    Shell,
    /// A command of PowerShell.
    Powershell,
    /// A step of a workflow of GitHub Actions.
    GithubActions,
    /// A part of Home Assistant's configuration.
    HomeAssistant,
    /// A flow of Node-RED.
    NodeRed,
    /// A receiver of Alertmanager, which sends to a webhook.
    Alertmanager,
    /// A contact point of Grafana, which sends to a webhook.
    Grafana,
}

/// The way into the server that a line takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PublishDoor {
    /// A topic, as with ntfy.
    Topic,
    /// An application of Gotify's API.
    Gotify,
}

/// What the reader chose.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PublishForm {
    /// The topic as it was typed.
    pub topic: String,
    /// Whether the publisher runs on another device.
    pub elsewhere: bool,
    /// The address for other devices, one of `PublishView.addresses`; anything else takes the first of them.
    pub address: String,
    /// A token that publishes, in plain text; empty for none.
    pub token: String,
    /// The token of one of Gotify's applications, in plain text; empty for none.
    pub application: String,
}

/// The lines for what the reader chose.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PublishView {
    /// Whether the own server runs.
    pub runs: bool,
    /// Whether other devices may connect.
    pub others: bool,
    /// The addresses for other devices, the likeliest first.
    pub addresses: Vec<String>,
    /// What is wrong with the topic, a sentence.
    pub topic_error: Option<String>,
    /// What is wrong with a token, a sentence.
    pub token_error: Option<String>,
    /// A line for each tool; none if something is wrong, or if the publisher can't reach the server.
    pub lines: Vec<PublishLine>,
    /// What phone apps scan; none if other devices may not connect, or something is wrong.
    pub phones: Vec<PhoneLink>,
}

/// The line for a tool; it may have several lines of text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PublishLine {
    /// The tool.
    pub tool: PublishTool,
    /// The way that it takes.
    pub door: PublishDoor,
    /// Whether it works with a token only. If the reader has none, `TOKEN` stands in its place.
    pub needs_token: bool,
    /// The text to copy.
    pub text: String,
}

/// A phone app that reads from the own server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PhoneApp {
    /// ntfy's app, for one topic.
    Ntfy,
    /// Gotify's app, for everything that came through Gotify's API.
    Gotify,
}

/// What a phone app is given to find the own server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PhoneLink {
    /// The app.
    pub app: PhoneApp,
    /// The link, or the server's address.
    pub link: String,
    /// The same as a QR code: a picture as a `data:` address, dark on a light ground.
    pub code: String,
}

/// The form that publishes a notification on a topic of a source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NewPublication {
    /// The source.
    pub source: SourceId,
    /// One of its topics (`SourceRow.topics`).
    pub topic: String,
    /// A random name of 1 to 64 letters, digits, - and _, the same for each try. If an answer was lost, the next try
    /// takes the place of the publication that may be there.
    pub key: String,
    /// The title; empty for none.
    pub title: String,
    /// The text, of at most `Abilities.publish_bytes`.
    pub text: String,
    /// Whether the text is Markdown.
    pub markdown: bool,
    /// The priority, 1 to 5.
    pub priority: u8,
    /// The tags.
    pub tags: Vec<String>,
    /// The web or mail address that a click on it opens; empty for none.
    pub click: String,
}

/// Why a notification was not published, or may not have been.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotPublished {
    /// The source is paused.
    Paused,
    /// No connection was made.
    Unreachable,
    /// The token was refused.
    SignIn,
    /// The account may not write to the topic.
    Forbidden,
    /// It is longer than the service takes.
    TooLong,
    /// The service takes no more for so many minutes, if it says how many.
    TooMany(Option<u64>),
    /// The service refused it with this status.
    Refused(u16),
    /// No answer came that can be read: it may have been published.
    Unanswered,
}
