//! Takes notifications back. What they say is erased at once; inboxes lose them at their next fan-in, as they got them.
//!
//! A recall writes one row of the publication, whatever the number of inboxes. Its text is erased, its files expire,
//! and it leaves topics and Gotify's lists at once. Each inbox turns its item into a tombstone before it tells a
//! number.

use rusqlite::Connection;
use tidings_model::wire::Posted;
use tidings_model::{Kind, MsgId};
use tidings_store::Error;
use tidings_store::domain::draft::{Post, Recipients};
use tidings_store::domain::editor::Editor;
use tidings_store::domain::msgid;
use tidings_store::published::{Cancelled, Published};

use crate::tables::gotify::messages;
use crate::tables::{files, group_messages, items, notifications, revision_ids, scheduled, stored_responses};
use crate::write_tx::WriteTx;

/// Cancels what waits to be delivered under a msgid, unless that was done before.
pub(super) fn cancel(ctx: &WriteTx<'_>, msgid: &MsgId, by: &Editor) -> Result<(), Error> {
    if let Some(publisher) = scheduled::recall(ctx, msgid, by)? {
        return stored_responses::put(ctx, Cancelled::OWNER, msgid.as_str(), &Cancelled::answer(publisher));
    }
    let kept = stored_responses::get(ctx.tx, Cancelled::OWNER, msgid.as_str(), ctx.now)?;
    Cancelled::check_repeated(kept, by)
}

/// The notification with a msgid, or with the id of one of its revisions.
pub(crate) fn find(conn: &Connection, id: &MsgId) -> Result<Option<Published>, Error> {
    if let Some(found) = notifications::find(conn, id)? {
        return Ok(Some(found));
    }
    let Some(stamp) = msgid::stamp_of(id.as_str()) else { return Ok(None) };
    let Some(created_at) = revision_ids::revised_at(conn, stamp)? else { return Ok(None) };
    let found = notifications::published_at(conn, created_at)?;
    Ok(found.filter(|found| msgid::of_revision(&found.msgid, stamp) == id.as_str()))
}

/// Takes back one that is there. Its work does not depend on how many have it.
pub(crate) fn withdraw(ctx: &mut WriteTx<'_>, found: Published) -> Result<Post, Error> {
    let stamp = ctx.next_stamp();
    notifications::erase(ctx, found.created_at, stamp)?;
    files::expire_of(ctx, &found.msgid)?;
    messages::notification_recalled(ctx, found.created_at)?;
    let recipients = recipients(ctx.tx, &found)?;
    Ok(Post { posted: Posted { msgid: found.msgid, stamp }, recipients })
}

/// Who gets a hint about a change of a notification.
pub(crate) fn recipients(conn: &Connection, found: &Published) -> Result<Recipients, Error> {
    let is_message = found.kind == Kind::Message;
    let group = if is_message { group_messages::group_of(conn, found.created_at)? } else { None };
    let is_direct = is_message && group.is_none();
    let users = if is_direct { items::users_with(conn, found.created_at)? } else { Vec::new() };
    Ok(found.recipients(group, users))
}
