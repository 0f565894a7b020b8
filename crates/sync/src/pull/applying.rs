//! What a pull writes of a server: its description, its preview, and pages with their events.

use std::sync::Arc;

use tidings_net::Error as NetError;
use tidings_replica::{Page, Skipped};
use tidings_sources::{PreviewPage, ServerInfo};

use super::{AppliedPage, Pull};
use crate::blocking::with_replica;
use crate::{EngineEvent, PullReason, Result};

impl Pull {
    pub(super) async fn server_info(&self, wanted: bool) -> Result<Option<ServerInfo>> {
        Ok(if wanted { Some(self.source.server_info().await?) } else { None })
    }

    pub(super) async fn preview_page(&self, wanted: bool) -> Result<Option<PreviewPage>> {
        match if wanted { self.source.preview_page().await } else { Ok(None) } {
            // The pull brings the same items in smaller pages, and without those that can't be read.
            Err(NetError::AnswerTooLarge | NetError::AnswerTooSlow | NetError::Malformed) => Ok(None),
            answer => Ok(answer?),
        }
    }

    /// Stores the user, the catalog and the limit of files before the first item is applied, because the user decides
    /// which items are unread.
    ///
    /// # Errors
    /// [`NetError::Malformed`] for another user than the source's that the server doesn't name a second time. The
    /// source's token is of its user, so that a single odd answer would take the token away.
    pub(super) async fn store_server_info(
        &self,
        info: Option<ServerInfo>,
        row: &tidings_replica::Source,
    ) -> Result<()> {
        let Some(ServerInfo { user, catalog, attachment_bytes, clock_offset, .. }) = info else {
            return Ok(());
        };
        let id = self.id;
        let is_new = user.is_some() && user != row.user;
        if is_new && row.user.is_some() && self.source.server_info().await?.user != user {
            tracing::warn!(source = id, "the server names now one user and now another");
            return Err(NetError::Malformed.into());
        }
        with_replica(&self.replica, move |replica| {
            if is_new {
                let change = tidings_replica::SourceChange { user, ..Default::default() };
                replica.change_source(id, change)?;
            }
            if replica.source(id)?.attachment_bytes != attachment_bytes {
                replica.set_attachment_bytes(id, attachment_bytes)?;
            }
            if let Some(offset) = clock_offset {
                replica.set_clock_offset(id, offset)?;
            }
            match catalog {
                Some(catalog) if replica.catalog(id)?.as_ref() != Some(&catalog) => {
                    replica.set_catalog(id, &catalog)
                }
                _ => Ok(()),
            }
        })
        .await
    }

    /// Applies the server's counts and its newest items before a backlog is pulled.
    pub(super) async fn apply_preview(&self, preview: PreviewPage, reason: PullReason) -> Result<u64> {
        let id = self.id;
        let PreviewPage { unread, mut newest } = preview;
        with_replica(&self.replica, move |r| r.apply_counts(id, &unread)).await?;
        newest.sort_by_key(|item| item.stamp);
        let page = Page { items: newest, ..Page::default() };
        Ok(self.apply_page(page, Vec::new(), reason).await?.arrived)
    }

    /// Applies a page and sends its event in one blocking job, which cancellation can't interrupt: a page without its
    /// event would never make a toast.
    pub(super) async fn apply_page(
        &self,
        page: Page,
        skipped: Vec<Skipped>,
        reason: PullReason,
    ) -> Result<AppliedPage> {
        let source = self.id;
        // Waits while the channel is full, so that a backlog does not fill the memory.
        let listener = match self.events.clone() {
            // A closed channel does not stop the pull.
            Some(events) => events.reserve_owned().await.ok(),
            None => None,
        };
        with_replica(&self.replica, move |replica| {
            if !skipped.is_empty() {
                replica.skip(source, &skipped)?;
            }
            let applied = replica.apply(source, page)?;
            let arrived = applied.arrived.len() as u64;
            let changed = arrived > 0 || !applied.updated.is_empty() || !applied.changed.is_empty();
            if let Some(listener) = listener.filter(|_| changed) {
                listener.send(EngineEvent::Applied { source, applied: Arc::new(applied), reason });
            }
            Ok(AppliedPage { arrived, changed: changed || !skipped.is_empty() })
        })
        .await
    }

    pub(super) async fn send(&self, event: EngineEvent) {
        if let Some(listener) = &self.events {
            // A closed channel does not stop the pull.
            let _ = listener.send(event).await;
        }
    }
}
