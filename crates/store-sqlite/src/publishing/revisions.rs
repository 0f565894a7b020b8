//! Revises publications by their sequence. Inboxes get a revision at their next fan-in, as they got the publication.
//!
//! New content has a stamp in the publication apart from that of a clear or a recall, so that neither hides the other.
//! Fan-in looks for both in their orders. New content is a candidate for each inbox that has the item. A reminder's is
//! also one for each inbox that would get it as a new publication at that moment. What was cleared or taken back is a
//! candidate for those that have it.
//!
//! The time of the content, which is its creation or its last revision, orders lists, digests and both retentions.
//! An edited message keeps the time of its creation, so its revision is in the column `edited_at`. PostgreSQL has
//! the same rules.

use async_trait::async_trait;
use tidings_model::wire::{Edited, NotificationEdit, Posted};
use tidings_model::{MsgId, Question, Stamp};
use tidings_store::published::Published;
use tidings_store::{Draft, Editor, Error, Post, PostedBy, Recipients, RevisionStore, SequenceChange};

use super::{named, questions, recall};
use crate::SqliteStore;
use crate::tables::{files, notifications, revision_ids, scheduled};
use crate::write_tx::WriteTx;

/// Gives the publication with the draft's sequence new content; `None` if the draft has no sequence or a new one.
/// What waits under the same name is not delivered any more, and the files of the old content expire.
pub(crate) fn revise(ctx: &mut WriteTx<'_>, draft: &Draft) -> Result<Option<Post>, Error> {
    let (Some(name), Some(target)) = (&draft.sequence, &draft.target) else { return Ok(None) };
    let Some(found) = named::find_to_revise(ctx.tx, &target.id, name, draft.posted_by)? else {
        return Ok(None);
    };
    scheduled::cancel(ctx, &target.id, name, found.publisher)?;
    let Some((created_at, msgid)) = found.item else { return Ok(None) };
    let stamp = ctx.next_stamp();
    let content = questions::kept(ctx, created_at, &draft.content, stamp)?;
    notifications::revise(ctx, created_at, &content, stamp)?;
    revision_ids::insert(ctx, stamp, created_at)?;
    files::expire_of(ctx, &msgid)?;
    let recipients = Recipients::of_topic(&target.id).revised(created_at);
    Ok(Some(Post { posted: Posted { msgid, stamp }, recipients }))
}

#[async_trait]
impl RevisionStore for SqliteStore {
    async fn sequence(
        &self,
        topic: &str,
        name: &str,
        change: SequenceChange,
        by: PostedBy,
    ) -> Result<Option<Post>, Error> {
        let (topic, name) = (topic.to_owned(), name.to_owned());
        self.write(move |w| {
            let Some(found) = named::find_to_change(w.tx, &topic, &name, by)? else { return Ok(None) };
            if change == SequenceChange::Delete {
                scheduled::cancel(w, &topic, &name, found.publisher)?;
            }
            let Some((created_at, msgid)) = found.item else { return Ok(None) };
            if change == SequenceChange::Delete {
                let Some(found) = notifications::find(w.tx, &msgid)? else { return Ok(None) };
                return recall::withdraw(w, found).map(Some);
            }
            let stamp = w.next_stamp();
            notifications::clear(w, created_at, stamp)?;
            revision_ids::insert(w, stamp, created_at)?;
            let recipients = Recipients::of_topic(&topic).revised(created_at);
            Ok(Some(Post { posted: Posted { msgid, stamp }, recipients }))
        })
        .await
    }

    async fn recall(&self, msgid: &MsgId, by: &Editor) -> Result<Option<Post>, Error> {
        let (msgid, by) = (msgid.clone(), by.clone());
        self.write(move |w| {
            let Some(found) = recall::find(w.tx, &msgid)? else {
                return recall::cancel(w, &msgid, &by).map(|()| None);
            };
            found.check_change(&by)?;
            if found.is_recalled { Ok(None) } else { recall::withdraw(w, found).map(Some) }
        })
        .await
    }

    async fn edit(
        &self,
        msgid: &MsgId,
        edit: &NotificationEdit,
        by: &Editor,
    ) -> Result<(Edited, Option<Post>), Error> {
        let (msgid, edit, by) = (msgid.clone(), edit.clone(), by.clone());
        self.write(move |w| {
            let found = recall::find(w.tx, &msgid)?.ok_or_else(Published::missing)?;
            found.check_change(&by)?;
            if found.is_recalled {
                return Err(Published::missing());
            }
            let said = notifications::said(w.tx, found.created_at)?.ok_or_else(Published::missing)?;
            let Some(content) = said.edited(&found, &edit)? else {
                return Ok((said.unchanged(&found), None));
            };
            let stamp = w.next_stamp();
            notifications::revise(w, found.created_at, &content, stamp)?;
            revision_ids::insert(w, stamp, found.created_at)?;
            let recipients = recall::recipients(w.tx, &found)?;
            let posted = Posted { msgid: found.msgid.clone(), stamp };
            let edited = Edited { msgid: found.msgid, stamp, revised_at: Some(stamp) };
            Ok((edited, Some(Post { posted, recipients })))
        })
        .await
    }

    async fn question(&self, msgid: &MsgId, by: &Editor) -> Result<(MsgId, Question), Error> {
        let (msgid, by) = (msgid.clone(), by.clone());
        self.read(move |c| {
            let Some(found) = recall::find(c, &msgid)? else {
                let waiting = scheduled::question(c, &msgid, &by)?.ok_or_else(Published::missing)?;
                return Ok((msgid, waiting));
            };
            found.check_change(&by)?;
            let content = notifications::content(c, found.created_at)?.filter(|_| !found.is_recalled);
            let question = content.and_then(|content| content.question).ok_or_else(Published::missing)?;
            Ok((found.msgid, question))
        })
        .await
    }

    async fn own_announcement(&self, msgid: &MsgId, by: &Editor) -> Result<Stamp, Error> {
        let (msgid, by) = (msgid.clone(), by.clone());
        self.read(move |c| Published::own_announcement(recall::find(c, &msgid)?.as_ref(), &by)).await
    }
}
