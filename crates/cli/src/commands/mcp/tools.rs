//! The tools that an agent may call: one row each.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use rmcp::handler::server::tool::schema_for_input;
use rmcp::model::{JsonObject, ToolAnnotations};
use rmcp::schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{AgentInbox, reading, writing};
use crate::args::Allowed;
use crate::error::{Error, Result};

type Call = for<'a> fn(&'a AgentInbox, Value) -> BoxFuture<'a, Result<Value>>;

/// A tool.
pub(super) struct Tool {
    /// The name by which it is called.
    pub(super) name: &'static str,
    title: &'static str,
    description: &'static str,
    /// What `--allow` must name; `None` for a tool that only reads.
    pub(super) needs: Option<Allowed>,
    /// Whether what it does can't be undone.
    is_destructive: bool,
    schema: fn() -> Arc<JsonObject>,
    /// Runs it with its arguments.
    pub(super) call: Call,
}

/// All tools, in the order in which a client lists them.
pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "list_notifications",
        title: "List notifications",
        description: "Lists the notifications of the inbox, newest first, with the beginnings of their texts.",
        needs: None,
        is_destructive: false,
        schema: schema_of::<reading::List>,
        call: |inbox, arguments| with(arguments, |list| reading::list(inbox, list)),
    },
    Tool {
        name: "search_notifications",
        title: "Search notifications",
        description: "Searches the inbox by words that must all occur and by conditions, newest first.",
        needs: None,
        is_destructive: false,
        schema: schema_of::<reading::Search>,
        call: |inbox, arguments| with(arguments, |search| reading::search(inbox, search)),
    },
    Tool {
        name: "read_notification",
        title: "Read a notification",
        description: "Returns one notification with its whole text. It stays unread.",
        needs: None,
        is_destructive: false,
        schema: schema_of::<reading::Read>,
        call: |inbox, arguments| with(arguments, |read| reading::read(inbox, read)),
    },
    Tool {
        name: "count_unread",
        title: "Count unread notifications",
        description: "Counts the unread notifications: in all, by kind and by source.",
        needs: None,
        is_destructive: false,
        schema: schema_of::<reading::Count>,
        call: |inbox, arguments| with(arguments, |count| reading::count(inbox, count)),
    },
    Tool {
        name: "mark_notifications",
        title: "Mark notifications",
        description: "Marks notifications as read, unread, done (archive), no longer done (unarchive) or deleted.",
        needs: Some(Allowed::Mark),
        is_destructive: true,
        schema: schema_of::<writing::Mark>,
        call: |inbox, arguments| with(arguments, |mark| writing::mark(inbox, mark)),
    },
    Tool {
        name: "publish_notification",
        title: "Publish a notification",
        description: "Publishes a notification on a topic, or sends it as a message to a user or a group.",
        needs: Some(Allowed::Publish),
        is_destructive: false,
        schema: schema_of::<writing::Publish>,
        call: |inbox, arguments| with(arguments, |publish| writing::publish(inbox, publish)),
    },
    Tool {
        name: "ask_question",
        title: "Ask a question",
        description: "Asks the people of a topic, a user or a group, and returns the msgid at once; wait_for_answer waits for \
            their answer. The first answer counts.",
        needs: Some(Allowed::Ask),
        is_destructive: false,
        schema: schema_of::<writing::Ask>,
        call: |inbox, arguments| with(arguments, |ask| writing::ask(inbox, ask)),
    },
    Tool {
        name: "wait_for_answer",
        title: "Wait for an answer",
        description: "Waits for the answer to a question for some seconds. Call it again as long as the state is `open`; \
            `answer` is the id of the chosen answer, of the default if the time ended, or null.",
        needs: Some(Allowed::Ask),
        is_destructive: false,
        schema: schema_of::<writing::Wait>,
        call: |inbox, arguments| with(arguments, |wait| writing::wait(inbox, wait)),
    },
];

impl Tool {
    /// The tool as a client sees it.
    pub(super) fn described(&self) -> rmcp::model::Tool {
        let annotations = ToolAnnotations::with_title(self.title)
            .read_only(self.needs.is_none())
            .destructive(self.is_destructive)
            .open_world(self.needs.is_some());
        rmcp::model::Tool::new(self.name, self.description, (self.schema)())
            .with_title(self.title)
            .with_annotations(annotations)
    }
}

/// The JSON schema of a tool's arguments.
fn schema_of<T: JsonSchema + 'static>() -> Arc<JsonObject> {
    schema_for_input::<T>().unwrap_or_default()
}

/// Reads the arguments of a tool, and runs it.
fn with<'a, T, F>(arguments: Value, run: impl FnOnce(T) -> F) -> BoxFuture<'a, Result<Value>>
where
    T: DeserializeOwned,
    F: Future<Output = Result<Value>> + Send + 'a,
{
    match serde_json::from_value(arguments) {
        Ok(arguments) => run(arguments).boxed(),
        Err(error) => {
            std::future::ready(Err(Error::Usage(format!("the arguments can't be read: {error}")))).boxed()
        }
    }
}
