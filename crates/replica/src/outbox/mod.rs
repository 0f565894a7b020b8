//! The outbox: queues local operations, hands them out to be sent, and removes them when the server answers. The
//! server's state of the items that they change is kept in `server_state` meanwhile.
//!
//! An operation says when the reader acted, by the clock of the source's server and never before what a pull has
//! shown. The offset of that clock comes from `/info` (`sources.clock_offset`); snoozes and questions end by it. A
//! `read_all` has no time, so a mark that follows one in the outbox has none either.

pub(crate) mod answers;
pub(crate) mod batching;
pub(crate) mod overlay;
pub(crate) mod read_all_answer;
mod subscriptions;
pub(crate) mod view_marks;

use rusqlite::{Connection, params};
use tidings_model::{MsgId, Stamp, View, wire};
use tidings_replica_tables::aggregates::Aggregates;
use tidings_replica_tables::columns::count;
use tidings_replica_tables::item_state::ItemState;
use tidings_replica_tables::outbox::{Named, NewOperation, Unanswered, ViewMove, new_id};
use tidings_replica_tables::sql;
use tidings_replica_tables::{items, outbox, sources, views};

use self::overlay::{AppliedMark, Overlay};
use crate::{ItemId, Mark, Result, SourceId};

/// The most items that one operation names.
pub(crate) const MAX_NAMED_ITEMS: usize = 500;
/// The same if each item is a request to the service: an operation that was interrupted is sent again.
const MAX_NAMED_SERVICE_ITEMS: usize = 20;

/// Queues one operation that puts a mark on items, and returns its key.
pub(crate) fn push_mark(
    tx: &Connection,
    source: SourceId,
    mark: Mark,
    msgids: Vec<MsgId>,
    now: Stamp,
) -> Result<i64> {
    if !mark.is_of_items() {
        return Err(crate::Error::Invalid("no server keeps the settings of threads".into()));
    }
    let at = sources::acted_at(tx, source, now)?;
    let change = wire::Change::Mark { mark, msgids, at: sent_at(tx, source, at)? };
    let op = NewOperation { source, name: mark.name(), at: mark.until(), kind: None, change: &change };
    outbox::insert(tx, &new_id(), &op, at)
}

/// The time that an operation is sent with. A `read_all` counts when it comes, so what follows it has to count no
/// earlier.
fn sent_at(tx: &Connection, source: SourceId, at: Stamp) -> Result<Option<Stamp>> {
    Ok(if outbox::has_waiting_read_all(tx, source)? { None } else { Some(at) })
}

/// Queues an operation that moves a view's mark forward, and returns its key.
pub(crate) fn push_visit(
    tx: &Connection,
    source: SourceId,
    view: &View,
    at: Stamp,
    now: Stamp,
) -> Result<i64> {
    let change = wire::Change::Visit { view: view.clone(), at: Some(at) };
    let op = NewOperation { source, name: "visit", at: Some(at), kind: None, change: &change };
    outbox::insert(tx, &new_id(), &op, now)
}

/// Queues a mark on items, in as many operations as needed.
pub(crate) fn queue(
    tx: &Connection,
    source: SourceId,
    mark: Mark,
    named: &[Named],
    now: Stamp,
) -> Result<()> {
    if named.is_empty() {
        return Ok(());
    }
    let takes_many = sources::stores_view_marks(tx, source)?;
    for chunk in named.chunks(if takes_many { MAX_NAMED_ITEMS } else { MAX_NAMED_SERVICE_ITEMS }) {
        let msgids = chunk.iter().map(|n| n.msgid.clone()).collect();
        let seq = push_mark(tx, source, mark, msgids, now)?;
        chunk.iter().try_for_each(|one| outbox::add_item(tx, seq, one))?;
    }
    Ok(())
}

/// The oldest operations of a source, up to a number and to their bytes; records that they are being sent.
pub(crate) fn pending(
    tx: &Connection,
    source: SourceId,
    (most, bytes): (usize, usize),
) -> Result<Vec<wire::Op>> {
    let found = outbox::oldest(tx, source, most, bytes)?;
    if let Some((last, _)) = found.last() {
        sources::advance_tick(tx, source)?;
        outbox::set_sent(tx, source, *last)?;
    }
    Ok(found.into_iter().map(|(_, op)| op).collect())
}

/// Splits answers into portions, so that the operations of a portion name at most so many items together, if possible.
pub(crate) fn portions(
    conn: &Connection,
    source: SourceId,
    results: &[wire::OpResult],
    most: usize,
) -> Result<Vec<Vec<wire::OpResult>>> {
    let most = most as u64;
    let mut names = conn.prepare_cached(
        "SELECT count(*) FROM outbox o JOIN outbox_items x ON x.op = o.seq WHERE o.source = ?1 AND o.id = ?2",
    )?;
    let mut is_read_all = conn.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM outbox WHERE source = ?1 AND id = ?2 AND operation = 'read_all')",
    )?;
    let (mut portions, mut portion, mut items) = (Vec::new(), Vec::new(), 0);
    for result in results {
        // A `read_all` names no items, and its first portion is a full one.
        let more = if is_read_all.query_row(params![source, result.id], |r| r.get(0))? {
            most
        } else {
            names.query_row(params![source, result.id], |r| count(r, 0))? + 1
        };
        if items + more > most && !portion.is_empty() {
            portions.push(std::mem::take(&mut portion));
            items = 0;
        }
        items += more;
        portion.push(result.clone());
    }
    portions.extend(Some(portion).filter(|portion| !portion.is_empty()));
    Ok(portions)
}

/// Removes answered operations; `true` if an answered `read_all` is not settled yet.
pub(crate) fn acknowledge(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    source: SourceId,
    results: &[wire::OpResult],
    (now, most): (Stamp, usize),
) -> Result<bool> {
    for result in results {
        let Some(op) = outbox::unanswered(tx, source, &result.id)? else { continue };
        if !result.ok {
            tracing::warn!(source, op = op.name, code = ?result.code, "the server refused a mark");
        }
        if answers::acknowledged(tx, aggregates, op.seq, result, now)? {
            continue;
        }
        if op.name == "read_all" {
            read_all_answer::begin(tx, source, op.seq, result.ok)?;
            read_all_answer::portion(tx, aggregates, source, (now, most))?;
        } else {
            remove_answered(tx, aggregates, source, &op, result.ok, now)?;
        }
    }
    read_all_answer::has_unsettled(tx, source)
}

fn remove_answered(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    source: SourceId,
    op: &Unanswered,
    ok: bool,
    now: Stamp,
) -> Result<()> {
    let (items, views) = (outbox::items_of(tx, op.seq)?, outbox::views_of(tx, op.seq, usize::MAX)?);
    outbox::delete(tx, op.seq)?;
    let overlay = Overlay::of(tx, source)?;
    let mark = outbox::mark(&op.name, op.at);
    let (when, sent_tick) = (op.written_at, op.sent_tick);
    let applied = mark.filter(|_| ok).map(|mark| AppliedMark { mark, when, sent_tick, gives_way: true });
    let undelete = !ok && mark == Some(Mark::Delete);
    for item in items {
        settle(tx, aggregates, &overlay, item, applied, undelete, now)?;
    }
    for one in views {
        settle_view(tx, aggregates, one.view, Some(one).filter(|_| ok), op.sent_tick, now)?;
    }
    Ok(())
}

/// Recomputes an item's marks after an operation on it left the outbox.
pub(crate) fn settle(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    overlay: &Overlay,
    item: ItemId,
    applied: Option<AppliedMark>,
    undelete: bool,
    now: Stamp,
) -> Result<()> {
    let Some(before) = ItemState::get(tx, item)? else { return Ok(()) };
    let mut after = before.clone();
    after.deleted &= !undelete;
    overlay.settle(tx, &mut after, applied)?;
    after.derive(now);
    count_change(tx, aggregates, &before, &after)?;
    after.write(tx)
}

/// Reports the thread of an item as changed.
pub(crate) fn touch(tx: &Connection, aggregates: &mut Aggregates<'_>, item: ItemId) -> Result<()> {
    match ItemState::get(tx, item)? {
        Some(item) => aggregates.touch(item.thread),
        None => Ok(()),
    }
}

/// Counts an item's new state in place of the old one.
pub(crate) fn count_change(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    before: &ItemState,
    after: &ItemState,
) -> Result<()> {
    match (before.deleted, after.deleted) {
        (false, false) => aggregates.change_item(after.thread, &before.flags(), &after.flags()),
        (true, false) => {
            let actor = items::other_actor(tx, after)?;
            aggregates.add_item(after.thread, &after.flags(), actor.as_ref())
        }
        (false, true) => {
            let actor = items::other_actor(tx, before)?;
            aggregates.remove_item(before.thread, &before.flags(), actor.as_ref().map(|a| &*a.id))
        }
        (true, true) => aggregates.touch(after.thread),
    }
}

/// Recomputes a view's mark after an operation that moved it left the outbox. `applied` is the move, if the server
/// has applied it.
pub(crate) fn settle_view(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    view: i64,
    applied: Option<ViewMove>,
    sent_tick: i64,
    now: Stamp,
) -> Result<()> {
    let mut row = views::one(tx, view)?;
    if let Some(one) = applied
        && row.server_tick <= sent_tick
    {
        view_marks::answered(tx, &mut row, one.forward, one.at)?;
    }
    let through = view_marks::in_force(tx, view, row.expected())?;
    view_marks::put(tx, aggregates, &mut row, through, now)?;
    // The thread's row shows whether operations wait, so it is reported as changed.
    let sql = "SELECT thread FROM items WHERE view = ?1 ORDER BY content_at DESC LIMIT 1";
    let newest = sql::first(tx, sql, [view], |r| r.get(0))?;
    match newest {
        Some(thread) => aggregates.touch(thread),
        None => Ok(()),
    }
}
