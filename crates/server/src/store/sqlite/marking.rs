//! The marks of views: forward when they are looked at, back only for one item. Refuses to touch the items' versions:
//! who reads them derives their state from the mark.

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::{Kind, Stamp, View};

use super::portions::{Budget, LongWrite};
use super::write_context::WriteContext;
use super::{groups, ops};
use crate::domain::account::UserKey;
use crate::domain::item::UnreadState;
use crate::error::Error;
use crate::store::{AffectedSenders, Visit};

/// The kind and the view of a row.
pub(super) fn view_key(view: &View) -> (Kind, &str) {
    match view {
        View::Announcements => (Kind::Announcement, "all"),
        View::Conversation(id) => (Kind::Message, id),
        View::Target(id) => (Kind::Reminder, id),
    }
}

/// The view of a row.
pub(super) fn view(kind: Kind, id: String) -> View {
    match kind {
        Kind::Announcement => View::Announcements,
        Kind::Message => View::Conversation(id),
        Kind::Reminder => View::Target(id),
    }
}

/// A view's mark, and the stamp of its last move.
pub(super) fn mark(
    conn: &Connection,
    user: UserKey,
    kind: Kind,
    view: &str,
) -> Result<Option<(Stamp, Stamp)>, Error> {
    Ok(conn
        .prepare_cached("SELECT mark, stamp FROM views WHERE user = ?1 AND kind = ?2 AND view = ?3")?
        .query_row(params![user.0, kind.as_row(), view], |r| {
            Ok((Stamp::from_micros(r.get(0)?), Stamp::from_micros(r.get(1)?)))
        })
        .optional()?)
}

/// A look at a view.
pub(super) struct VisitWrite {
    user: UserKey,
    view: View,
    visit: Visit,
    /// Where the mark goes; known once the first portion ran.
    to: Option<Stamp>,
    pub(super) affected: AffectedSenders,
}

impl VisitWrite {
    pub(super) fn new(user: UserKey, view: View, visit: Visit) -> Self {
        Self { user, view, visit, to: None, affected: AffectedSenders::default() }
    }

    /// At most the newest stamp handed out: what comes later was not seen.
    pub(super) fn to(&self) -> Stamp {
        self.to.unwrap_or(Stamp::ZERO)
    }

    fn find(&self, ctx: &WriteContext<'_>) -> Result<Stamp, Error> {
        match &self.visit {
            // Stamps may run ahead of the clock: now is when the newest of them was handed out.
            Visit::Now => Ok(ctx.last_stamp()),
            Visit::At(at) => Ok((*at).min(ctx.last_stamp())),
            Visit::Item(msgid) => {
                let unknown = || Error::not_found("message in this conversation");
                let (kind, id) = view_key(&self.view);
                let at = ops::created_at(ctx.tx, msgid)?.ok_or_else(unknown)?;
                let (found, item) = ops::item(ctx.tx, self.user, at)?.ok_or_else(unknown)?;
                if found.kind != kind || found.view != id {
                    return Err(unknown());
                }
                Ok(item.content_at())
            }
        }
    }
}

impl LongWrite for VisitWrite {
    fn portion(&mut self, ctx: &mut WriteContext<'_>, budget: &mut Budget) -> Result<bool, Error> {
        let to = match self.to {
            Some(to) => to,
            None => self.find(ctx)?,
        };
        self.to = Some(to);
        let (kind, id) = view_key(&self.view);
        forward(ctx, self.user, kind, id, to, &mut self.affected, budget)
    }
}

const COUNTED_STATES: [UnreadState; 2] = [UnreadState::Unread, UnreadState::Archived];

/// Moves a mark forward, never back, as far as the budget goes; true once it is there.
pub(super) fn forward(
    ctx: &mut WriteContext<'_>,
    user: UserKey,
    kind: Kind,
    view: &str,
    to: Stamp,
    affected: &mut AffectedSenders,
    budget: &mut Budget,
) -> Result<bool, Error> {
    loop {
        let done = step_forward(ctx, user, kind, view, to, affected, budget)?;
        if done || budget.is_spent() {
            return Ok(done);
        }
    }
}

/// One batch of it. Each step is a mark like any other: it covers the oldest of what is unread.
fn step_forward(
    ctx: &mut WriteContext<'_>,
    user: UserKey,
    kind: Kind,
    view: &str,
    to: Stamp,
    affected: &mut AffectedSenders,
    budget: &mut Budget,
) -> Result<bool, Error> {
    budget.charge_reads(1);
    if mark(ctx.tx, user, kind, view)?.is_some_and(|(mark, _)| mark >= to) {
        return Ok(true);
    }
    let group = if kind == Kind::Message { view.strip_prefix("group:") } else { None };
    let rows = budget.batch_rows();
    let mut step = to;
    for unread_state in COUNTED_STATES {
        step = step.min(nth_unread(ctx, user, kind, view, unread_state, to, rows)?.unwrap_or(to));
    }
    if let Some(group) = group {
        // A message that is read by a member is written three times: its count, a receipt, and the sender's item.
        let read = groups::nth_unacknowledged(ctx.tx, user, group, to, budget.batch_rows_of_three_writes())?;
        step = step.min(read.unwrap_or(to));
    }
    let stamp = set(ctx, user, kind, view, step)?;
    budget.charge_writes(1);
    for unread_state in COUNTED_STATES {
        let covered = ctx
            .tx
            .prepare_cached(
                "UPDATE items INDEXED BY items_unread_of_view SET unread = 0 WHERE user = ?1 AND unread > 0
                     AND unread = ?5 AND kind = ?2 AND view = ?3 AND auto = 1 AND content_at <= ?4",
            )?
            .execute(params![user.0, kind.as_row(), view, step.as_micros(), unread_state.as_row()])?;
        budget.charge_writes(covered);
    }
    if let Some(group) = group {
        let read = groups::ack(ctx, user, group, step, stamp, affected)?;
        budget.charge_writes(read.saturating_mul(3));
    }
    Ok(step == to)
}

/// How far a mark has to reach to cover so many of what is unread with this standing; none where there are fewer.
fn nth_unread(
    ctx: &WriteContext<'_>,
    user: UserKey,
    kind: Kind,
    view: &str,
    unread_state: UnreadState,
    to: Stamp,
    n: usize,
) -> Result<Option<Stamp>, Error> {
    Ok(ctx
        .tx
        .prepare_cached(
            "SELECT content_at FROM items INDEXED BY items_unread_of_view WHERE user = ?1 AND unread > 0
                 AND unread = ?5 AND kind = ?2 AND view = ?3 AND auto = 1 AND content_at <= ?4
             ORDER BY content_at LIMIT 1 OFFSET ?6",
        )?
        .query_row(
            params![user.0, kind.as_row(), view, to.as_micros(), unread_state.as_row(), n.saturating_sub(1)],
            |r| Ok(Stamp::from_micros(r.get(0)?)),
        )
        .optional()?)
}

/// Which items a view's mark covers, by the time that it has to reach: conversations are never revised, and have an
/// index of their own.
const fn covered(kind: Kind) -> (&'static str, &'static str, &'static str) {
    match kind {
        Kind::Message => ("items_of_conversation", "kind = 3 AND deleted = 0", "created_at"),
        Kind::Announcement | Kind::Reminder => ("items_of_view", "kind < 3 AND auto = 1", "content_at"),
    }
}

/// Moves a mark back as far as the budget goes; true once it is there. What lies between is unread again, unless
/// something else says that it isn't.
pub(super) fn back(
    ctx: &mut WriteContext<'_>,
    user: UserKey,
    kind: Kind,
    view: &str,
    to: Stamp,
    budget: &mut Budget,
) -> Result<bool, Error> {
    loop {
        let done = step_back(ctx, user, kind, view, to, budget)?;
        if done || budget.is_spent() {
            return Ok(done);
        }
    }
}

/// One batch of it.
fn step_back(
    ctx: &mut WriteContext<'_>,
    user: UserKey,
    kind: Kind,
    view: &str,
    to: Stamp,
    budget: &mut Budget,
) -> Result<bool, Error> {
    budget.charge_reads(1);
    let Some((was, _)) = mark(ctx.tx, user, kind, view)?.filter(|(mark, _)| *mark > to) else {
        return Ok(true);
    };
    let (index, those, at) = covered(kind);
    let n = budget.batch_rows().saturating_sub(1);
    let last: Option<i64> = ctx
        .tx
        .prepare_cached(&format!(
            "SELECT content_at FROM items INDEXED BY {index} WHERE user = ?1 AND kind = ?2 AND view = ?3 AND {those}
                 AND {at} > ?4 AND {at} <= ?5 ORDER BY {at} DESC LIMIT 1 OFFSET ?6"
        ))?
        .query_row(params![user.0, kind.as_row(), view, to.as_micros(), was.as_micros(), n], |r| r.get(0))
        .optional()?;
    let step = last.map_or(to, |at| Stamp::from_micros(at).plus_micros(-1));
    set(ctx, user, kind, view, step)?;
    let unread = ctx
        .tx
        .prepare_cached(&format!(
            "UPDATE items INDEXED BY {index} SET unread = CASE WHEN archived_at IS NULL THEN 1 ELSE 2 END
             WHERE user = ?1 AND kind = ?2 AND view = ?3 AND {those} AND {at} > ?4 AND {at} <= ?5 AND auto = 1
                 AND own = 0 AND deleted = 0 AND read_at IS NULL"
        ))?
        .execute(params![user.0, kind.as_row(), view, step.as_micros(), was.as_micros()])?;
    budget.charge_writes(unread + 1);
    Ok(step == to)
}

fn set(ctx: &mut WriteContext<'_>, user: UserKey, kind: Kind, view: &str, to: Stamp) -> Result<Stamp, Error> {
    let stamp = ctx.next_stamp();
    ctx.tx
        .prepare_cached(
            "INSERT INTO views (user, kind, view, mark, stamp) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT DO UPDATE SET mark = excluded.mark, stamp = excluded.stamp",
        )?
        .execute(params![user.0, kind.as_row(), view, to.as_micros(), stamp.as_micros()])?;
    Ok(stamp)
}
