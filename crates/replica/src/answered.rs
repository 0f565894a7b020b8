//! The answer to an operation that reads everything up to a time. What it was laid over is settled in portions, between which
//! others write; the operation leaves the outbox with the last of them, and what a crash left is settled when the replica is
//! opened again.

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::{Kind, Stamp};

use crate::ledger::Ledger;
use crate::overlay::{Act, Done, Overlay};
use crate::{ItemId, Replica, Result, SourceId, outbox, row, stretch, views};

/// Rows that are looked at in one transaction.
const PORTION: usize = outbox::NAMES;

/// An answered operation that is still in the outbox.
struct Answered {
    seq: i64,
    source: SourceId,
    through: Stamp,
    kind: Option<Kind>,
    when: Stamp,
    sent: i64,
    ok: bool,
    /// The last item that is settled.
    settled_to: ItemId,
}

/// Remembers an answer. What the server says from now on is later than the operation.
pub(crate) fn begin(tx: &Connection, source: SourceId, seq: i64, ok: bool) -> Result<()> {
    tx.prepare_cached("UPDATE outbox SET answered = ?2 WHERE seq = ?1")?.execute(params![seq, ok])?;
    tx.prepare_cached("UPDATE sources SET tick = tick + 1 WHERE id = ?1")?.execute([source])?;
    Ok(())
}

/// Sources with an answered operation that is still in the outbox.
fn unfinished(conn: &Connection) -> Result<Vec<SourceId>> {
    let mut found = Vec::new();
    for source in stretch::sources(conn)? {
        if is_any(conn, source)? {
            found.push(source);
        }
    }
    Ok(found)
}

/// Whether an answered operation of a source is still to be settled.
pub(crate) fn is_any(tx: &Connection, source: SourceId) -> Result<bool> {
    Ok(oldest(tx, source)?.is_some())
}

fn oldest(tx: &Connection, source: SourceId) -> Result<Option<Answered>> {
    Ok(tx
        .prepare_cached(
            "SELECT seq, at, kind, written_at, sent, answered, settled_to FROM outbox
             WHERE source = ?1 AND answered IS NOT NULL ORDER BY seq LIMIT 1",
        )?
        .query_row([source], |r| {
            Ok(Answered {
                seq: r.get(0)?,
                source,
                through: row::stamp(r, 1)?,
                kind: r.get::<_, Option<i64>>(2)?.and_then(Kind::from_row),
                when: row::stamp(r, 3)?,
                sent: r.get(4)?,
                ok: r.get(5)?,
                settled_to: r.get(6)?,
            })
        })
        .optional()?)
}

/// Settles a portion of what the oldest answered operation of a source was laid over; `false` when no such operation is
/// left.
pub(crate) fn portion(
    tx: &Connection,
    ledger: &mut Ledger<'_>,
    source: SourceId,
    now: Stamp,
) -> Result<bool> {
    let Some(op) = oldest(tx, source)? else { return Ok(false) };
    let left = settle_items(tx, ledger, &op, now)?;
    if left == 0 || !settle_views(tx, ledger, &op, left, now)? {
        return Ok(true);
    }
    tx.prepare_cached("DELETE FROM outbox WHERE seq = ?1")?.execute([op.seq])?;
    if !op.ok {
        tx.prepare_cached(
            "UPDATE sources SET cursor = NULL, generation = generation + 1, retake = 1 WHERE id = ?1",
        )?
        .execute([source])?;
    }
    is_any(tx, source)
}

/// Settles the next held items, and gives how many rows of the portion are left; 0 when there may be more items.
fn settle_items(tx: &Connection, ledger: &mut Ledger<'_>, op: &Answered, now: Stamp) -> Result<usize> {
    let held: Vec<(ItemId, bool)> = tx
        .prepare_cached(
            "SELECT h.item, i.source = ?3 AND i.created_at <= ?4 AND (?5 IS NULL OR i.kind = ?5)
             FROM held h CROSS JOIN items i ON i.id = h.item WHERE h.item > ?1 ORDER BY h.item LIMIT ?2",
        )?
        .query_map(
            params![
                op.settled_to,
                i64::try_from(PORTION).unwrap_or(i64::MAX),
                op.source,
                op.through.as_micros(),
                op.kind.map(Kind::as_row)
            ],
            |r| Ok((r.get(0)?, r.get(1)?)),
        )?
        .collect::<Result<_, _>>()?;
    let Some((last, _)) = held.last() else { return Ok(PORTION) };
    tx.prepare_cached("UPDATE outbox SET settled_to = ?2 WHERE seq = ?1")?.execute([op.seq, *last])?;
    // From here on the operation is not laid over these any more.
    let overlay = Overlay::of(tx, op.source)?;
    let done = op.ok.then_some(Done { act: Act::Read, when: op.when, sent: op.sent });
    for (item, _) in held.iter().filter(|(_, under)| *under) {
        outbox::settle(tx, ledger, &overlay, *item, done, false, now)?;
    }
    Ok(PORTION.saturating_sub(held.len()))
}

/// Settles the next marks of views, over so many rows at most; `true` when all are.
fn settle_views(
    tx: &Connection,
    ledger: &mut Ledger<'_>,
    op: &Answered,
    mut left: usize,
    now: Stamp,
) -> Result<bool> {
    let views: Vec<(i64, bool, Stamp)> = tx
        .prepare_cached("SELECT view, forward, at FROM outbox_views WHERE op = ?1 ORDER BY view LIMIT ?2")?
        .query_map(params![op.seq, i64::try_from(PORTION).unwrap_or(i64::MAX)], |r| {
            Ok((r.get(0)?, r.get(1)?, row::stamp(r, 2)?))
        })?
        .collect::<Result<_, _>>()?;
    // A server of our own kind says itself which views it has moved, and may have moved none.
    let assumed = op.ok && outbox::tells_marks(tx, op.source)?;
    for (view, forward, at) in &views {
        if left == 0 {
            return Ok(false);
        }
        if retreat(tx, ledger, op, *view, (op.ok, now), &mut left)? {
            tx.prepare_cached("DELETE FROM outbox_views WHERE op = ?1 AND view = ?2")?
                .execute([op.seq, *view])?;
            if assumed && views::get(tx, *view)?.heard <= op.sent {
                views::assume(tx, *view, *at)?;
            }
            let done = (op.ok && !assumed).then_some((*forward, *at));
            outbox::settle_view(tx, ledger, *view, done, op.sent, now)?;
        }
    }
    Ok(views.len() < PORTION && left > 0)
}

/// Moves a view's mark back towards where it is without the operation, where the server refused that or has said since where
/// the mark is; `true` when the rest fits into this portion.
fn retreat(
    tx: &Connection,
    ledger: &mut Ledger<'_>,
    op: &Answered,
    view: i64,
    (ok, now): (bool, Stamp),
    left: &mut usize,
) -> Result<bool> {
    let mut known = views::get(tx, view)?;
    let to = views::in_force_without(tx, view, known.server, op.seq)?;
    let stays = ok && known.heard <= op.sent;
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
    outbox::move_on_view(tx, op.seq, view, reach.at)?;
    let through = views::in_force(tx, view, known.server)?;
    views::put(tx, ledger, &mut known, through, now)?;
    Ok(false)
}

impl Replica {
    /// Whether an answered operation is still in the outbox.
    pub(crate) fn is_an_answer_unfinished(&self) -> Result<bool> {
        Ok(!self.read(unfinished)?.is_empty())
    }

    /// Settles what answered operations were laid over.
    pub(crate) fn finish_answers(&self) -> Result<()> {
        let now = self.clock.now();
        for source in self.read(unfinished)? {
            while self.write(move |tx, ledger| portion(tx, ledger, source, now))?.0 {}
        }
        Ok(())
    }
}
