//! Applies operations to the items of an inbox, each id once.
//! [`Item::effect`](tidings_store::domain::item::Item::effect) has the rules.

mod marking;

use tidings_model::wire::{Change, OpResult, UnreadCounts};
use tidings_model::{Code, Kind, Stamp};
use tidings_store::domain::account::UserKey;
use tidings_store::domain::draft::Post;
use tidings_store::domain::item::UnreadState;
use tidings_store::{AffectedSenders, Applied, Error, RequestedOp};

use self::marking::mark_item;
pub(crate) use self::marking::{MarkMove, mark_at};
use super::marks;
use crate::portions::{Budget, LongWrite};
use crate::publishing::questions;
use crate::tables::{applied_ops, items, read_marks};
use crate::write_tx::WriteTx;

/// Rows that an answer writes: the publication, the open question and the item.
const ANSWER_ROWS: usize = 3;

/// The long write of a request's operations, in their order. An operation that was applied before or is invalid changes
/// nothing.
pub(crate) struct OpsWrite {
    user: UserKey,
    ops: std::vec::IntoIter<RequestedOp>,
    current: Option<RunningOp>,
    results: Vec<OpResult>,
    affected: AffectedSenders,
    answered: Vec<Post>,
    changed: bool,
}

/// The operation that is being applied.
struct RunningOp {
    id: String,
    change: Change,
    progress: Progress,
}

/// The progress of an operation between portions.
#[derive(Default)]
struct Progress {
    /// The number of its items that are done.
    items: usize,
    /// The unfinished move of a read mark for the next item.
    mark_move: Option<MarkMove>,
    /// The time up to which a view or everything is read, fixed at the start: later items are not affected.
    through: Option<Stamp>,
    /// The position of reading everything.
    cursor: ReadAllCursor,
}

/// The position among unread items: ranges of kind and state one after the other, each in the order of creation.
#[derive(Default)]
struct ReadAllCursor {
    range: usize,
    after: i64,
    /// The view whose read mark is being moved.
    view: Option<String>,
}

impl OpsWrite {
    pub(crate) fn new(user: UserKey, ops: Vec<RequestedOp>) -> Self {
        let results = Vec::with_capacity(ops.len());
        let (affected, changed) = (AffectedSenders::default(), false);
        let ops = ops.into_iter();
        Self { user, ops, current: None, results, affected, answered: Vec::new(), changed }
    }

    /// The results, with the unread counts after the operations.
    pub(crate) fn applied(self, unread: UnreadCounts) -> Applied {
        Applied {
            results: self.results,
            unread,
            changed: self.changed,
            affected: self.affected,
            answered: self.answered,
        }
    }

    fn advance(&mut self, ctx: &mut WriteTx<'_>, budget: &mut Budget) -> Result<bool, Error> {
        loop {
            let Some(mut current) = self.current.take().or_else(|| self.next()) else { return Ok(true) };
            budget.charge_reads(1);
            // Another request with the same operation may have finished it between two portions.
            let known = applied_ops::contains(ctx, self.user, &current.id)?;
            let refused = if known { None } else { self.answer(ctx, &current.change, budget)? };
            if !known && refused.is_none() {
                if !current.advance(ctx, self.user, &mut self.affected, budget)? {
                    self.current = Some(current);
                    return Ok(false);
                }
                applied_ops::insert(ctx, self.user, &current.id)?;
                budget.charge_writes(1);
            }
            self.results.push(OpResult { id: current.id, ok: refused.is_none(), code: refused });
            if budget.is_spent() {
                return Ok(false);
            }
        }
    }

    /// Answers a question, if that is the change; gives the code if it is refused.
    fn answer(
        &mut self,
        ctx: &mut WriteTx<'_>,
        change: &Change,
        budget: &mut Budget,
    ) -> Result<Option<Code>, Error> {
        let Change::Answer { msgids: [msgid], answer, text, at } = change else { return Ok(None) };
        budget.charge_writes(ANSWER_ROWS);
        let reply = (answer.as_deref(), text.as_deref(), *at);
        match questions::answer(ctx, self.user, msgid, reply)? {
            Some(Ok(post)) => self.answered.push(post),
            Some(Err(code)) => return Ok(Some(code)),
            None => {}
        }
        Ok(None)
    }

    /// The next valid operation; invalid ones before it get their result.
    fn next(&mut self) -> Option<RunningOp> {
        for RequestedOp { id, op } in self.ops.by_ref() {
            match op {
                Some(op) => return Some(RunningOp { id, change: op.change, progress: Progress::default() }),
                None => self.results.push(OpResult { id, ok: false, code: Some(Code::Invalid) }),
            }
        }
        None
    }
}

impl LongWrite for OpsWrite {
    fn portion(&mut self, ctx: &mut WriteTx<'_>, budget: &mut Budget) -> Result<bool, Error> {
        let before = ctx.last_stamp();
        let done = self.advance(ctx, budget)?;
        self.changed |= ctx.last_stamp() != before;
        Ok(done)
    }
}

impl RunningOp {
    /// Continues the operation; true when it is done.
    fn advance(
        &mut self,
        ctx: &mut WriteTx<'_>,
        user: UserKey,
        affected: &mut AffectedSenders,
        budget: &mut Budget,
    ) -> Result<bool, Error> {
        let Self { change, progress, .. } = self;
        match change {
            Change::Visit { view, at } => {
                let to = *progress
                    .through
                    .get_or_insert(at.map_or(ctx.last_stamp(), |at| at.min(ctx.last_stamp())));
                let (kind, id) = read_marks::view_key(view);
                marks::advance(ctx, user, kind, id, (to, None), affected, budget)
            }
            Change::ReadAll { kind, through } => {
                let through = *progress.through.get_or_insert((*through).min(ctx.last_stamp()));
                read_all(ctx, user, *kind, through, &mut progress.cursor, affected, budget)
            }
            // It is given before.
            Change::Answer { .. } => Ok(true),
            Change::Mark { mark, msgids, at } => {
                let mark = (*mark, *at);
                for msgid in msgids.iter().skip(progress.items) {
                    if budget.is_spent()
                        || !mark_item(ctx, user, msgid, mark, &mut progress.mark_move, affected, budget)?
                    {
                        return Ok(false);
                    }
                    progress.items += 1;
                }
                Ok(true)
            }
        }
    }
}

/// Reads everything created up to a time; true when it is done. Items of manual class are marked individually, those of
/// auto class by their view's read mark.
fn read_all(
    ctx: &mut WriteTx<'_>,
    user: UserKey,
    kind: Option<Kind>,
    through: Stamp,
    cursor: &mut ReadAllCursor,
    affected: &mut AffectedSenders,
    budget: &mut Budget,
) -> Result<bool, Error> {
    let ranges = Kind::ALL
        .into_iter()
        .filter(|k| kind.is_none_or(|wanted| wanted == *k))
        .flat_map(|kind| [(kind, UnreadState::Unread), (kind, UnreadState::Archived)]);
    for (kind, unread_state) in ranges.skip(cursor.range) {
        loop {
            if budget.is_spent() {
                return Ok(false);
            }
            // An unfinished move is completed even if no unread item is left in the view, so that the mark also
            // covers the user's own items.
            if let Some(view) = cursor.view.take()
                && !marks::advance(ctx, user, kind, &view, (through, None), affected, budget)?
            {
                cursor.view = Some(view);
                return Ok(false);
            }
            budget.charge_reads(1);
            let next = items::next_unread(ctx.tx, user, kind, unread_state, cursor.after, through)?;
            let Some(unread) = next else { break };
            if unread.auto {
                if !marks::advance(ctx, user, kind, &unread.view, (through, None), affected, budget)? {
                    cursor.view = Some(unread.view);
                    return Ok(false);
                }
                cursor.after = unread.created_at.as_micros();
            } else {
                // These items have left the index of unread items, so the next search starts at the same position.
                budget.charge_writes(items::read_next(
                    ctx,
                    user,
                    (kind, unread_state),
                    cursor.after,
                    through,
                    budget.batch_rows(),
                )?);
            }
        }
        cursor.range += 1;
        cursor.after = 0;
    }
    Ok(true)
}
