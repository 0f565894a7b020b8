//! Operations on the items of an inbox, each id once. Refuses to decide what they do: the domain says, this writes.

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::wire::{Change, OpResult, UnreadCounts};
use tidings_model::{Code, Kind, MsgId, Stamp};

use super::portions::{Budget, LongWrite};
use super::write_context::WriteContext;
use super::{conversations, marking, row};
use crate::domain::account::UserKey;
use crate::domain::item::{Effect, Item, UnreadState};
use crate::error::Error;
use crate::store::{AffectedSenders, Applied, RequestedOp};

/// Where an item belongs.
pub(super) struct ViewKey {
    pub(super) kind: Kind,
    pub(super) view: String,
}

/// One item of an inbox.
pub(super) fn item(
    conn: &Connection,
    user: UserKey,
    created_at: Stamp,
) -> Result<Option<(ViewKey, Item)>, Error> {
    Ok(conn
        .prepare_cached(
            "SELECT i.created_at, i.stamp, i.version, i.kind, i.view, i.auto, i.own, i.seen_at, i.read_at,
                 i.archived_at, i.snoozed_until, i.deleted, v.mark, i.revised_at
             FROM items i LEFT JOIN views v ON i.auto = 1 AND v.user = i.user AND v.kind = i.kind AND v.view = i.view
             WHERE i.user = ?1 AND i.created_at = ?2",
        )?
        .query_row([user.0, created_at.as_micros()], |r| {
            let kind = Kind::from_row(r.get(3)?).unwrap_or(Kind::Reminder);
            Ok((ViewKey { kind, view: r.get(4)? }, row::item(r)?))
        })
        .optional()?)
}

/// When a notification was created, if there is one of this name.
pub(super) fn created_at(conn: &Connection, msgid: &MsgId) -> Result<Option<Stamp>, Error> {
    Ok(conn
        .prepare_cached("SELECT created_at FROM notifications WHERE msgid = ?1")?
        .query_row([msgid.as_str()], |r| Ok(Stamp::from_micros(r.get(0)?)))
        .optional()?)
}

/// Writes what an item became, as its next version.
pub(super) fn write(ctx: &WriteContext<'_>, user: UserKey, after: &Item, stamp: Stamp) -> Result<(), Error> {
    ctx.tx
        .prepare_cached(
            "UPDATE items SET stamp = ?3, version = version + 1, auto = ?4, unread = ?5, seen_at = ?6, read_at = ?7,
                 archived_at = ?8, snoozed_until = ?9, deleted = ?10, revised_at = ?11
             WHERE user = ?1 AND created_at = ?2",
        )?
        .execute(params![
            user.0,
            after.created_at.as_micros(),
            stamp.as_micros(),
            after.auto,
            after.unread_state().as_row(),
            after.seen_at.map(Stamp::as_micros),
            after.read_at.map(Stamp::as_micros),
            after.archived_at.map(Stamp::as_micros),
            after.snoozed_until.map(Stamp::as_micros),
            after.deleted,
            after.revised_at.map_or(0, Stamp::as_micros),
        ])?;
    Ok(())
}

/// Operations on one inbox, in order; one that was applied before, or is none, changes nothing.
pub(super) struct OpsWrite {
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
    pub(super) fn new(user: UserKey, ops: Vec<RequestedOp>) -> Self {
        let results = Vec::with_capacity(ops.len());
        let (affected, changed) = (AffectedSenders::default(), false);
        Self { user, ops: ops.into_iter(), current: None, results, affected, changed }
    }

    /// What came of them, with the numbers after them.
    pub(super) fn applied(self, unread: UnreadCounts) -> Applied {
        Applied { results: self.results, unread, changed: self.changed, affected: self.affected }
    }

    fn go_on(&mut self, ctx: &mut WriteContext<'_>, budget: &mut Budget) -> Result<bool, Error> {
        loop {
            let Some(mut current) = self.current.take().or_else(|| self.next()) else { return Ok(true) };
            budget.charge_reads(1);
            // Another request with the same operation may have finished it between two portions.
            let known = is_applied(ctx, self.user, &current.id)?;
            if !known {
                if !current.go_on(ctx, self.user, &mut self.affected, budget)? {
                    self.current = Some(current);
                    return Ok(false);
                }
                note_applied(ctx, self.user, &current.id)?;
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
    fn portion(&mut self, ctx: &mut WriteContext<'_>, budget: &mut Budget) -> Result<bool, Error> {
        let before = ctx.last_stamp();
        let done = self.go_on(ctx, budget)?;
        self.changed |= ctx.last_stamp() != before;
        Ok(done)
    }
}

fn is_applied(ctx: &WriteContext<'_>, user: UserKey, id: &str) -> Result<bool, Error> {
    Ok(ctx
        .tx
        .prepare_cached("SELECT 1 FROM operations WHERE user = ?1 AND id = ?2")?
        .exists(params![user.0, id])?)
}

fn note_applied(ctx: &WriteContext<'_>, user: UserKey, id: &str) -> Result<(), Error> {
    ctx.tx.prepare_cached("INSERT INTO operations (user, id, at) VALUES (?1, ?2, ?3)")?.execute(params![
        user.0,
        id,
        ctx.now.as_micros()
    ])?;
    Ok(())
}

impl RunningOp {
    /// True once the operation is done.
    fn go_on(
        &mut self,
        ctx: &mut WriteContext<'_>,
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
                let (kind, id) = marking::view_key(view);
                marking::forward(ctx, user, kind, id, to, affected, budget)
            }
            Change::ReadAll { kind, through } => {
                let through = *progress.through.get_or_insert((*through).min(ctx.last_stamp()));
                read_all(ctx, user, *kind, through, &mut progress.cursor, affected, budget)
            }
            _ => {
                for msgid in change.msgids().unwrap_or_default().iter().skip(progress.items) {
                    if budget.is_spent()
                        || !one(ctx, user, msgid, change, &mut progress.mark_move, affected, budget)?
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

/// Applies a change to one item, true once it is done; a name that is not in this inbox is nobody's mistake.
fn one(
    ctx: &mut WriteContext<'_>,
    user: UserKey,
    msgid: &MsgId,
    change: &Change,
    mark_move: &mut Option<MarkMove>,
    affected: &mut AffectedSenders,
    budget: &mut Budget,
) -> Result<bool, Error> {
    budget.charge_reads(1);
    let next = match mark_move.take() {
        Some(next) => next,
        None => match begin(ctx, user, msgid, change, budget)? {
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
    ctx: &mut WriteContext<'_>,
    user: UserKey,
    msgid: &MsgId,
    change: &Change,
    budget: &mut Budget,
) -> Result<Option<MarkMove>, Error> {
    let Some(created_at) = created_at(ctx.tx, msgid)? else { return Ok(None) };
    budget.charge_reads(1);
    let Some((view_key, item)) = item(ctx.tx, user, created_at)? else { return Ok(None) };
    Ok(match item.effect(change, ctx.last_stamp().next(ctx.now)) {
        Effect::Unchanged => None,
        Effect::Update(after) => {
            let stamp = ctx.next_stamp();
            write(ctx, user, &after, stamp)?;
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
        ctx: &mut WriteContext<'_>,
        user: UserKey,
        affected: &mut AffectedSenders,
        budget: &mut Budget,
    ) -> Result<bool, Error> {
        match self {
            Self::Advance { view_key, to } => {
                marking::forward(ctx, user, view_key.kind, &view_key.view, *to, affected, budget)
            }
            Self::Rewind { view_key, to, created_at } => {
                if !marking::back(ctx, user, view_key.kind, &view_key.view, *to, budget)? {
                    return Ok(false);
                }
                if let Some((_, item)) = item(ctx.tx, user, *created_at)?
                    && item.read_at.is_some()
                {
                    let stamp = ctx.next_stamp();
                    write(ctx, user, &Item { read_at: None, ..item }, stamp)?;
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
    ctx: &mut WriteContext<'_>,
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
                && !marking::forward(ctx, user, kind, &view, through, affected, budget)?
            {
                cursor.view = Some(view);
                return Ok(false);
            }
            budget.charge_reads(1);
            let next = next_unread(ctx, user, kind, unread_state, cursor.after, through)?;
            let Some(unread) = next else { break };
            if unread.auto {
                if !marking::forward(ctx, user, kind, &unread.view, through, affected, budget)? {
                    cursor.view = Some(unread.view);
                    return Ok(false);
                }
                cursor.after = unread.created_at.as_micros();
            } else {
                // Those are not unread any more: the next look begins at the same place.
                budget.charge_writes(read_next(
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

/// Marks those of the next `rows` unread items that are of manual class as read, each at a stamp of its own in the order
/// of creation; answers how many.
fn read_next(
    ctx: &mut WriteContext<'_>,
    user: UserKey,
    (kind, unread_state): (Kind, UnreadState),
    after: i64,
    through: Stamp,
    rows: usize,
) -> Result<usize, Error> {
    let last: Option<i64> = ctx
        .tx
        .prepare_cached(
            "SELECT created_at FROM items INDEXED BY items_unread WHERE user = ?1 AND unread > 0 AND unread = ?2
                 AND kind = ?3 AND created_at > ?4 AND created_at <= ?5 ORDER BY created_at LIMIT 1 OFFSET ?6",
        )?
        .query_row(
            params![
                user.0,
                unread_state.as_row(),
                kind.as_row(),
                after,
                through.as_micros(),
                rows.saturating_sub(1)
            ],
            |r| r.get(0),
        )
        .optional()?;
    let last = last.unwrap_or(through.as_micros());
    ctx.assign_stamps(|tx, first| {
        Ok(tx
            .prepare_cached(
                "UPDATE items SET stamp = ?6 + m.nth, read_at = ?6 + m.nth, version = version + 1, unread = 0
                 FROM (SELECT created_at AS at, row_number() OVER (ORDER BY created_at) - 1 AS nth
                     FROM items INDEXED BY items_unread WHERE user = ?1 AND unread > 0 AND unread = ?2 AND kind = ?3
                         AND created_at > ?4 AND created_at <= ?5 AND auto = 0) AS m
                 WHERE items.user = ?1 AND items.created_at = m.at",
            )?
            .execute(params![
                user.0,
                unread_state.as_row(),
                kind.as_row(),
                after,
                last,
                first.as_micros()
            ])?)
    })
}

/// An item that counts, as far as reading everything has to know it.
struct Unread {
    created_at: Stamp,
    view: String,
    auto: bool,
}

fn next_unread(
    ctx: &WriteContext<'_>,
    user: UserKey,
    kind: Kind,
    unread_state: UnreadState,
    after: i64,
    through: Stamp,
) -> Result<Option<Unread>, Error> {
    Ok(ctx
        .tx
        .prepare_cached(
            "SELECT created_at, view, auto FROM items INDEXED BY items_unread WHERE user = ?1 AND unread > 0
                 AND unread = ?2 AND kind = ?3 AND created_at > ?4 AND created_at <= ?5 ORDER BY created_at LIMIT 1",
        )?
        .query_row(params![user.0, unread_state.as_row(), kind.as_row(), after, through.as_micros()], |r| {
            Ok(Unread { created_at: Stamp::from_micros(r.get(0)?), view: r.get(1)?, auto: r.get(2)? })
        })
        .optional()?)
}
