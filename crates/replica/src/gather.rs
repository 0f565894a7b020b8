//! Acknowledgements in batches: what is read in a group, message by message, is sent as one operation. Refuses to hold
//! back anything else, and holds nothing for long.

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::{Stamp, View, wire};

use crate::{Result, SourceId, row};

/// Messages that are worth an operation of their own at once.
const BATCH: i64 = 10;
/// What was read longer ago than this is not held back, in microseconds.
pub(crate) const PATIENCE: i64 = 2_000_000;

/// Moves the look at a view that waits further on, where it is the last word on that view and was not sent.
pub(crate) fn move_on(tx: &Connection, id: i64, view: &View, at: Stamp) -> Result<Option<i64>> {
    let last: Option<(i64, String, i64)> = tx
        .prepare_cached(
            "SELECT o.seq, o.act, o.sent FROM outbox_views x JOIN outbox o ON o.seq = x.op WHERE x.view = ?1
             ORDER BY x.op DESC LIMIT 1",
        )?
        .query_row([id], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))
        .optional()?;
    let Some((seq, "visit", 0)) = last.as_ref().map(|(seq, act, sent)| (*seq, act.as_str(), *sent)) else {
        return Ok(None);
    };
    let change = wire::Change::Visit { view: view.clone(), at: Some(at) };
    tx.prepare_cached("UPDATE outbox SET change = ?2, at = ?3 WHERE seq = ?1")?.execute(params![
        seq,
        serde_json::to_string(&change)?,
        at.as_micros()
    ])?;
    Ok(Some(seq))
}

/// Whether all that waits is a few messages that were just read in groups: more may be read in a moment.
pub(crate) fn is_batching_reads(conn: &Connection, source: SourceId, now: Stamp) -> Result<bool> {
    let (ops, messages): (i64, bool) = conn
        .prepare_cached(
            "SELECT (SELECT count(*) FROM outbox WHERE source = ?1 AND answered IS NULL),
                EXISTS (SELECT 1 FROM outgoing WHERE source = ?1 AND refused IS NULL AND posted IS NULL)",
        )?
        .query_row([source], |r| Ok((r.get(0)?, r.get(1)?)))?;
    if ops == 0 || messages {
        return Ok(false);
    }
    let mut rows = conn.prepare_cached(
        "SELECT o.written_at, (SELECT count(*) FROM (SELECT 1 FROM items i WHERE i.view = v.id AND i.own = 0
                AND i.content_at > ifnull(v.server, 0) AND i.content_at <= x.at LIMIT ?2))
         FROM outbox o JOIN outbox_views x ON x.op = o.seq JOIN views v ON v.id = x.view
         WHERE o.source = ?1 AND o.act = 'visit' AND o.sent = 0 AND v.view LIKE 'conversation/group:%'",
    )?;
    let mut held = 0;
    for found in rows.query_map([source, BATCH], |r| Ok((row::stamp(r, 0)?, r.get::<_, i64>(1)?)))? {
        let (written, read) = found?;
        let age = now.as_micros() - written.as_micros();
        if read >= BATCH || !(0..PATIENCE).contains(&age) {
            return Ok(false);
        }
        held += 1;
    }
    Ok(held == ops)
}
