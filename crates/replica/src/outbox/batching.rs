//! Batching of read marks in groups: marks of messages that are read within two seconds go out as one operation.

use std::collections::HashSet;

use rusqlite::{Connection, params};
use tidings_model::{MsgId, Stamp, View, wire};
use tidings_replica_tables::outbox::{self, NewOperation};
use tidings_replica_tables::views::ViewRow;
use tidings_replica_tables::{columns, sources, sql};

use super::MAX_NAMED_ITEMS;
use crate::{Mark, Replica, Result, SourceId};

/// The number of messages that are sent without waiting for more.
const FULL_BATCH: i64 = 10;

/// Extends the waiting visit of a view if it is the last operation on that view and was not sent; returns its key.
pub(crate) fn extend_visit(tx: &Connection, id: i64, view: &View, at: Stamp) -> Result<Option<i64>> {
    let Some(Unsent { seq, change: wire::Change::Visit { .. }, .. }) = last_unsent(tx, id)? else {
        return Ok(None);
    };
    let change = wire::Change::Visit { view: view.clone(), at: Some(at) };
    outbox::rewrite(tx, seq, &change, Some(at))?;
    Ok(Some(seq))
}

/// Queues the operation that reads the items between a view's mark and a time, and returns its key; `None` if there are
/// none. It names the newest of them, in case some are deleted before the server receives it. One that has waited only
/// for others is extended.
pub(crate) fn push_read(tx: &Connection, view: &ViewRow, at: Stamp, now: Stamp) -> Result<Option<i64>> {
    let sql =
        "SELECT msgid FROM items WHERE view = ?1 AND content_at > ?2 AND content_at <= ?3 AND read_at IS NULL
                 AND deleted = 0
             ORDER BY content_at DESC LIMIT ?4";
    let after = view.through.map_or(i64::MIN, Stamp::as_micros);
    let newest = params![view.id, after, at.as_micros(), columns::limit(MAX_NAMED_ITEMS)];
    let mut msgids: Vec<MsgId> = sql::all(tx, sql, newest, |r| Ok(MsgId(r.get(0)?)))?;
    if msgids.is_empty() {
        return Ok(None);
    }
    let mut sent_at = super::sent_at(tx, view.source, sources::acted_at(tx, view.source, now)?)?;
    if let Some(Unsent {
        seq,
        change: wire::Change::Mark { mark: Mark::Read, msgids: earlier, at },
        written_at,
    }) = last_unsent(tx, view.id)?
        && is_recent(written_at, now)
    {
        let named: HashSet<MsgId> = msgids.iter().cloned().collect();
        msgids.extend(earlier.into_iter().filter(|msgid| !named.contains(msgid)));
        msgids.truncate(MAX_NAMED_ITEMS);
        sent_at = sent_at.zip(at).map(|(later, at)| later.max(at));
        let change = wire::Change::Mark { mark: Mark::Read, msgids, at: sent_at };
        outbox::rewrite(tx, seq, &change, None)?;
        return Ok(Some(seq));
    }
    let change = wire::Change::Mark { mark: Mark::Read, msgids, at: sent_at };
    let op =
        NewOperation { source: view.source, name: Mark::Read.name(), at: None, kind: None, change: &change };
    Ok(Some(outbox::insert(tx, &outbox::new_id(), &op, now)?))
}

/// An operation that was not sent.
struct Unsent {
    seq: i64,
    change: wire::Change,
    written_at: Stamp,
}

/// The last operation on a view, if it was not sent.
fn last_unsent(tx: &Connection, view: i64) -> Result<Option<Unsent>> {
    let sql =
        "SELECT o.seq, o.change, o.written_at, o.sent_tick FROM outbox_views x JOIN outbox o ON o.seq = x.op
             WHERE x.view = ?1 ORDER BY x.op DESC LIMIT 1";
    let last = sql::first(tx, sql, [view], |r| {
        let last = Unsent { seq: r.get(0)?, change: columns::json(r, 1)?, written_at: columns::stamp(r, 2)? };
        Ok((last, r.get::<_, i64>(3)?))
    })?;
    Ok(last.filter(|(_, sent_tick)| *sent_tick == 0).map(|(last, _)| last))
}

/// Whether an operation that was written at a time may still wait for others.
fn is_recent(written_at: Stamp, now: Stamp) -> bool {
    let age = now.as_micros() - written_at.as_micros();
    (0..Replica::READ_BATCH_WINDOW_MICROS).contains(&age)
}

impl Replica {
    /// How long a read mark in a group waits at most for others, in microseconds, so that one operation covers many.
    pub const READ_BATCH_WINDOW_MICROS: i64 = 2_000_000;

    /// Whether the outbox of a source has nothing but a few recent read marks in groups. The sender may then wait for
    /// [`Replica::READ_BATCH_WINDOW_MICROS`], so that one operation covers many.
    pub fn is_batching_reads(&self, source: SourceId) -> Result<bool> {
        let now = self.clock.now();
        self.read(|conn| {
            let sql = "SELECT (SELECT count(*) FROM outbox WHERE source = ?1 AND answered IS NULL),
                        EXISTS (SELECT 1 FROM outgoing WHERE source = ?1 AND refusal IS NULL AND posted_as IS NULL)";
            let (ops, messages): (i64, bool) = sql::one(conn, sql, [source], |r| Ok((r.get(0)?, r.get(1)?)))?;
            if ops == 0 || messages {
                return Ok(false);
            }
            let mut rows = conn.prepare_cached(
                "SELECT o.written_at, (SELECT count(*) FROM (SELECT 1 FROM items i WHERE i.view = v.id AND i.own = 0
                        AND i.content_at > ifnull(v.server_through, 0) AND i.content_at <= x.at LIMIT ?2))
                 FROM outbox o JOIN outbox_views x ON x.op = o.seq JOIN views v ON v.id = x.view
                 WHERE o.source = ?1 AND o.operation IN ('read', 'visit') AND o.sent_tick = 0
                     AND v.view LIKE 'conversation/group:%'",
            )?;
            let mut waiting = 0;
            for found in rows.query_map([source, FULL_BATCH], |r| Ok((columns::stamp(r, 0)?, r.get::<_, i64>(1)?)))? {
                let (written, read) = found?;
                if read >= FULL_BATCH || !is_recent(written, now) {
                    return Ok(false);
                }
                waiting += 1;
            }
            Ok(waiting == ops)
        })
    }
}
