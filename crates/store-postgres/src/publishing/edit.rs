//! Edits notifications: a revision by the msgid, under the limits of a publication. Inboxes get it at their next fan-in.

use tidings_model::wire::{Edited, NotificationEdit};
use tidings_model::{MsgId, Stamp};
use tidings_store::Error;
use tidings_store::domain::draft::Post;
use tidings_store::domain::editor::Editor;
use tidings_store::published::{Published, PublishedTexts, content_json, text_columns};

use super::statements::{REVISION_IDS, REVISIONS};
use super::{recall, revision};
use crate::PostgresStore;
use crate::session::{Session, Values};
use crate::tx::in_transaction;

/// `$1` the creation.
const SAID: &str =
    concat!("SELECT ", text_columns!(), " FROM notifications n WHERE n.created_at = $1 AND n.revision <> 3");

/// What a notification says.
async fn said(session: &Session, created_at: Stamp) -> Result<PublishedTexts, Error> {
    let row = session.query_opt(SAID, &[&created_at.as_micros()]).await?.ok_or_else(Published::missing)?;
    PublishedTexts::from_row(&row)
}

/// Implements [`RevisionStore::edit`](tidings_store::RevisionStore::edit).
pub(super) async fn edit(
    store: &PostgresStore,
    msgid: &MsgId,
    edit: &NotificationEdit,
    by: &Editor,
) -> Result<(Edited, Option<Post>), Error> {
    in_transaction!(store, |tx| {
        let found = recall::find(tx, msgid).await?.ok_or_else(Published::missing)?;
        let published = &found.published;
        published.check_change(by)?;
        let before = said(tx, published.created_at).await?;
        if before.edited(published, edit)?.is_none() {
            return Ok((before.unchanged(published), None));
        }
        let stamp = tx.creation_stamp().await?;
        // With the log locked nobody else revises it; somebody may have while it was waited for.
        let now = said(tx, published.created_at).await?;
        let Some(content) = now.edited(published, edit)? else { return Ok((now.unchanged(published), None)) };
        let (created_at, stamps) = (vec![published.created_at.as_micros()], vec![stamp.as_micros()]);
        let contents = vec![content_json(&content)?];
        let revised: Values<'_> = &[&created_at, &contents, &stamps, &revision::CONTENT];
        let named: Values<'_> = &[&stamps, &created_at];
        tx.pipeline(&[(REVISIONS, revised), (REVISION_IDS, named)]).await?;
        let edited = Edited { msgid: published.msgid.clone(), stamp, revised_at: Some(stamp) };
        Ok((edited, Some(found.post(stamp))))
    })
}
