//! Moves the read marks of views: forward on a visit, and back to make one item unread. Versions of items stay the
//! same, because readers derive the state of items from the mark. Only what is read individually under a mark that
//! moves back gets a new one.

use tidings_model::{Kind, Stamp, View};
use tidings_store::domain::account::UserKey;
use tidings_store::domain::item::UnreadState;
use tidings_store::{AffectedSenders, Error, Visit};

use crate::groups;
use crate::portions::{Budget, LongWrite};
use crate::tables::{covered_items, items, notifications, read_marks, users};
use crate::write_tx::WriteTx;

/// The long write of a visit to a view.
pub(crate) struct VisitWrite {
    user: UserKey,
    view: View,
    visit: Visit,
    /// The target time of the mark, known after the first portion.
    to: Option<Stamp>,
    pub(crate) affected: AffectedSenders,
}

impl VisitWrite {
    pub(crate) fn new(user: UserKey, view: View, visit: Visit) -> Self {
        Self { user, view, visit, to: None, affected: AffectedSenders::default() }
    }

    /// The time to which the mark moved, at most the newest stamp when the write began.
    pub(crate) fn to(&self) -> Stamp {
        self.to.unwrap_or(Stamp::ZERO)
    }

    fn target_stamp(&self, ctx: &WriteTx<'_>) -> Result<Stamp, Error> {
        match &self.visit {
            // The newest stamp and not the clock, because stamps may run ahead of it.
            Visit::Now => Ok(ctx.last_stamp()),
            Visit::At(at) => Ok((*at).min(ctx.last_stamp())),
            Visit::Item(msgid) => {
                let unknown = || Error::not_found("message in this conversation");
                let (kind, id) = read_marks::view_key(&self.view);
                let at = notifications::created_at(ctx.tx, msgid)?.ok_or_else(unknown)?;
                let (found, item) = items::get(ctx.tx, self.user, at)?.ok_or_else(unknown)?;
                if found.kind != kind || found.view != id {
                    return Err(unknown());
                }
                Ok(item.content_at())
            }
        }
    }
}

impl LongWrite for VisitWrite {
    fn portion(&mut self, ctx: &mut WriteTx<'_>, budget: &mut Budget) -> Result<bool, Error> {
        let to = match self.to {
            Some(to) => to,
            None => self.target_stamp(ctx)?,
        };
        self.to = Some(to);
        let (kind, id) = read_marks::view_key(&self.view);
        advance(ctx, self.user, kind, id, (to, None), &mut self.affected, budget)
    }
}

const COUNTED_STATES: [UnreadState; 2] = [UnreadState::Unread, UnreadState::Archived];

/// Moves a read mark forward, never back, as far as the budget permits; true when it has reached the time. With
/// it comes when the reader marked an item as read, if that is the cause.
pub(crate) fn advance(
    ctx: &mut WriteTx<'_>,
    user: UserKey,
    kind: Kind,
    view: &str,
    target: (Stamp, Option<Stamp>),
    affected: &mut AffectedSenders,
    budget: &mut Budget,
) -> Result<bool, Error> {
    loop {
        let done = advance_once(ctx, user, kind, view, target, affected, budget)?;
        if done || budget.is_spent() {
            return Ok(done);
        }
    }
}

/// Moves a read mark forward by one batch. Each step sets a valid mark, which covers the oldest unread items.
fn advance_once(
    ctx: &mut WriteTx<'_>,
    user: UserKey,
    kind: Kind,
    view: &str,
    (to, read_at): (Stamp, Option<Stamp>),
    affected: &mut AffectedSenders,
    budget: &mut Budget,
) -> Result<bool, Error> {
    budget.charge_reads(1);
    if read_marks::get(ctx.tx, user, kind, view)?.is_some_and(|(mark, _)| mark >= to) {
        return Ok(true);
    }
    let group = if kind == Kind::Message { view.strip_prefix("group:") } else { None };
    let rows = budget.batch_rows();
    let mut step = to;
    for unread_state in COUNTED_STATES {
        step = step
            .min(covered_items::nth_unread(ctx.tx, user, kind, view, unread_state, to, rows)?.unwrap_or(to));
    }
    if let Some(group) = group {
        // Each message read by a member causes three writes: its read count, a receipt, and the sender's item.
        let read = groups::nth_unacknowledged(ctx.tx, user, group, to, budget.batch_rows_of_three_writes())?;
        step = step.min(read.unwrap_or(to));
    }
    let stamp = read_marks::set(ctx, user, kind, view, (step, read_at))?;
    budget.charge_writes(1);
    if kind == Kind::Message
        && let Some(peer) = view.strip_prefix("user:")
        && let Some(peer) = users::by_id(ctx.tx, peer)?
        && peer.key != user
    {
        // The other's pull says how far this user has read.
        budget.charge_reads(1);
        affected.insert(peer.key);
    }
    for unread_state in COUNTED_STATES {
        let covered = covered_items::cover(ctx, user, kind, view, unread_state, step)?;
        budget.charge_writes(covered);
    }
    if let Some(group) = group {
        let read = groups::ack(ctx, user, group, step, stamp, affected)?;
        budget.charge_writes(read.saturating_mul(3));
    }
    Ok(step == to)
}

/// Moves a read mark back as far as the budget permits; true when it has reached `to`. The items between become unread,
/// unless they are read individually, own or deleted. Those that are read individually come again in a pull, because
/// the mark had hidden their own `read_at`. The item created at `except` does not; the caller changes it itself.
pub(crate) fn rewind(
    ctx: &mut WriteTx<'_>,
    user: UserKey,
    kind: Kind,
    view: &str,
    (to, except): (Stamp, Stamp),
    budget: &mut Budget,
) -> Result<bool, Error> {
    loop {
        let done = rewind_once(ctx, user, kind, view, (to, except), budget)?;
        if done || budget.is_spent() {
            return Ok(done);
        }
    }
}

/// Moves a read mark back by one batch.
fn rewind_once(
    ctx: &mut WriteTx<'_>,
    user: UserKey,
    kind: Kind,
    view: &str,
    (to, except): (Stamp, Stamp),
    budget: &mut Budget,
) -> Result<bool, Error> {
    budget.charge_reads(1);
    let Some((old_mark, _)) = read_marks::get(ctx.tx, user, kind, view)?.filter(|(mark, _)| *mark > to)
    else {
        return Ok(true);
    };
    let n = budget.batch_rows().saturating_sub(1);
    let last = covered_items::nth_covered(ctx.tx, user, kind, view, (to, old_mark), n)?;
    let step = last.map_or(to, |at| at.plus_micros(-1));
    read_marks::set(ctx, user, kind, view, (step, None))?;
    let unread = covered_items::uncover(ctx, user, kind, view, (step, old_mark))?;
    // The items come after the mark, so that no reader has one before the mark that no longer covers it.
    let range = (step, old_mark);
    let restamped = covered_items::restamp_read_individually(ctx, user, kind, view, range, except)?;
    budget.charge_writes(unread + restamped + 1);
    Ok(step == to)
}
