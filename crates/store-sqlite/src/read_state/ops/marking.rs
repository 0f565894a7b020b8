//! Puts a mark on one item, with the move of its view's read mark that it may need.

use tidings_model::{Kind, Mark, MsgId, Stamp};
use tidings_store::domain::account::UserKey;
use tidings_store::domain::item::{Effect, Item, MarkClock};
use tidings_store::{AffectedSenders, Error};

use super::super::marks;
use crate::portions::Budget;
use crate::tables::items::ViewKey;
use crate::tables::{conversations, gotify, items, notifications};
use crate::write_tx::WriteTx;

/// An unfinished move of a view's read mark.
pub(crate) enum MarkMove {
    Advance { view_key: ViewKey, to: Stamp, read_at: Stamp },
    Rewind { view_key: ViewKey, to: Stamp, created_at: Stamp },
}

/// Puts a mark on one item; true when it is done. A msgid that is not in this inbox is ignored.
pub(super) fn mark_item(
    ctx: &mut WriteTx<'_>,
    user: UserKey,
    msgid: &MsgId,
    mark: (Mark, Option<Stamp>),
    mark_move: &mut Option<MarkMove>,
    affected: &mut AffectedSenders,
    budget: &mut Budget,
) -> Result<bool, Error> {
    budget.charge_reads(1);
    let next = match mark_move.take() {
        Some(next) => next,
        None => match begin_mark(ctx, user, msgid, mark, budget)? {
            Some(next) => next,
            None => return Ok(true),
        },
    };
    let done = next.advance(ctx, user, affected, budget)?;
    if !done {
        *mark_move = Some(next);
    }
    Ok(done)
}

/// Writes the change of the item itself; gives the move of its view's read mark, if one is needed.
fn begin_mark(
    ctx: &mut WriteTx<'_>,
    user: UserKey,
    msgid: &MsgId,
    mark: (Mark, Option<Stamp>),
    budget: &mut Budget,
) -> Result<Option<MarkMove>, Error> {
    match notifications::created_at(ctx.tx, msgid)? {
        Some(created_at) => mark_at(ctx, user, created_at, mark, budget),
        None => Ok(None),
    }
}

/// Like [`begin_mark`], for the item that was created at a time, and a mark with the time at which the reader put it.
pub(crate) fn mark_at(
    ctx: &mut WriteTx<'_>,
    user: UserKey,
    created_at: Stamp,
    (mark, at): (Mark, Option<Stamp>),
    budget: &mut Budget,
) -> Result<Option<MarkMove>, Error> {
    budget.charge_reads(1);
    let Some((view_key, item)) = items::get(ctx.tx, user, created_at)? else { return Ok(None) };
    let (known, clock) = (item.marked, MarkClock { now: ctx.now, newest: ctx.last_stamp() });
    let Some((item, at)) = item.put(mark, at, clock) else { return Ok(None) };
    let effect = item.effect(mark, at);
    if item.marked != known && !matches!(effect, Effect::Update(_)) {
        items::set_marked(ctx, user, &item)?;
        budget.charge_writes(1);
    }
    Ok(match effect {
        Effect::Unchanged => None,
        Effect::Update(after) => {
            let stamp = ctx.next_stamp();
            items::update(ctx, user, &after, stamp)?;
            if after.deleted {
                leave_lists(ctx, user, &view_key, created_at)?;
            }
            budget.charge_writes(1);
            None
        }
        Effect::AdvanceMark(to) => Some(MarkMove::Advance { view_key, to, read_at: at }),
        Effect::RewindMark(to) => Some(MarkMove::Rewind { view_key, to, created_at }),
    })
}

/// Takes an item that was deleted out of the list of conversations, and out of the lists of Gotify's clients.
fn leave_lists(ctx: &WriteTx<'_>, user: UserKey, view_key: &ViewKey, created_at: Stamp) -> Result<(), Error> {
    match view_key.kind {
        Kind::Message => conversations::message_deleted(ctx, user, &view_key.view, created_at),
        Kind::Reminder => gotify::messages::item_deleted(ctx, user, created_at),
        Kind::Announcement => Ok(()),
    }
}

impl MarkMove {
    fn advance(
        &self,
        ctx: &mut WriteTx<'_>,
        user: UserKey,
        affected: &mut AffectedSenders,
        budget: &mut Budget,
    ) -> Result<bool, Error> {
        match self {
            Self::Advance { view_key, to, read_at } => {
                let to = (*to, Some(*read_at));
                marks::advance(ctx, user, view_key.kind, &view_key.view, to, affected, budget)
            }
            Self::Rewind { view_key, to, created_at } => {
                let back = (*to, *created_at);
                if !marks::rewind(ctx, user, view_key.kind, &view_key.view, back, budget)? {
                    return Ok(false);
                }
                if let Some((_, item)) = items::get(ctx.tx, user, *created_at)?
                    && item.read_at.is_some()
                {
                    let stamp = ctx.next_stamp();
                    items::update(ctx, user, &Item { read_at: None, ..item }, stamp)?;
                    budget.charge_writes(1);
                }
                Ok(true)
            }
        }
    }
}
