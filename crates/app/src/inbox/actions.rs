//! The buttons under a notification. Only web and mail addresses are opened or called.

use std::sync::Arc;

use serde_json::Value;
use tidings_ipc::{ActionView, ThreadId};
use tidings_model::Action;
use tidings_ports::{Call, CallError};
use tidings_render::buttons::{method, offered};
use tidings_render::link::web_url;
use tidings_replica::{Item, Mark, Targets};
use tidings_strings::strings;
use url::Url;

use super::conversation::item_of;
use super::links::Links;
use crate::context::{Context, part};
use crate::error::{Error, Result};

part! {
    /// The buttons under notifications.
    pub(crate) struct Actions {
        context: Arc<Context>,
        links: Arc<Links>,
    }
}

impl Actions {
    /// Runs a button of an item and returns a sentence that says how it went. `button` is the button that the reader
    /// saw: if the item was revised since and its button at `index` differs, nothing is done and that is the error.
    pub(crate) async fn run_action(
        &self,
        thread: ThreadId,
        msgid: String,
        index: usize,
        button: &ActionView,
        background: bool,
    ) -> Result<String> {
        let (item, source) = item_of(&self.context, thread, &msgid).await?;
        let source_url = source.url.parse().ok();
        let (view, action) = offered(&item.notification)
            .nth(index)
            .map(|(view, action)| (view, action.clone()))
            .filter(|(view, _)| view == button)
            .ok_or_else(|| Error::invalid(strings(self.context.lang()).button_changed))?;
        let table = strings(self.context.lang());
        if view.copies.is_some() {
            // The window has copied it.
        } else if view.opens {
            self.links.open_link(&action.url, background).await?;
        } else {
            match self.context.ports.caller.call(call(&action, source_url)?).await {
                Ok(200..300) => {}
                Ok(status) => return Ok((table.answered)(&view.host, status)),
                Err(CallError::NoAnswer) => return Ok((table.no_answer)(&view.host)),
                Err(CallError::PrivateAddress) => return Ok((table.private_host)(&view.host)),
            }
        }
        if action.clear {
            self.mark_read(&item).await?;
        }
        Ok(if view.copies.is_some() { table.copied } else { table.done }.to_owned())
    }

    async fn mark_read(&self, item: &Item) -> Result<()> {
        let targets = Targets::Items(vec![item.id]);
        self.context.disk(move |r| r.mark(targets, Mark::Read)).await.map(drop)
    }
}

/// Headers that frame a request or name its host: only the HTTP client sets them.
const FRAMING_HEADERS: [&str; 9] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

fn call(action: &Action, source_url: Option<Url>) -> Result<Call> {
    let (url, _) = web_url(&action.url).ok_or(Error::Link)?;
    let headers = action
        .headers
        .iter()
        .filter_map(|(name, value)| match value {
            Value::String(text) => Some((name.clone(), text.clone())),
            Value::Number(_) | Value::Bool(_) => Some((name.clone(), value.to_string())),
            _ => None,
        })
        .filter(|(name, _)| {
            let name = name.to_ascii_lowercase();
            !FRAMING_HEADERS.contains(&name.as_str()) && !name.starts_with("proxy-")
        })
        .collect();
    let method = method(action).ok_or(Error::NotFound)?.to_owned();
    Ok(Call { method, url, headers, body: action.body.clone(), source_url })
}
