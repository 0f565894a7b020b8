//! The tools that read the inbox.

use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;
use serde_json::Value;
use tidings_model::Kind;
use tidings_replica::ItemFilter;

use super::AgentInbox;
use super::answers::{MAX_LISTED_BYTES, MAX_READ_BYTES, answer};
use crate::commands::{list as lists, unread};
use crate::error::{Error, Result};
use crate::named;

/// The notifications of a list if the agent names no number.
const USUAL_LIMIT: u32 = 20;

/// The most notifications of a list.
const MAX_LIMIT: u32 = 100;

/// The arguments of `list_notifications`.
#[derive(Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct List {
    /// Only unread notifications.
    unread: bool,
    /// Leave archived and snoozed notifications out.
    inbox: bool,
    /// Only this kind: announcement, reminder or message.
    kind: Option<String>,
    /// Only this thread, for example article:42#comment.
    thread: Option<String>,
    /// The most notifications to list, 1 to 100.
    #[schemars(range(min = 1, max = 100))]
    limit: u32,
}

impl Default for List {
    fn default() -> Self {
        Self { unread: false, inbox: false, kind: None, thread: None, limit: USUAL_LIMIT }
    }
}

/// Lists notifications.
pub(super) async fn list(inbox: &AgentInbox, list: List) -> Result<Value> {
    let List { unread, inbox: in_inbox, kind, thread, limit } = list;
    let limit = checked_limit(limit)?;
    let kind = kind.map(|word| Kind::from_wire(&word).ok_or(word)).transpose();
    let kind = kind.map_err(|word| {
        Error::Usage(format!("`{word}` is not a kind: use announcement, reminder or message"))
    })?;
    let filter = ItemFilter { unread, inbox: in_inbox, kind, thread, ..ItemFilter::default() };
    inbox.read(move |replica| answer(replica, &replica.items(&filter, limit)?, MAX_LISTED_BYTES)).await
}

/// The arguments of `search_notifications`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Search {
    /// Words that must all occur, and conditions: from: is: kind: source: reason: before: after: on: priority: has:, for
    /// example `from:bob is:unread before:2026-11-01 "exact words"`.
    query: String,
    /// The most notifications to list, 1 to 100.
    #[serde(default = "usual_limit")]
    #[schemars(range(min = 1, max = 100))]
    limit: u32,
}

const fn usual_limit() -> u32 {
    USUAL_LIMIT
}

/// Searches notifications.
pub(super) async fn search(inbox: &AgentInbox, search: Search) -> Result<Value> {
    let limit = checked_limit(search.limit)?;
    inbox
        .read(move |replica| {
            let items = lists::found(replica, &search.query, limit)?;
            answer(replica, &items, MAX_LISTED_BYTES)
        })
        .await
}

/// The arguments of `read_notification`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Read {
    /// The msgid, as a list shows it.
    msgid: String,
}

/// Returns one notification.
pub(super) async fn read(inbox: &AgentInbox, read: Read) -> Result<Value> {
    inbox
        .read(move |replica| {
            let found = named::find(replica, std::slice::from_ref(&read.msgid))?;
            if found.items.is_empty() {
                return Err(Error::failed(format!("there is no notification `{}`", read.msgid)));
            }
            answer(replica, &found.items, MAX_READ_BYTES)
        })
        .await
}

/// The arguments of `count_unread`: none.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Count {}

/// Counts unread notifications.
pub(super) async fn count(inbox: &AgentInbox, _: Count) -> Result<Value> {
    inbox.read(|replica| Ok(serde_json::to_value(unread::numbers(replica)?)?)).await
}

fn checked_limit(limit: u32) -> Result<usize> {
    if (1..=MAX_LIMIT).contains(&limit) {
        return Ok(limit as usize);
    }
    Err(Error::Usage(format!("limit must be from 1 to {MAX_LIMIT}")))
}
