//! Edits notifications: a revision by the msgid, under the limits of a publication. Inboxes get it at their next fan-in.

use tidings_model::MsgId;
use tidings_model::wire::{Edited, NotificationEdit, Posted};
use tidings_store::Error;
use tidings_store::domain::draft::Post;
use tidings_store::domain::editor::Editor;
use tidings_store::published::Published;

use super::recall;
use crate::tables::{notifications, revision_ids};
use crate::write_tx::WriteTx;

/// Edits the notification with a msgid, unless nothing differs.
pub(crate) fn edit(
    ctx: &mut WriteTx<'_>,
    msgid: &MsgId,
    edit: &NotificationEdit,
    by: &Editor,
) -> Result<(Edited, Option<Post>), Error> {
    let found = recall::find(ctx.tx, msgid)?.ok_or_else(Published::missing)?;
    found.check_change(by)?;
    if found.is_recalled {
        return Err(Published::missing());
    }
    let said = notifications::said(ctx.tx, found.created_at)?.ok_or_else(Published::missing)?;
    let Some(content) = said.edited(&found, edit)? else { return Ok((said.unchanged(&found), None)) };
    let stamp = ctx.next_stamp();
    notifications::revise(ctx, found.created_at, &content, stamp)?;
    revision_ids::insert(ctx, stamp, found.created_at)?;
    let recipients = recall::recipients(ctx.tx, &found)?;
    let posted = Posted { msgid: found.msgid.clone(), stamp };
    let edited = Edited { msgid: found.msgid, stamp, revised_at: Some(stamp) };
    Ok((edited, Some(Post { posted, recipients })))
}
