//! Pages of a pull, also those of which an item can't be read.

use std::borrow::Cow;

use bytes::Bytes;
use serde::Deserialize;
use serde::de::IgnoredAny;
use tidings_model::{Notification, Stamp, wire};
use tidings_net::{Error, Result};
use tidings_replica::Skipped;

use crate::service::elements::Elements;
use crate::service::json::parse;

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
