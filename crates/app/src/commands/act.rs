//! What reaches outside: pulls, links and the buttons under a notification. Refuses schemes other than web and mail.

use serde_json::Value;
use tidings_model::{Action, MsgId};
use tidings_replica::{Item, Mark, Targets};

use crate::app::App;
use crate::error::{Error, Result};
use crate::page::ThreadId;
use crate::ports::Call;
use crate::render::item::offered;
use crate::render::markdown::{outside, web};
use crate::words::words;

impl App {
    /// Pulls every source now, without waiting.
    pub fn pull_now(&self) {
        if let Some(engine) = self.inner.engine.get() {
            engine.pull_now();
        }
    }

    /// Opens a web or mail address outside.
    pub fn open_link(&self, url: &str) -> Result<()> {
        let url = outside(url).ok_or(Error::Link)?;
        if self.inner.ports.opener.open(&url) { Ok(()) } else { Err(Error::Opener) }
    }

    /// Runs a button of an item and gives the words for what came of it.
    pub async fn run_action(&self, thread: ThreadId, msgid: String, index: usize) -> Result<String> {
        let item = self
            .disk(move |r| {
                let Some(row) = r.threads_by_id(&[thread])?.pop() else { return Ok(None) };
                Ok(r.items_by_msgid(Some(row.source), &[MsgId(msgid)])?.pop())
            })
            .await?
            .ok_or(Error::NotFound)?;
        let (view, action) = offered(&item.notification)
            .nth(index)
            .map(|(view, action)| (view, action.clone()))
            .ok_or(Error::NotFound)?;
        let table = words(self.lang());
        if view.opens {
            self.open_link(&action.url)?;
        } else {
            match self.inner.ports.caller.call(call(&action)?).await {
                Some(200..300) => {}
                Some(status) => return Ok((table.answered)(&view.host, status)),
                None => return Ok((table.no_answer)(&view.host)),
            }
        }
        if action.clear {
            self.read(&item).await?;
        }
        Ok(table.done.to_owned())
    }

    async fn read(&self, item: &Item) -> Result<()> {
        let targets = Targets::Items(vec![item.id]);
        self.disk(move |r| r.mark(targets, Mark::Read)).await.map(drop)
    }
}

fn call(action: &Action) -> Result<Call> {
    let (url, _) = web(&action.url).ok_or(Error::Link)?;
    let headers = action
        .headers
        .iter()
        .filter_map(|(name, value)| match value {
            Value::String(text) => Some((name.clone(), text.clone())),
            Value::Number(_) | Value::Bool(_) => Some((name.clone(), value.to_string())),
            _ => None,
        })
        .collect();
    let method = action.method.clone().unwrap_or_else(|| "POST".to_owned()).to_ascii_uppercase();
    Ok(Call { method, url, headers, body: action.body.clone() })
}
