//! The tools that mark and publish.

use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;
use serde_json::{Value, json};
use tidings_replica::{Mark as ReplicaMark, Targets};

use super::AgentInbox;
use crate::args;
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
        return Err(Error::Usage(format!("at most {MAX_MARKED} msgids; nothing was changed")));
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
    if topic.is_some() && to.is_some() {
        return Err(Error::Usage("give a topic or a recipient, not both; nothing was sent".to_owned()));
    }
    let args = args::Send {
        topic: topic.unwrap_or_else(|| args::Send::USUAL_TOPIC.to_owned()),
        to,
        title,
        priority,
        tag: tags,
        click: url,
        markdown,
        source: None,
        edit: None,
        action: Vec::new(),
        attach: None,
        delay: None,
        body: Vec::new(),
    };
    let server = Server::find(&inbox.home).await?;
    Ok(json!({ "msgid": send::post(&server, &args, body).await? }))
}
