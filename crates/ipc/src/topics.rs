//! The types of the settings of topics on this computer's own server, and of trying a template.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A sender of webhooks that can sign what it sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SigningSender {
    /// Forgejo, and Gitea.
    Forgejo,
    /// GitHub.
    Github,
    /// GitLab.
    Gitlab,
    /// Grafana.
    Grafana,
    /// Sentry.
    Sentry,
}

/// A topic with what is set for it. Its secrets are named and never shown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TopicRow {
    /// The topic's name in addresses.
    pub topic: String,
    /// The display name; empty for the topic's own.
    pub name: String,
    /// The address of the icon of publications that have none.
    pub icon: Option<String>,
    /// What is published with a lower priority gets this one, 1 to 5.
    pub priority_floor: Option<u8>,
    /// The template for webhooks of senders that are not known; empty for none.
    pub template: String,
    /// The ids of the users who may publish; null for everybody who may publish at all.
    pub publishers: Option<Vec<String>>,
    /// The ids of the users who may read; null for all users of the server.
    pub readers: Option<Vec<String>>,
    /// The senders for which there is a secret.
    pub secrets: Vec<SigningSender>,
    /// The seconds within which a notification is expected; null for none.
    pub expect_secs: Option<u32>,
}

/// The topics of the own server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TopicsView {
    /// Whether the own server runs; without it there is no list.
    pub runs: bool,
    /// The id of the server's owner, whose tokens the settings make; null if it is not known yet.
    pub owner: Option<String>,
    /// The topics with settings, by name.
    pub topics: Vec<TopicRow>,
}

/// What to set for a topic.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TopicForm {
    /// The topic's name in addresses.
    pub topic: String,
    /// Whether it must have no settings yet.
    pub new: bool,
    /// The display name; empty for the topic's own.
    pub name: String,
    /// The address of the icon; empty for none.
    pub icon: String,
    /// The priority floor, 1 to 5.
    pub priority_floor: Option<u8>,
    /// The template; empty for none.
    pub template: String,
    /// The ids of the users who may publish; null for everybody who may publish at all.
    pub publishers: Option<Vec<String>>,
    /// The ids of the users who may read; null for all users of the server.
    pub readers: Option<Vec<String>>,
    /// How often a notification is expected, as it was typed, such as `26 h`; empty for never.
    pub expect: String,
    /// The secrets that change; the others stay.
    pub secrets: Vec<SecretChange>,
}

/// A new secret, or the removal of one.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SecretChange {
    /// Who signs with it.
    pub sender: SigningSender,
    /// The secret in plain text; an empty one removes the stored one.
    pub secret: String,
}

impl std::fmt::Debug for SecretChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SecretChange").field("sender", &self.sender).finish_non_exhaustive()
    }
}

/// A field of [`TopicForm`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum TopicField {
    /// The topic's name in addresses.
    Topic,
    /// The display name.
    Name,
    /// The icon.
    Icon,
    /// The template.
    Template,
    /// The users who may publish.
    Publishers,
    /// The users who may read.
    Readers,
    /// How often a notification is expected.
    Expect,
    /// A secret.
    Secrets,
}

/// What is wrong with a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TopicProblem {
    /// The field.
    pub field: TopicField,
    /// A sentence.
    pub text: String,
}

/// How setting a topic went.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TopicSaved {
    /// What is wrong, if nothing was set.
    pub problem: Option<TopicProblem>,
    /// The topics afterwards.
    pub topics: TopicsView,
}

/// What makes the notifications of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum TriedBy {
    /// The known form of its sender; the template is not asked.
    Sender,
    /// The template.
    Template,
    /// Nothing fits: it arrives as it is.
    Json,
}

/// A notification that a payload would make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TriedNotice {
    /// The title; empty for that of the topic.
    pub title: String,
    /// The body as it was written, not rendered.
    pub body: String,
    /// The priority, before the topic's floor.
    pub priority: u8,
    /// Labels.
    pub tags: Vec<String>,
    /// The address that a click opens.
    pub url: Option<String>,
    /// Whether it marks the notification about the same as read.
    pub resolved: bool,
}

/// How one of the last payloads would arrive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TriedPayload {
    /// When it came, milliseconds since 1970.
    pub received_at: i64,
    /// Who sent it; empty if that is not known.
    pub sender: String,
    /// What it is about, as its sender named it; empty for none.
    pub event: String,
    /// What makes its notifications.
    pub by: TriedBy,
    /// What is wrong with the template, if it failed for this payload.
    pub error: Option<String>,
    /// The notifications, the first ones if there are many.
    pub notices: Vec<TriedNotice>,
    /// How many more notifications there are.
    pub more: usize,
}

/// How the last payloads of a topic would arrive with a template.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TemplateTrial {
    /// Why the template can't be read, a sentence; then there are no payloads.
    pub problem: Option<String>,
    /// The last payloads, the newest first.
    pub payloads: Vec<TriedPayload>,
    /// A line that sends a payload to the topic; empty if there is no such topic or the server does not run.
    pub line: String,
}
