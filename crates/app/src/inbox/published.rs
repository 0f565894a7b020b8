//! What the reader published itself: edited and taken back at its server alone, so that nothing waits, and how many
//! have read an announcement. A sentence says what went wrong.

use std::sync::Arc;

use tidings_ipc::{AnnouncementReaders, ErrorCode, ThreadId};
use tidings_model::Kind;
use tidings_model::wire::NotificationEdit;
use tidings_net::Error as NetError;
use tidings_render::item::{is_changeable, source_name};
use tidings_replica::{Item, Source};
use tidings_sources::{ChangeAnswer, PublishedChange};
use tidings_sync::Error as SyncError;

use super::conversation::{item_of, not_found, text};
use crate::context::{Context, part};
use crate::error::{Error, Result};
use crate::sources::engine::RunningEngine;

part! {
    /// What the reader published itself.
    pub(crate) struct Published {
        context: Arc<Context>,
        engine: Arc<RunningEngine>,
    }
}

impl Published {
    /// The body of an item that the reader published, as it was written.
    ///
    /// # Errors
    /// The code is `NotFound` if there is no such item of the reader's own.
    pub(crate) async fn written_text(&self, thread: ThreadId, msgid: String) -> Result<String> {
        Ok(self.published_item(thread, msgid).await?.0.notification.content.body)
    }

    /// Gives what the reader published another body.
    ///
    /// # Errors
    /// The code is `NotFound` if there is no such item of the reader's own, `Invalid` if the server refuses the change,
    /// `Outside` if it cannot be reached. The item is as it was then.
    pub(crate) async fn edit_item(&self, thread: ThreadId, msgid: String, body: String) -> Result<()> {
        let edit = NotificationEdit { body: Some(text(body)?), ..NotificationEdit::default() };
        self.change_published(thread, msgid, PublishedChange::Edit(edit)).await
    }

    /// Takes back what the reader published, from every inbox.
    ///
    /// # Errors
    /// Those of [`Published::edit_item`].
    pub(crate) async fn recall_item(&self, thread: ThreadId, msgid: String) -> Result<()> {
        self.change_published(thread, msgid, PublishedChange::Recall).await
    }

    /// How many have read an announcement that the reader published; `None` if its server does not report that.
    ///
    /// # Errors
    /// The code is `NotFound` if there is no such announcement, `Outside` if the server cannot be reached.
    pub(crate) async fn announcement_readers(
        &self,
        thread: ThreadId,
        msgid: String,
    ) -> Result<Option<AnnouncementReaders>> {
        let (item, source) = self.published_item(thread, msgid).await?;
        if item.notification.kind != Kind::Announcement {
            return Err(Error::NotFound);
        }
        let Some(engine) = self.engine.get() else { return Ok(None) };
        match engine.announcement_readers(source.id, &item.notification.msgid).await {
            Ok(known) => {
                Ok(known.map(|known| AnnouncementReaders { read: known.read_count, users: known.user_count }))
            }
            Err(_) => Err(self.published_unreachable(&source)),
        }
    }

    /// An item that the reader published, with its source.
    async fn published_item(&self, thread: ThreadId, msgid: String) -> Result<(Item, Source)> {
        let (item, source) = item_of(&self.context, thread, &msgid).await?;
        if is_changeable(&item, &source) { Ok((item, source)) } else { Err(Error::NotFound) }
    }

    async fn change_published(&self, thread: ThreadId, msgid: String, change: PublishedChange) -> Result<()> {
        let (item, source) = self.published_item(thread, msgid).await?;
        let (table, label) = (self.context.strings(), source_name(&source, self.context.lang()));
        let engine = self.engine.get().ok_or_else(|| self.published_unreachable(&source))?;
        match engine.change_published(source.id, &item.notification.msgid, &change).await {
            Ok(Some(ChangeAnswer::Done)) => Ok(()),
            Ok(Some(ChangeAnswer::Unknown)) => Err(not_found((table.published_unknown)(&label))),
            Ok(Some(ChangeAnswer::Forbidden | ChangeAnswer::Unsupported))
            | Err(SyncError::Net(NetError::Forbidden)) => {
                Err(Error::invalid((table.group_unsupported)(&label)))
            }
            Err(SyncError::Net(NetError::Refused(status))) => {
                Err(Error::invalid((table.group_refused)(&label, &status.to_string())))
            }
            Ok(None) | Err(_) => Err(self.published_unreachable(&source)),
        }
    }

    fn published_unreachable(&self, source: &Source) -> Error {
        let (table, label) = (self.context.strings(), source_name(source, self.context.lang()));
        let why = if source.paused { table.published_paused } else { table.published_offline };
        Error::Localized { code: ErrorCode::Outside, text: why(&label) }
    }
}
