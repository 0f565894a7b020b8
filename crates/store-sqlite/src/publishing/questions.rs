//! Questions of publications: their answers, and the end of their time. The publication is written once; inboxes get it at
//! their next fan-in, as they got the publication.

use tidings_model::wire::Posted;
use tidings_model::{Code, Content, MsgId, Stamp};
use tidings_store::Error;
use tidings_store::domain::account::UserKey;
use tidings_store::domain::draft::Post;
use tidings_store::domain::item::MarkClock;
use tidings_store::domain::question::{self, Reply};
use tidings_store::published::Published;

use super::recall;
use crate::portions::Budget;
use crate::tables::{items, notifications, open_questions, revision_ids, users};
use crate::write_tx::WriteTx;

/// Rows that the end of one question writes.
const ROWS_PER_QUESTION: usize = 3;

/// Answers the question of an item of an inbox; `None` if the inbox has no such item.
pub(crate) fn answer(
    ctx: &mut WriteTx<'_>,
    user: UserKey,
    msgid: &MsgId,
    (answer, text, at): (Option<&str>, Option<&str>, Option<Stamp>),
) -> Result<Option<Result<Post, Code>>, Error> {
    let found = notifications::find(ctx.tx, msgid)?.filter(|found| !found.is_recalled);
    let Some(found) = found else { return Ok(None) };
    let Some((_, item)) = items::get(ctx.tx, user, found.created_at)?.filter(|(_, item)| !item.deleted)
    else {
        return Ok(None);
    };
    let by = users::id_of(ctx.tx, user)?;
    let Some(content) = notifications::content(ctx.tx, found.created_at)? else { return Ok(None) };
    let asked_at = open_questions::asked_at(ctx.tx, found.created_at)?;
    let content = match question::answered(&content, asked_at, Reply { by: &by, answer, text, at }, ctx.now) {
        Ok(content) => content,
        Err(code) => return Ok(Some(Err(code))),
    };
    let post = close(ctx, &found, &content)?;
    let answered = item.answered(at, MarkClock { now: ctx.now, newest: ctx.last_stamp() });
    let stamp = ctx.next_stamp();
    items::update(ctx, user, &answered, stamp)?;
    Ok(Some(Ok(post)))
}

/// Ends a portion of the questions whose time is over.
pub(crate) fn expire_due(ctx: &mut WriteTx<'_>, budget: &mut Budget) -> Result<Vec<Post>, Error> {
    let mut posts = Vec::new();
    while !budget.is_spent()
        && let Some(created_at) = open_questions::first_due(ctx.tx, ctx.now)?
    {
        budget.charge_writes(ROWS_PER_QUESTION);
        open_questions::delete(ctx, created_at)?;
        // Its publication may be gone.
        let Some(found) = notifications::published_at(ctx.tx, created_at)? else { continue };
        let content = notifications::content(ctx.tx, created_at)?;
        if let Some(content) = content.and_then(|content| question::expired(&content, ctx.now)) {
            posts.push(close(ctx, &found, &content)?);
        }
    }
    Ok(posts)
}

/// Writes the outcome of a question.
fn close(ctx: &mut WriteTx<'_>, found: &Published, content: &Content) -> Result<Post, Error> {
    let stamp = ctx.next_stamp();
    open_questions::delete(ctx, found.created_at)?;
    if notifications::close(ctx, found.created_at, content, stamp)? {
        // Those who listen to its topic are told of the clear at this stamp.
        revision_ids::insert(ctx, stamp, found.created_at)?;
    }
    let recipients = recall::recipients(ctx.tx, found)?;
    Ok(Post { posted: Posted { msgid: found.msgid.clone(), stamp }, recipients })
}

/// The content of a publication that is revised by its sequence at a stamp. It keeps the question that it has, unless that
/// waits no more and another one is asked: the answer to the earlier one is none to this.
pub(crate) fn kept(
    ctx: &WriteTx<'_>,
    created_at: Stamp,
    content: &Content,
    stamp: Stamp,
) -> Result<Content, Error> {
    let before = notifications::content(ctx.tx, created_at)?.and_then(|before| before.question);
    let waits = before.as_ref().is_some_and(|question| question.is_open(ctx.now));
    if content.question.is_some() && !waits {
        notifications::ask_again(ctx, created_at, content, stamp)?;
        return Ok(content.clone());
    }
    Ok(Content { question: before, ..content.clone() })
}
