//! The tools that mark, publish and ask.

use std::time::Duration;

use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tidings_replica::{Mark as ReplicaMark, Targets};

use super::AgentInbox;
use super::answers::outcome;
use crate::args;
use crate::commands::ask::{self, QuestionDraft};
use crate::commands::send;
use crate::error::{Error, Result};
use crate::inbox;
use crate::named;
use crate::server::Server;

/// The most notifications that one call marks.
const MAX_MARKED: usize = 1_000;

/// The arguments of `mark_notifications`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Mark {
    /// The msgids, as a list shows them; at most 1,000.
    msgids: Vec<String>,
    /// The mark.
    mark: MarkWord,
}

/// A mark that an agent may set.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum MarkWord {
    Read,
    Unread,
    Archive,
    Unarchive,
    Delete,
}

impl From<MarkWord> for ReplicaMark {
    fn from(word: MarkWord) -> Self {
        match word {
            MarkWord::Read => Self::Read,
            MarkWord::Unread => Self::Unread,
            MarkWord::Archive => Self::Archive,
            MarkWord::Unarchive => Self::Unarchive,
            MarkWord::Delete => Self::Delete,
        }
    }
}

/// Marks notifications; those that are not there are named.
pub(super) async fn mark(inbox: &AgentInbox, mark: Mark) -> Result<Value> {
    if mark.msgids.len() > MAX_MARKED {
        return Err(Error::Usage(format!("at most {MAX_MARKED} msgids are allowed; nothing was changed")));
    }
    let (changed, missing) = inbox
        .read(move |replica| {
            let found = named::find(replica, &mark.msgids)?;
            let items = found.items.iter().map(|item| item.id).collect();
            Ok((replica.mark(Targets::Items(items), mark.mark.into())?.items, found.missing))
        })
        .await?;
    inbox::notify_app(&inbox.home).await;
    Ok(json!({ "changed": changed, "missing": missing }))
}

/// The arguments of `publish_notification`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Publish {
    /// The text.
    body: String,
    /// The title.
    title: Option<String>,
    /// The topic to publish on; `tidings` unless given.
    topic: Option<String>,
    /// Send a message to this user instead, or to a group as group:ID.
    to: Option<String>,
    /// The priority, 1 (lowest) to 5 (urgent); 3 unless given.
    #[schemars(range(min = 1, max = 5))]
    priority: Option<u8>,
    /// Tags.
    #[serde(default)]
    tags: Vec<String>,
    /// The address that a click on it opens.
    url: Option<String>,
    /// Whether the text is Markdown.
    #[serde(default)]
    markdown: bool,
}

/// Publishes a notification.
pub(super) async fn publish(inbox: &AgentInbox, publish: Publish) -> Result<Value> {
    let Publish { body, title, topic, to, priority, tags, url, markdown } = publish;
    let on_topic = args::Send::on(one_topic(topic, to.as_deref())?);
    let args = args::Send { to, title, priority, tag: tags, click: url, markdown, ..on_topic };
    let server = Server::find(&inbox.home).await?;
    Ok(json!({ "msgid": send::post(&server, &args, body).await? }))
}

/// The topic to publish on, of which nothing is said if somebody is named instead.
fn one_topic(topic: Option<String>, to: Option<&str>) -> Result<String> {
    if topic.is_some() && to.is_some() {
        return Err(Error::Usage("name a topic or a recipient, not both; nothing was sent".to_owned()));
    }
    Ok(topic.unwrap_or_else(|| args::Send::USUAL_TOPIC.to_owned()))
}

/// The arguments of `ask_question`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Ask {
    /// The question.
    question: String,
    /// The answers to choose from, at most 8; they become buttons.
    #[serde(default)]
    answers: Vec<String>,
    /// Whether a text in the person's own words is an answer, too; needed if there are no answers to choose from.
    #[serde(default)]
    text: bool,
    /// The title.
    title: Option<String>,
    /// The topic to ask on; `tidings` unless given.
    topic: Option<String>,
    /// Ask this user instead, or a group as group:ID.
    to: Option<String>,
    /// The priority, 1 (lowest) to 5 (urgent); 3 unless given.
    #[schemars(range(min = 1, max = 5))]
    priority: Option<u8>,
    /// The seconds for which the question is open; a day unless given, 30 days at most.
    #[schemars(range(min = 1, max = 2_592_000))]
    timeout_secs: Option<u64>,
    /// The one of the answers that counts if nobody answers in time.
    default: Option<String>,
}

/// Asks a question, and returns at once: a call that is cancelled while it waits would leave a question of which the agent
/// does not know the msgid.
pub(super) async fn ask(inbox: &AgentInbox, ask: Ask) -> Result<Value> {
    let topic = one_topic(ask.topic, ask.to.as_deref())?;
    let timeout = ask.timeout_secs.map_or(ask::DAY, Duration::from_secs);
    let asked = QuestionDraft::of(&ask.answers, ask.text, timeout, ask.default.as_deref())?;
    let mut fields = Map::new();
    fields.extend(ask.title.map(|title| ("title".to_owned(), title.into())));
    fields.extend(ask.priority.map(|priority| ("priority".to_owned(), priority.into())));
    let server = Server::find(&inbox.home).await?;
    let msgid = asked.post(&server, &topic, ask.to.as_deref(), &ask.question, fields).await?;
    Ok(json!({ "msgid": msgid, "state": "open", "answers": asked.choices() }))
}

/// The arguments of `wait_for_answer`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Wait {
    /// The msgid, as `ask_question` returned it.
    msgid: String,
    /// The most seconds to wait, 0 to 50; 30 unless given.
    #[serde(default = "usual_wait")]
    #[schemars(range(min = 0, max = 50))]
    wait_secs: u64,
}

/// Half of the minute after which clients give a call up.
const fn usual_wait() -> u64 {
    30
}

/// Waits for the answer to a question of the agent's.
pub(super) async fn wait(inbox: &AgentInbox, wait: Wait) -> Result<Value> {
    if wait.wait_secs > ask::WAIT_SECS {
        return Err(Error::Usage(format!("wait_secs must be from 0 to {}", ask::WAIT_SECS)));
    }
    let server = Server::find(&inbox.home).await?;
    tokio::select! {
        waited = ask::wait(&server, &wait.msgid, wait.wait_secs) => Ok(outcome(&waited?)),
        () = inbox.client_gone.cancelled() => Err(Error::failed("nobody waits any more; the question stays open")),
    }
}
