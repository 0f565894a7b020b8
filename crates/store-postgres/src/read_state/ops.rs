//! Applies operations to the items of an inbox, in their order and each id once.
//! [`tidings_store::domain::item::Item::effect`] has the rules.
//!
//! Operations that follow each other are looked at together. Their items are read by one statement, the rules are
//! applied in memory, and what changed is written by one statement. A move of a read mark that makes items unread goes
//! by itself.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use tidings_model::wire::{Change, OpResult};
use tidings_model::{Code, MsgId, Stamp};
use tidings_store::domain::account::UserKey;
use tidings_store::domain::draft::Post;
use tidings_store::domain::question::Reply;
use tidings_store::{AffectedSenders, Error, RequestedOp};

use super::items::{self, Changes, Loaded};
use super::read_all::{ReadAllCursor, read_all};
use super::rewind::Rewind;
use super::segment::{MarkedItems, Segment};
use super::{ViewKey, marks, view_key};
use crate::PostgresStore;
use crate::portions::{Finished, LongWrite, Portion, Progress, in_portions};
use crate::publishing::questions;
use crate::session::{Columns, Session, Values};
use crate::users;

/// `$1` the user, `$2` ids of operations.
const APPLIED: &str = "SELECT id FROM applied_ops WHERE user_key = $1 AND id = ANY($2)";

/// `$1` the user, `$2` ids of operations, `$3` the time.
const SET_APPLIED: &str =
    "INSERT INTO applied_ops (user_key, id, applied_at) SELECT $1, id, $3 FROM unnest($2::text[]) o (id)
    ON CONFLICT DO NOTHING";

/// What the operations of a request did.
pub(super) struct AppliedOps {
    /// One result for each operation.
    pub(super) results: Vec<OpResult>,
    /// Whether anything in the inbox changed.
    pub(super) changed: bool,
    /// Senders of messages that they have read.
    pub(super) affected: AffectedSenders,
    /// The publications whose questions they have answered.
    pub(super) answered: Vec<Post>,
}

/// Applies operations. One that was applied before, or is invalid, changes nothing.
pub(super) async fn apply(
    store: &PostgresStore,
    user: UserKey,
    ops: Vec<RequestedOp>,
) -> Result<AppliedOps, Error> {
    let work = OpsWrite {
        ops: Arc::from(ops),
        position: Position::default(),
        refused: BTreeMap::new(),
        answered: Vec::new(),
    };
    let Finished { work, changed, affected } = in_portions(store, user, work, BTreeSet::new()).await?;
    let result = |(nth, op): (usize, &RequestedOp)| {
        let invalid = op.op.is_none().then_some(Code::Invalid);
        let code = invalid.or_else(|| work.refused.get(&nth).copied());
        OpResult { id: op.id.clone(), ok: code.is_none(), code }
    };
    let results = work.ops.iter().enumerate().map(result).collect();
    Ok(AppliedOps { results, changed, affected, answered: work.answered })
}

/// The long write of a request's operations.
#[derive(Clone)]
struct OpsWrite {
    ops: Arc<[RequestedOp]>,
    position: Position,
    /// Why operations were refused, by their positions.
    refused: BTreeMap<usize, Code>,
    answered: Vec<Post>,
}

/// The progress of the operations between portions.
#[derive(Clone, Default)]
struct Position {
    /// The operations that are done.
    op: usize,
    /// The items of the next operation that are done.
    item: usize,
    /// The time up to which a view or everything is read, fixed at the start: later items are not affected.
    through: Option<Stamp>,
    /// The position of reading everything.
    read_all: ReadAllCursor,
    /// The unfinished moves of read marks back, and the position after them.
    rewinds: Vec<Rewind>,
    after_rewinds: (usize, usize),
}

impl LongWrite for OpsWrite {
    async fn portion(&mut self, portion: &mut Portion<'_, '_>) -> Result<Progress, Error> {
        while let Some(op) = self.ops.get(self.position.op) {
            if portion.budget.is_spent() {
                return Ok(Progress::More);
            }
            let progress = match op.op.as_ref().map(|op| &op.change) {
                None => {
                    self.position.next_op();
                    continue;
                }
                Some(Change::Mark { .. }) => marks_segment(&self.ops, &mut self.position, portion).await?,
                Some(Change::Answer { msgids: [msgid], answer, text, at }) => {
                    let reply = (answer.as_deref(), text.as_deref(), *at);
                    match answer_question(&op.id, msgid, reply, portion).await? {
                        Some(Ok(post)) => self.answered.push(post),
                        Some(Err(code)) => drop(self.refused.insert(self.position.op, code)),
                        None => {}
                    }
                    self.position.next_op();
                    // The log is locked, which comes last.
                    return Ok(Progress::More);
                }
                Some(change) => {
                    let progress = whole_view(&op.id, change, &mut self.position, portion).await?;
                    if matches!(progress, Progress::Done) {
                        self.position.next_op();
                    }
                    progress
                }
            };
            if !matches!(progress, Progress::Done) {
                return Ok(progress);
            }
        }
        Ok(Progress::Done)
    }
}

impl Position {
    fn next_op(&mut self) {
        *self = Self { op: self.op + 1, ..Self::default() };
    }
}

/// Continues an operation that visits a view or reads everything.
async fn whole_view(
    id: &str,
    change: &Change,
    position: &mut Position,
    portion: &mut Portion<'_, '_>,
) -> Result<Progress, Error> {
    // Another request with the same operation may have finished it between two portions.
    if !applied(portion.tx, portion.user, &[id]).await?.is_empty() {
        return Ok(Progress::Done);
    }
    let newest = portion.locked.newest_created;
    let progress = match change {
        Change::Visit { view, at } => {
            let to = *position.through.get_or_insert(at.map_or(newest, |at| at.min(newest)));
            let (kind, id) = view_key(view);
            marks::advance(portion, &ViewKey { kind, view: id.to_owned() }, to, None).await?
        }
        Change::ReadAll { kind, through } => {
            let through = *position.through.get_or_insert((*through).min(newest));
            read_all(portion, *kind, through, &mut position.read_all).await?
        }
        Change::Mark { .. } | Change::Answer { .. } => Progress::Done,
    };
    if matches!(progress, Progress::Done) {
        set_applied(portion, &[id]).await?;
    }
    Ok(progress)
}

/// Answers a question; `None` if the operation was applied before, or the inbox has no such item.
async fn answer_question(
    id: &str,
    msgid: &MsgId,
    (answer, text, at): (Option<&str>, Option<&str>, Option<Stamp>),
    portion: &mut Portion<'_, '_>,
) -> Result<Option<Result<Post, Code>>, Error> {
    let user = portion.user;
    if !applied(portion.tx, user, &[id]).await?.is_empty() {
        return Ok(None);
    }
    let found = items::with_msgids(portion.tx, user, &[msgid.as_str()]).await?.pop();
    let Some(Loaded { item, .. }) = found.filter(|found| !found.item.deleted) else {
        set_applied(portion, &[id]).await?;
        return Ok(None);
    };
    let by = users::id_of(portion.tx, user).await?;
    let reply = Reply { by: &by, answer, text, at };
    let Some(answered) = questions::answer(portion.tx, msgid, reply).await? else {
        set_applied(portion, &[id]).await?;
        return Ok(None);
    };
    if answered.is_ok() {
        let after = item.answered(at, portion.locked.mark_clock(user));
        let mut changes = Changes::default();
        changes.push(&after, portion.locked.next_stamp(user));
        changes.write(portion.tx, user).await?;
        set_applied(portion, &[id]).await?;
    }
    Ok(Some(answered))
}

/// The ids among these of operations that were applied.
async fn applied(db: &Session, user: UserKey, ids: &[&str]) -> Result<HashSet<String>, Error> {
    db.query(APPLIED, &[&user.0, &ids]).await?.iter().map(|row| row.at(0)).collect()
}

async fn set_applied(portion: &mut Portion<'_, '_>, ids: &[&str]) -> Result<(), Error> {
    if !ids.is_empty() {
        let values: Values<'_> = &[&portion.user.0, &ids, &portion.tx.now.as_micros()];
        portion.tx.execute(SET_APPLIED, values).await?;
        portion.budget.charge(ids.len());
    }
    Ok(())
}

/// Continues operations that put marks on items, from the position to the end of a segment.
async fn marks_segment(
    ops: &[RequestedOp],
    position: &mut Position,
    portion: &mut Portion<'_, '_>,
) -> Result<Progress, Error> {
    if position.rewinds.is_empty() {
        let segment = Segment::of(ops, (position.op, position.item), portion.bounds.segment_steps);
        let skipped = skipped(ops, &segment, position.op, portion).await?;
        let mut inbox = MarkedItems::load(portion, &segment.steps).await?;
        let mut end = segment.end;
        for (nth, step) in segment.steps.iter().enumerate() {
            if skipped.contains(&step.op) || !inbox.apply(portion, step) {
                continue;
            }
            if nth == 0 {
                let (rewinds, count) = inbox.rewinds(portion, &segment.steps, &skipped);
                position.rewinds = rewinds;
                position.after_rewinds = segment.position_after(count);
            } else {
                // What comes before is written first, because this depends on it.
                end = (step.op, step.item);
            }
            break;
        }
        if position.rewinds.is_empty() {
            let progress = inbox.write(portion).await?;
            if matches!(progress, Progress::Done) {
                finish(ops, position, portion, end).await?;
            }
            return Ok(progress);
        }
    }
    while let Some(rewind) = position.rewinds.last() {
        match rewind.advance(portion).await? {
            Progress::Done => drop(position.rewinds.pop()),
            progress => return Ok(progress),
        }
    }
    let end = position.after_rewinds;
    finish(ops, position, portion, end).await?;
    Ok(Progress::Done)
}

/// The operations of a segment that were applied before, or that have the id of another one before them.
async fn skipped(
    ops: &[RequestedOp],
    segment: &Segment<'_>,
    first: usize,
    portion: &Portion<'_, '_>,
) -> Result<HashSet<usize>, Error> {
    let end = segment.end.0.max(first + 1);
    let of_segment = || ops.iter().enumerate().take(end).skip(first);
    let ids: Vec<&str> = of_segment().map(|(_, op)| op.id.as_str()).collect();
    let known = applied(portion.tx, portion.user, &ids).await?;
    let mut seen = HashSet::new();
    Ok(of_segment()
        .filter(|(_, op)| !seen.insert(op.id.as_str()) || known.contains(&op.id))
        .map(|(nth, _)| nth)
        .collect())
}

/// Goes on to a position; the operations before it are applied.
async fn finish(
    ops: &[RequestedOp],
    position: &mut Position,
    portion: &mut Portion<'_, '_>,
    (op, item): (usize, usize),
) -> Result<(), Error> {
    let ids: Vec<&str> = ops.iter().take(op).skip(position.op).map(|op| op.id.as_str()).collect();
    set_applied(portion, &ids).await?;
    *position = Position { op, item, ..Position::default() };
    Ok(())
}
