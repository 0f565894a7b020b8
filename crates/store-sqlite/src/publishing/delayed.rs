//! Delayed publications: kept until they are due, and then delivered.

use rusqlite::Connection;
use tidings_model::{Code, MsgId, Stamp};
use tidings_store::Error;
use tidings_store::domain::draft::{Draft, Post};

use super::{named, post};
use crate::portions::Budget;
use crate::tables::{files, open_questions, scheduled, scheduled::Due};
use crate::write_tx::WriteTx;

/// Rows written to deliver one publication: the notification, its sequence, and the items of its sender and its
/// recipient.
const ROWS_PER_POST: usize = 6;

/// Bytes of a draft that take as long to write as a row.
const BYTES_PER_ROW: usize = 4096;

/// Stores a publication for later delivery, in place of the one that waits under its name.
pub(crate) fn schedule(ctx: &mut WriteTx<'_>, draft: Draft, deliver_at: Stamp) -> Result<MsgId, Error> {
    if let (Some(name), Some(target)) = (&draft.sequence, &draft.target)
        && let Some(found) = named::find_to_revise(ctx.tx, &target.id, name, draft.posted_by)?
    {
        scheduled::cancel(ctx, &target.id, name, found.publisher)?;
    }
    scheduled::add(ctx, draft, deliver_at)
}

/// When the next publication is due, or the next question's time is over.
pub(crate) fn next_due(conn: &Connection) -> Result<Option<Stamp>, Error> {
    let next = scheduled::next_due(conn)?;
    Ok(next.into_iter().chain(open_questions::next_due(conn)?).min())
}

/// Delivers a portion of the publications that are due, in the order of their times; one that can't be delivered any
/// more is dropped.
pub(crate) fn deliver_due(ctx: &mut WriteTx<'_>, budget: &mut Budget) -> Result<Vec<Post>, Error> {
    let mut posts = Vec::new();
    loop {
        let Some(due) = scheduled::take_due(ctx)? else { return Ok(posts) };
        budget.charge_writes(ROWS_PER_POST + due.draft.len() / BYTES_PER_ROW);
        match deliver(ctx, &due) {
            Ok(post) => posts.push(post),
            Err(Error::Refused(problem)) => {
                let msgid = due.msgid;
                tracing::warn!(
                    msgid,
                    code = problem.code.as_str(),
                    "a scheduled publication is undeliverable"
                );
                files::expire_of(ctx, &MsgId(msgid))?;
            }
            Err(e) => return Err(e),
        }
        if budget.is_spent() {
            return Ok(posts);
        }
    }
}

/// Delivers one publication. A draft that can't be parsed, of another version or from a damaged backup, is refused, so
/// that it does not block those after it.
fn deliver(ctx: &mut WriteTx<'_>, due: &Due) -> Result<Post, Error> {
    let draft: Draft = serde_json::from_str(&due.draft)
        .map_err(|e| Error::refused(Code::Invalid, format!("it is not a publication: {e}")))?;
    post(ctx, Draft { posted_by: due.posted_by, ..draft })
}
