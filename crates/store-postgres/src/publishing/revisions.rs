//! Clears and deletes publications by their sequence. Inboxes get a revision at their next fan-in, as they got the
//! publication.

use async_trait::async_trait;
use tidings_model::wire::{Edited, NotificationEdit, Posted};
use tidings_model::{MsgId, Question, Stamp};
use tidings_store::domain::draft::{Post, Recipients};
use tidings_store::domain::editor::Editor;
use tidings_store::domain::posted_by::PostedBy;
use tidings_store::named::Named;
use tidings_store::published::Published;
use tidings_store::{Error, RevisionStore, SequenceChange};

use super::names;
use super::statements::{CANCEL, REVISION_IDS};
use super::{edit, questions, recall, revision, sequence_lock, topic_target};
use crate::PostgresStore;
use crate::session::Session;
use crate::tx::{WriteTx, in_transaction, reading};

/// What a name means that is to be changed.
async fn find(session: &Session, topic: &str, name: &str, by: PostedBy) -> Result<Option<Named>, Error> {
    Named::for_change(names::find(session, topic, name, by, true).await?, by)
}

/// Records at a new stamp that a publication was marked as read for everyone.
async fn clear(tx: &mut WriteTx<'_>, created_at: Stamp) -> Result<Stamp, Error> {
    let stamp = tx.creation_stamp().await?;
    let sql =
        "UPDATE notifications SET revised_at = $2, revision = $3 WHERE created_at = $1 AND revision <> 3";
    if tx.execute(sql, &[&created_at.as_micros(), &stamp.as_micros(), &revision::CLEAR]).await? == 0 {
        return Err(Error::interrupted("a publication was deleted while it was revised"));
    }
    tx.execute(REVISION_IDS, &[&vec![stamp.as_micros()], &vec![created_at.as_micros()]]).await?;
    Ok(stamp)
}

#[async_trait]
impl RevisionStore for PostgresStore {
    async fn sequence(
        &self,
        topic: &str,
        name: &str,
        change: SequenceChange,
        by: PostedBy,
    ) -> Result<Option<Post>, Error> {
        in_transaction!(self, |tx| {
            tx.lock_names(&[&sequence_lock(topic, name)]).await?;
            let Some(mut found) = find(tx, topic, name, by).await? else { return Ok(None) };
            if change == SequenceChange::Delete {
                tx.execute(CANCEL, &[&vec![topic_target(topic)], &vec![name], &vec![found.publisher]])
                    .await?;
                if found.item.is_none() {
                    // If it was waiting, it may have been delivered while this waited for its row.
                    let Some(now) = find(tx, topic, name, by).await? else { return Ok(None) };
                    found = now;
                }
            }
            let Some((created_at, msgid)) = found.item else { return Ok(None) };
            if change == SequenceChange::Delete {
                let Some(found) = recall::find(tx, &msgid).await? else { return Ok(None) };
                return recall::withdraw(tx, found).await.map(Some);
            }
            let stamp = clear(tx, created_at).await?;
            let recipients = Recipients::of_topic(topic).revised(created_at);
            Ok(Some(Post { posted: Posted { msgid, stamp }, recipients }))
        })
    }

    async fn recall(&self, msgid: &MsgId, by: &Editor) -> Result<Option<Post>, Error> {
        in_transaction!(self, |tx| {
            let mut found = recall::find(tx, msgid).await?;
            if found.is_none() {
                if recall::cancel(tx, msgid, by).await? {
                    return Ok(None);
                }
                // What waited may have been delivered, or cancelled, while this waited for its row.
                found = recall::find(tx, msgid).await?;
            }
            let Some(found) = found else {
                recall::check_repeated(tx, msgid, by).await?;
                return Ok(None);
            };
            found.published.check_change(by)?;
            if found.published.is_recalled { Ok(None) } else { recall::withdraw(tx, found).await.map(Some) }
        })
    }

    async fn edit(
        &self,
        msgid: &MsgId,
        edit: &NotificationEdit,
        by: &Editor,
    ) -> Result<(Edited, Option<Post>), Error> {
        edit::edit(self, msgid, edit, by).await
    }

    async fn question(&self, msgid: &MsgId, by: &Editor) -> Result<(MsgId, Question), Error> {
        questions::question(self, msgid, by).await
    }

    async fn own_announcement(&self, msgid: &MsgId, by: &Editor) -> Result<Stamp, Error> {
        let found = reading!(self, |s| recall::find(s, msgid).await)?;
        Published::own_announcement(found.as_ref().map(|found| &found.published), by)
    }
}
