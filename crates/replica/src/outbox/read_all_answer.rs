//! The answer to a `read_all` operation. The items and views under it are settled in portions, between which other
//! writes run. The operation leaves the outbox with the last portion; after a crash the rest is settled when the
//! replica is opened again.
//!
//! The operation stays in the outbox, marked as answered, while its items are settled by their keys and its views'
//! marks after them, 500 rows a transaction. It is neither sent again nor counted as waiting.

use rusqlite::{Connection, params};
use tidings_model::{Kind, Stamp};
use tidings_replica_tables::aggregates::Aggregates;
use tidings_replica_tables::columns::limit;
use tidings_replica_tables::outbox::Answered;
use tidings_replica_tables::sql;
use tidings_replica_tables::{outbox, sources, views};

use super::overlay::{AppliedMark, Overlay};
use super::{settle, settle_view};
use crate::outbox::view_marks;
use crate::{ItemId, Mark, Replica, Result, SourceId};

/// Records an answer. States that the server sends from now on are later than the operation.
pub(crate) fn begin(tx: &Connection, source: SourceId, seq: i64, ok: bool) -> Result<()> {
    outbox::set_answered(tx, seq, ok)?;
    sources::advance_tick(tx, source)
}

/// The sources with an answered operation that is still in the outbox.
fn unfinished(conn: &Connection) -> Result<Vec<SourceId>> {
    let mut found = Vec::new();
    for source in sources::ids(conn)? {
        if has_unsettled(conn, source)? {
            found.push(source);
        }
    }
    Ok(found)
}

/// Whether a source has an answered operation that is not settled yet.
pub(crate) fn has_unsettled(tx: &Connection, source: SourceId) -> Result<bool> {
    Ok(outbox::oldest_answered(tx, source)?.is_some())
}

/// Settles a portion of the items and views under the oldest answered operation of a source; `false` if no such
/// operation is left.
pub(crate) fn portion(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    source: SourceId,
    (now, most): (Stamp, usize),
) -> Result<bool> {
    let Some(op) = outbox::oldest_answered(tx, source)? else { return Ok(false) };
    let left = settle_items(tx, aggregates, &op, (now, most))?;
    if left == 0 || !settle_views(tx, aggregates, &op, left, (now, most))? {
        return Ok(true);
    }
    outbox::delete(tx, op.seq)?;
    if !op.ok {
        sources::pull_everything_again(tx, source)?;
    }
    has_unsettled(tx, source)
}

/// Settles the next items with a server state, and returns the number of rows left in the portion; 0 if there may be
/// more items.
fn settle_items(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    op: &Answered,
    (now, most): (Stamp, usize),
) -> Result<usize> {
    let sql = "SELECT h.item, i.source = ?3 AND i.created_at <= ?4 AND (?5 IS NULL OR i.kind = ?5)
             FROM server_state h CROSS JOIN items i ON i.id = h.item WHERE h.item > ?1 ORDER BY h.item LIMIT ?2";
    let next: Vec<(ItemId, bool)> = sql::all(
        tx,
        sql,
        params![op.settled_to, limit(most), op.source, op.through.as_micros(), op.kind.map(Kind::as_row)],
        |r| Ok((r.get(0)?, r.get(1)?)),
    )?;
    let Some((last, _)) = next.last() else { return Ok(most) };
    outbox::set_settled(tx, op.seq, *last)?;
    // From here on the operation no longer applies to these items.
    let overlay = Overlay::of(tx, op.source)?;
    let (mark, when, sent_tick) = (Mark::Read, op.written_at, op.sent_tick);
    let applied = op.ok.then_some(AppliedMark { mark, when, sent_tick, gives_way: false });
    for (item, _) in next.iter().filter(|(_, under)| *under) {
        settle(tx, aggregates, &overlay, *item, applied, false, now)?;
    }
    Ok(most.saturating_sub(next.len()))
}

/// Settles the next view marks, over at most `left` rows; `true` when all are settled.
fn settle_views(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    op: &Answered,
    mut left: usize,
    (now, most): (Stamp, usize),
) -> Result<bool> {
    let moves = outbox::views_of(tx, op.seq, most)?;
    for one in &moves {
        if left == 0 {
            return Ok(false);
        }
        if retreat(tx, aggregates, op, one.view, (op.ok, now), &mut left)? {
            outbox::remove_view(tx, op.seq, one.view)?;
            let applied = Some(*one).filter(|_| op.ok);
            settle_view(tx, aggregates, one.view, applied, op.sent_tick, now)?;
        }
    }
    Ok(moves.len() < most && left > 0)
}

/// Moves a view's mark back towards its position without the operation, if the server refused the operation or has sent
/// the view's mark since. It gives `true` if the rest fits into this portion.
fn retreat(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    op: &Answered,
    view: i64,
    (ok, now): (bool, Stamp),
    left: &mut usize,
) -> Result<bool> {
    let mut known = views::one(tx, view)?;
    let to = view_marks::in_force_without(tx, view, known.expected(), op.seq)?;
    let stays = ok && known.server_tick <= op.sent_tick;
    if stays || to >= known.through {
        *left = left.saturating_sub(1);
        return Ok(true);
    }
    let to = to.unwrap_or(Stamp::from_micros(i64::MIN));
    let reach = views::reach(tx, &known, to, *left)?;
    *left = left.saturating_sub(reach.rows.max(1));
    if reach.at == to {
        return Ok(true);
    }
    outbox::set_view(tx, op.seq, view, reach.at)?;
    let through = view_marks::in_force(tx, view, known.expected())?;
    view_marks::put(tx, aggregates, &mut known, through, now)?;
    Ok(false)
}

impl Replica {
    /// Whether an answered operation is still in the outbox.
    pub(crate) fn is_an_answer_unfinished(&self) -> Result<bool> {
        Ok(!self.read(unfinished)?.is_empty())
    }

    /// Settles all answered operations.
    pub(crate) fn finish_answers(&self) -> Result<()> {
        let bounds = (self.clock.now(), self.bounds.settled_rows);
        for source in self.read(unfinished)? {
            while self.write(move |tx, aggregates| portion(tx, aggregates, source, bounds))?.0 {}
        }
        Ok(())
    }
}
