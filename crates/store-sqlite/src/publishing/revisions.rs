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

use tidings_model::wire::Posted;
use tidings_store::domain::draft::{Draft, Post, Recipients};
use tidings_store::domain::posted_by::PostedBy;
use tidings_store::{Error, SequenceChange};

use super::{named, questions, recall};
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
    let content = questions::kept(ctx, created_at, &draft.content)?;
    notifications::revise(ctx, created_at, &content, stamp)?;
    revision_ids::insert(ctx, stamp, created_at)?;
    files::expire_of(ctx, &msgid)?;
    let recipients = Recipients::of_topic(&target.id).revised(created_at);
    Ok(Some(Post { posted: Posted { msgid, stamp }, recipients }))
}

/// Clears or deletes the publication with a sequence or a msgid; `None` if there is none. Deleting it also cancels
/// what waits to be delivered under that name, and lets its files expire.
///
/// # Errors
/// `forbidden` if it is somebody else's.
pub(crate) fn change(
    ctx: &mut WriteTx<'_>,
    topic: &str,
    name: &str,
    change: SequenceChange,
    by: PostedBy,
) -> Result<Option<Post>, Error> {
    let Some(found) = named::find_to_change(ctx.tx, topic, name, by)? else { return Ok(None) };
    if change == SequenceChange::Delete {
        scheduled::cancel(ctx, topic, name, found.publisher)?;
    }
    let Some((created_at, msgid)) = found.item else { return Ok(None) };
    if change == SequenceChange::Delete {
        let Some(found) = notifications::find(ctx.tx, &msgid)? else { return Ok(None) };
        return recall::withdraw(ctx, found).map(Some);
    }
    let stamp = ctx.next_stamp();
    notifications::clear(ctx, created_at, stamp)?;
    revision_ids::insert(ctx, stamp, created_at)?;
    let recipients = Recipients::of_topic(topic).revised(created_at);
    Ok(Some(Post { posted: Posted { msgid, stamp }, recipients }))
}
