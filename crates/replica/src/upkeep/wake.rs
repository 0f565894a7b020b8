//! Waking of snoozed items, and the end of questions and mutes whose time is over. No operation is sent, because every
//! device does it by itself. If a clock is set back, what had woken sleeps again and what had ended is asked again, as at
//! the server.
//!
//! What came back unread is kept in `woken` until the app has announced it, for any process may wake it.

use rusqlite::{Connection, params};
use tidings_model::Stamp;
use tidings_replica_tables::aggregates::Aggregates;
use tidings_replica_tables::columns::{limit, time};
use tidings_replica_tables::item_state::ItemState;
use tidings_replica_tables::{mutes as muted, questions, sources, sql};

use crate::upkeep::{mutes, woken};
use crate::{Bounds, Result, SourceId};

/// The time at which the next item wakes, or the next question or mute ends; `now` if an item sleeps again or a
/// question opens again.
pub(crate) fn next(conn: &Connection, now: Stamp) -> Result<Option<Stamp>> {
    let mut next = None;
    for (source, offset) in sources::clock_offsets(conn)? {
        let at = |sql: &str| sql::one(conn, sql, [source], |r| time(r, 0));
        let wakes = at("SELECT min(snoozed_until) FROM items INDEXED BY items_asleep
            WHERE asleep = 1 AND source = ?1")?;
        let ends = at("SELECT min(question_due) FROM items INDEXED BY items_asking
            WHERE question_due > 0 AND source = ?1")?;
        let woken = at("SELECT max(snoozed_until) FROM items INDEXED BY items_woken
            WHERE asleep = 0 AND snoozed_until IS NOT NULL AND source = ?1")?;
        let ended = at("SELECT min(question_due) FROM items INDEXED BY items_ended
            WHERE question_due < 0 AND source = ?1")?
        .map(questions::ended);
        if woken.max(ended).is_some_and(|until| until > now.plus_micros(offset)) {
            return Ok(Some(now));
        }
        let mutes = [muted::next_end(conn, source)?, muted::next_unmute(conn, source)?];
        let here = wakes
            .into_iter()
            .chain(ends)
            .chain(mutes.into_iter().flatten())
            .map(|at| at.plus_micros(offset.saturating_neg()));
        next = here.chain(next).min();
    }
    Ok(next)
}

/// Wakes a portion of the due items of each source, or puts them to sleep again; `true` if there may be more.
pub(crate) fn wake(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    now: Stamp,
    bounds: &Bounds,
) -> Result<bool> {
    let mut more = false;
    for (source, offset) in sources::clock_offsets(tx)? {
        more |= wake_of(tx, aggregates, source, (now, now.plus_micros(offset)), bounds.woken_items)?;
        more |= mutes::end_due(tx, aggregates, source, (now.plus_micros(offset), bounds.muted_threads))?;
    }
    Ok(more)
}

/// The same for one source, at a time by this machine's clock and by the server's.
fn wake_of(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    source: SourceId,
    (now, server_time): (Stamp, Stamp),
    most: usize,
) -> Result<bool> {
    let until = params![source, server_time.as_micros(), limit(most)];
    let due = "INDEXED BY items_asleep WHERE i.asleep = 1 AND i.source = ?1 AND i.snoozed_until <= ?2
         ORDER BY i.snoozed_until LIMIT ?3";
    let asleep = ItemState::select(tx, due, until)?;
    let early = "INDEXED BY items_woken WHERE i.asleep = 0 AND i.snoozed_until IS NOT NULL AND i.source = ?1
         AND i.snoozed_until > ?2 ORDER BY i.snoozed_until LIMIT ?3";
    let sleeps_again = ItemState::select(tx, early, until)?;
    let over = "INDEXED BY items_asking WHERE i.question_due > 0 AND i.source = ?1 AND i.question_due <= ?2
         ORDER BY i.question_due LIMIT ?3";
    let asking = ItemState::select(tx, over, until)?;
    let ended = "INDEXED BY items_ended WHERE i.question_due < 0 AND i.source = ?1 AND i.question_due < -?2
         ORDER BY i.question_due LIMIT ?3";
    let asks_again = ItemState::select(tx, ended, until)?;
    let more = [&asleep, &sleeps_again, &asking, &asks_again].iter().any(|found| found.len() == most);
    for before in asleep.into_iter().chain(sleeps_again).chain(asking).chain(asks_again) {
        // It may be both.
        let Some(before) = ItemState::get(tx, before.id)? else { continue };
        let mut after = before.clone();
        questions::follow_clock(tx, &mut after, server_time)?;
        after.derive(now);
        if !before.deleted {
            aggregates.change_item(after.thread, &before.flags(), &after.flags())?;
            // A question that ended or opened reads differently.
            aggregates.touch(after.thread)?;
        }
        after.write(tx)?;
        if before.asleep && after.unread {
            woken::insert(tx, after.id)?;
        }
    }
    Ok(more)
}
