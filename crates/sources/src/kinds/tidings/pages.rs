//! Pages of a pull, also those of which an item can't be read.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use serde::Deserialize;
use serde::de::IgnoredAny;
use tidings_model::{Notification, Stamp, wire};
use tidings_net::{Error, Result, egress, http};
use tidings_replica::Skipped;

use super::Tidings;
use crate::service::elements::Elements;
use crate::service::json::{self, parse};
use crate::source::{Ahead, Fetched, Since, Unparsed};

/// The end of a page in bytes in which the server writes where the next one begins.
const ENDING_BYTES: usize = 400;

impl Tidings {
    /// Reads a page, whose answer may be on its way.
    pub(super) async fn read_page(&self, since: Since, limit: usize, ahead: &mut Ahead) -> Result<Fetched> {
        let answer = match ahead.take(&since, limit).await {
            Some(answer) => answer?,
            None => self.unparsed(since.clone(), limit)?.await?,
        };
        let Unparsed { body, from } = answer;
        let bytes = body.len();
        if let Some(next) = likely_next(&body) {
            let following = Since { cursor: Some(next), epoch: since.epoch.clone() };
            ahead.ask(following.clone(), limit, self.unparsed(following, limit)?);
        }
        let before = since.cursor.as_deref().and_then(|cursor| cursor.parse::<Stamp>().ok());
        let (page, skipped) =
            match json::in_pool(body.clone(), |body| json::bounded(body, wire::SyncPage::from_json)).await {
                Err(Error::Malformed) => read_elements(body).await?,
                page => (page?, Vec::new()),
            };
        check_cursor(before, page.next)?;
        egress::record_address(&self.base, from);
        Ok(Fetched { page: page.into(), bytes, skipped, ..Fetched::default() })
    }

    /// Asks for a page.
    fn unparsed(
        &self,
        since: Since,
        limit: usize,
    ) -> Result<impl Future<Output = Result<Unparsed>> + Send + use<>> {
        let (request, clock) = (self.sync(since, limit)?, Arc::clone(&self.clock));
        Ok(async move {
            let answer = http::send(request, clock.now()).await?;
            let from = answer.remote_addr();
            Ok(Unparsed { body: http::body(answer).await?, from })
        })
    }
}

/// Where the next page begins, as far as the end of a page says it. The page itself decides, once it is parsed.
pub(super) fn likely_next(body: &[u8]) -> Option<String> {
    let ending = body.get(body.len().saturating_sub(ENDING_BYTES)..).unwrap_or_default();
    let ending = String::from_utf8_lossy(ending);
    let next = ending.rsplit_once(r#""next":""#)?.1.split_once('"')?.0;
    let next: Stamp = next.parse().ok()?;
    ending.contains(r#""more":true"#).then(|| next.to_string())
}

/// A page whose elements are read one by one, because one of them can't be read.
#[derive(Deserialize)]
struct PageOfElements {
    items: Elements<Notification>,
    #[serde(default)]
    marks: Elements<wire::ViewMark>,
    #[serde(default)]
    later_marks: Elements<wire::ViewMark>,
    #[serde(default)]
    peer_marks: Elements<wire::ViewMark>,
    #[serde(default)]
    closed: Elements<wire::ClosedConversation>,
    #[serde(default)]
    groups: Elements<String>,
    next: Stamp,
    more: bool,
    epoch: String,
    #[serde(default)]
    forgotten_before: Option<Stamp>,
}

/// Reads a page without what can't be read of it, which is named.
///
/// # Errors
/// [`Error::Malformed`] if the page itself can't be read.
pub(super) async fn read_elements(body: Bytes) -> Result<(wire::SyncPage, Vec<Skipped>)> {
    // What is no UTF-8 would make the whole page unreadable.
    let body = match String::from_utf8_lossy(&body) {
        Cow::Borrowed(_) => body,
        Cow::Owned(text) => text.into(),
    };
    let page: PageOfElements = parse(body).await?;
    let Elements { read: items, malformed, .. } = page.items;
    let page = wire::SyncPage {
        items,
        marks: page.marks.read,
        later_marks: page.later_marks.read,
        peer_marks: page.peer_marks.read,
        closed: page.closed.read,
        groups: page.groups.read,
        next: page.next,
        more: page.more,
        epoch: page.epoch,
        forgotten_before: page.forgotten_before,
    };
    Ok((page, malformed))
}

/// A page with the number of items after it.
#[derive(Deserialize)]
pub(super) struct CountedPage {
    pub(super) items: Vec<IgnoredAny>,
    #[serde(default)]
    pub(super) remaining: Option<u64>,
}

/// Refuses a page whose cursor is before the requested one.
pub(super) fn check_cursor(before: Option<Stamp>, next: Stamp) -> Result<()> {
    if before.is_some_and(|before| next < before) { Err(Error::Malformed) } else { Ok(()) }
}
