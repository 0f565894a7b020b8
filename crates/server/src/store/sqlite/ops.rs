//! Operations on the items of an inbox, each id once. Refuses to decide what they do: the domain says, this writes.

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::wire::{Change, OpResult};
use tidings_model::{Code, Kind, MsgId, Stamp};

use super::work::Work;
use super::{counting, marking, row};
use crate::domain::account::UserKey;
use crate::domain::item::{Effect, Item};
use crate::error::Error;
use crate::store::{Applied, AskedOp, Ripple, Visit};

/// Where an item belongs.
pub(super) struct Place {
    pub(super) kind: Kind,
    pub(super) view: String,
}

/// One item of an inbox.
pub(super) fn item(
    conn: &Connection,
    user: UserKey,
    created_at: Stamp,
) -> Result<Option<(Place, Item)>, Error> {
    Ok(conn
        .prepare_cached(
            "SELECT i.created_at, i.stamp, i.version, i.kind, i.view, i.auto, i.own, i.seen_at, i.read_at,
                 i.archived_at, i.snoozed_until, i.deleted, v.mark, i.revised_at
             FROM items i LEFT JOIN views v ON i.auto = 1 AND v.user = i.user AND v.kind = i.kind AND v.view = i.view
             WHERE i.user = ?1 AND i.created_at = ?2",
        )?
        .query_row([user.0, created_at.as_micros()], |r| {
            let kind = Kind::from_row(r.get(3)?).unwrap_or(Kind::Reminder);
            Ok((Place { kind, view: r.get(4)? }, row::item(r)?))
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
pub(super) fn write(work: &Work<'_>, user: UserKey, after: &Item, stamp: Stamp) -> Result<(), Error> {
    work.tx
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
            after.standing().as_row(),
            after.seen_at.map(Stamp::as_micros),
            after.read_at.map(Stamp::as_micros),
            after.archived_at.map(Stamp::as_micros),
            after.snoozed_until.map(Stamp::as_micros),
            after.deleted,
            after.revised_at.map_or(0, Stamp::as_micros),
        ])?;
    Ok(())
}

/// Applies operations in order. One that was applied before, or is none, changes nothing.
pub(super) fn apply(
    work: &mut Work<'_>,
    user: UserKey,
    ops: Vec<AskedOp>,
    cap: u64,
) -> Result<Applied, Error> {
    let before = work.last();
    let mut ripple = Ripple::default();
    let mut results = Vec::with_capacity(ops.len());
    for AskedOp { id, op } in ops {
        let Some(op) = op else {
            results.push(OpResult { id, ok: false, code: Some(Code::Invalid) });
            continue;
        };
        if first_time(work, user, &id)? {
            change(work, user, &op.change, &mut ripple)?;
        }
        results.push(OpResult { id, ok: true, code: None });
    }
    let unread = counting::unread(work.tx, user, cap, work.now)?;
    Ok(Applied { results, unread, changed: work.last() != before, ripple })
}

fn first_time(work: &Work<'_>, user: UserKey, id: &str) -> Result<bool, Error> {
    let new = work
        .tx
        .prepare_cached("INSERT OR IGNORE INTO operations (user, id, at) VALUES (?1, ?2, ?3)")?
        .execute(params![user.0, id, work.now.as_micros()])?;
    Ok(new == 1)
}

fn change(work: &mut Work<'_>, user: UserKey, change: &Change, ripple: &mut Ripple) -> Result<(), Error> {
    match change {
        Change::Visit { view, at } => {
            let visit = at.map_or(Visit::Now, Visit::At);
            marking::visit(work, user, view, &visit, ripple)?;
        }
        Change::ReadAll { kind, through } => read_all(work, user, *kind, *through, ripple)?,
        _ => {
            for msgid in change.msgids().unwrap_or_default() {
                one(work, user, msgid, change, ripple)?;
            }
        }
    }
    Ok(())
}

/// Applies a change to one item; a name that is not in this inbox is nobody's mistake.
fn one(
    work: &mut Work<'_>,
    user: UserKey,
    msgid: &MsgId,
    change: &Change,
    ripple: &mut Ripple,
) -> Result<(), Error> {
    let Some(at) = created_at(work.tx, msgid)? else { return Ok(()) };
    let Some((place, item)) = item(work.tx, user, at)? else { return Ok(()) };
    match item.effect(change, work.last().next(work.now)) {
        Effect::Nothing => Ok(()),
        Effect::Becomes(after) => {
            let stamp = work.stamp();
            write(work, user, &after, stamp)
        }
        Effect::Forward(to) => marking::forward(work, user, place.kind, &place.view, to, ripple),
        Effect::Back(to) => {
            if item.mark.is_some_and(|mark| mark > to) {
                marking::back(work, user, place.kind, &place.view, to)?;
            }
            if item.read_at.is_some() {
                let stamp = work.stamp();
                let mark = item.mark.map(|mark| mark.min(to));
                write(work, user, &Item { read_at: None, mark, ..item }, stamp)?;
            }
            Ok(())
        }
    }
}

/// Everything created at or before a time: items of manual class by themselves, the others through their views.
fn read_all(
    work: &mut Work<'_>,
    user: UserKey,
    kind: Option<Kind>,
    through: Stamp,
    ripple: &mut Ripple,
) -> Result<(), Error> {
    let through = through.min(work.last());
    for kind in Kind::ALL.into_iter().filter(|k| kind.is_none_or(|wanted| wanted == *k)) {
        for view in unread_views(work, user, kind, through)? {
            marking::forward(work, user, kind, &view, through, ripple)?;
        }
        for at in unread_manual(work, user, kind, through)? {
            if let Some((_, item)) = item(work.tx, user, at)? {
                let stamp = work.stamp();
                write(work, user, &Item { read_at: Some(stamp), ..item }, stamp)?;
            }
        }
    }
    Ok(())
}

fn unread_views(work: &Work<'_>, user: UserKey, kind: Kind, through: Stamp) -> Result<Vec<String>, Error> {
    let mut rows = work.tx.prepare_cached(
        "SELECT DISTINCT view FROM items WHERE user = ?1 AND unread > 0 AND unread IN (1, 2) AND kind = ?2
             AND created_at <= ?3 AND auto = 1",
    )?;
    let views = rows
        .query_map(params![user.0, kind.as_row(), through.as_micros()], |r| r.get(0))?
        .collect::<Result<_, _>>()?;
    Ok(views)
}

fn unread_manual(work: &Work<'_>, user: UserKey, kind: Kind, through: Stamp) -> Result<Vec<Stamp>, Error> {
    let mut rows = work.tx.prepare_cached(
        "SELECT created_at FROM items WHERE user = ?1 AND unread > 0 AND unread IN (1, 2) AND kind = ?2
             AND created_at <= ?3 AND auto = 0",
    )?;
    let found = rows
        .query_map(params![user.0, kind.as_row(), through.as_micros()], |r| {
            Ok(Stamp::from_micros(r.get(0)?))
        })?
        .collect::<Result<_, _>>()?;
    Ok(found)
}
