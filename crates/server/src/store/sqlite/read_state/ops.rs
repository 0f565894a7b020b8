//! Applies operations to the items of an inbox, each id once. What an operation does to an item is decided by
//! [`Item::effect`].

use tidings_model::wire::{Change, OpResult, UnreadCounts};
use tidings_model::{Code, Kind, Mark, MsgId, Stamp};

use super::marks;
use crate::domain::account::UserKey;
use crate::domain::item::{Effect, Item, UnreadState};
use crate::error::Error;
use crate::store::sqlite::portions::{Budget, LongWrite};
use crate::store::sqlite::tables::items::ViewKey;
use crate::store::sqlite::tables::{applied_ops, conversations, items, notifications, read_marks};
use crate::store::sqlite::write_tx::WriteTx;
use crate::store::{AffectedSenders, Applied, RequestedOp};

/// Operations on one inbox, in order; one that was applied before, or is none, changes nothing.
pub(crate) struct OpsWrite {
    user: UserKey,
    ops: std::vec::IntoIter<RequestedOp>,
    current: Option<RunningOp>,
    results: Vec<OpResult>,
    affected: AffectedSenders,
    changed: bool,
}

/// The operation that is under way.
struct RunningOp {
    id: String,
    change: Change,
    progress: Progress,
}

/// How far an operation got.
#[derive(Default)]
struct Progress {
    /// How many of its items are done.
    items: usize,
    /// What the item after them needs of its view's mark.
    mark_move: Option<MarkMove>,
    /// Up to where a view or everything is read; what comes later was not meant.
    through: Option<Stamp>,
    /// How far everything is read.
    cursor: ReadAllCursor,
}

/// A mark on its way.
enum MarkMove {
    Advance { view_key: ViewKey, to: Stamp },
    Rewind { view_key: ViewKey, to: Stamp, created_at: Stamp },
}

/// Where the walk over unread items is: kinds and standings one after the other, each by the time of creation.
#[derive(Default)]
struct ReadAllCursor {
    range: usize,
    after: i64,
    /// The view whose mark is on its way.
    view: Option<String>,
}

impl OpsWrite {
    pub(crate) fn new(user: UserKey, ops: Vec<RequestedOp>) -> Self {
        let results = Vec::with_capacity(ops.len());
        let (affected, changed) = (AffectedSenders::default(), false);
        Self { user, ops: ops.into_iter(), current: None, results, affected, changed }
    }

    /// What came of them, with the numbers after them.
    pub(crate) fn applied(self, unread: UnreadCounts) -> Applied {
        Applied { results: self.results, unread, changed: self.changed, affected: self.affected }
    }

    fn go_on(&mut self, ctx: &mut WriteTx<'_>, budget: &mut Budget) -> Result<bool, Error> {
        loop {
            let Some(mut current) = self.current.take().or_else(|| self.next()) else { return Ok(true) };
            budget.charge_reads(1);
            // Another request with the same operation may have finished it between two portions.
            let known = applied_ops::contains(ctx, self.user, &current.id)?;
            if !known {
                if !current.go_on(ctx, self.user, &mut self.affected, budget)? {
                    self.current = Some(current);
                    return Ok(false);
                }
                applied_ops::insert(ctx, self.user, &current.id)?;
                budget.charge_writes(1);
            }
            self.results.push(OpResult { id: current.id, ok: true, code: None });
            if budget.is_spent() {
                return Ok(false);
            }
        }
    }

    /// The next operation; those that are none are answered on the way.
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
        let done = self.go_on(ctx, budget)?;
        self.changed |= ctx.last_stamp() != before;
        Ok(done)
    }
}

impl RunningOp {
    /// True once the operation is done.
    fn go_on(
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
                marks::advance(ctx, user, kind, id, to, affected, budget)
            }
            Change::ReadAll { kind, through } => {
                let through = *progress.through.get_or_insert((*through).min(ctx.last_stamp()));
                read_all(ctx, user, *kind, through, &mut progress.cursor, affected, budget)
            }
            Change::Mark { mark, msgids } => {
                for msgid in msgids.iter().skip(progress.items) {
                    if budget.is_spent()
                        || !one(ctx, user, msgid, *mark, &mut progress.mark_move, affected, budget)?
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

/// Puts a mark on one item, true once it is done; a name that is not in this inbox is nobody's mistake.
fn one(
    ctx: &mut WriteTx<'_>,
    user: UserKey,
    msgid: &MsgId,
    mark: Mark,
    mark_move: &mut Option<MarkMove>,
    affected: &mut AffectedSenders,
    budget: &mut Budget,
) -> Result<bool, Error> {
    budget.charge_reads(1);
    let next = match mark_move.take() {
        Some(next) => next,
        None => match begin(ctx, user, msgid, mark, budget)? {
            Some(next) => next,
            None => return Ok(true),
        },
    };
    let done = next.go_on(ctx, user, affected, budget)?;
    if !done {
        *mark_move = Some(next);
    }
    Ok(done)
}

/// Writes what concerns the item alone, and answers how the mark of its view has to move, if it has to.
fn begin(
    ctx: &mut WriteTx<'_>,
    user: UserKey,
    msgid: &MsgId,
    mark: Mark,
    budget: &mut Budget,
) -> Result<Option<MarkMove>, Error> {
    let Some(created_at) = notifications::created_at(ctx.tx, msgid)? else { return Ok(None) };
    budget.charge_reads(1);
    let Some((view_key, item)) = items::get(ctx.tx, user, created_at)? else { return Ok(None) };
    Ok(match item.effect(mark, ctx.last_stamp().next(ctx.now)) {
        Effect::Unchanged => None,
        Effect::Update(after) => {
            let stamp = ctx.next_stamp();
            items::update(ctx, user, &after, stamp)?;
            if after.deleted && view_key.kind == Kind::Message {
                conversations::message_deleted(ctx, user, &view_key.view, created_at)?;
            }
            budget.charge_writes(1);
            None
        }
        Effect::AdvanceMark(to) => Some(MarkMove::Advance { view_key, to }),
        Effect::RewindMark(to) => Some(MarkMove::Rewind { view_key, to, created_at }),
    })
}

impl MarkMove {
    fn go_on(
        &self,
        ctx: &mut WriteTx<'_>,
        user: UserKey,
        affected: &mut AffectedSenders,
        budget: &mut Budget,
    ) -> Result<bool, Error> {
        match self {
            Self::Advance { view_key, to } => {
                marks::advance(ctx, user, view_key.kind, &view_key.view, *to, affected, budget)
            }
            Self::Rewind { view_key, to, created_at } => {
                if !marks::rewind(ctx, user, view_key.kind, &view_key.view, *to, budget)? {
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

/// Reads everything created at or before a time, true once it is done: items of manual class by themselves, the others
/// through their views.
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
            // What was unread in it may be read by now, and what is the user's own not yet covered.
            if let Some(view) = cursor.view.take()
                && !marks::advance(ctx, user, kind, &view, through, affected, budget)?
            {
                cursor.view = Some(view);
                return Ok(false);
            }
            budget.charge_reads(1);
            let next = items::next_unread(ctx.tx, user, kind, unread_state, cursor.after, through)?;
            let Some(unread) = next else { break };
            if unread.auto {
                if !marks::advance(ctx, user, kind, &unread.view, through, affected, budget)? {
                    cursor.view = Some(unread.view);
                    return Ok(false);
                }
                cursor.after = unread.created_at.as_micros();
            } else {
                // Those are not unread any more: the next look begins at the same place.
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
