//! Batching of read marks in groups: marks of messages that are read within two seconds go out as one operation.

use rusqlite::Connection;
use tidings_model::{Stamp, View, wire};
use tidings_replica_tables::sql;
use tidings_replica_tables::{columns, outbox};

use crate::{Replica, Result, SourceId};

/// The number of messages that are sent without waiting for more.
const FULL_BATCH: i64 = 10;

/// Extends the waiting visit of a view if it is the last operation on that view and was not sent; returns its key.
pub(crate) fn extend_visit(tx: &Connection, id: i64, view: &View, at: Stamp) -> Result<Option<i64>> {
    let sql = "SELECT o.seq, o.operation, o.sent_tick FROM outbox_views x JOIN outbox o ON o.seq = x.op WHERE x.view = ?1
             ORDER BY x.op DESC LIMIT 1";
    let last: Option<(i64, String, i64)> =
        sql::first(tx, sql, [id], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?;
    let Some((seq, "visit", 0)) = last.as_ref().map(|(seq, name, sent)| (*seq, name.as_str(), *sent)) else {
        return Ok(None);
    };
    let change = wire::Change::Visit { view: view.clone(), at: Some(at) };
    outbox::rewrite(tx, seq, &change, Some(at))?;
    Ok(Some(seq))
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
                 WHERE o.source = ?1 AND o.operation = 'visit' AND o.sent_tick = 0 AND v.view LIKE 'conversation/group:%'",
            )?;
            let mut waiting = 0;
            for found in rows.query_map([source, FULL_BATCH], |r| Ok((columns::stamp(r, 0)?, r.get::<_, i64>(1)?)))? {
                let (written, read) = found?;
                let age = now.as_micros() - written.as_micros();
                if read >= FULL_BATCH || !(0..Self::READ_BATCH_WINDOW_MICROS).contains(&age) {
                    return Ok(false);
                }
                waiting += 1;
            }
            Ok(waiting == ops)
        })
    }
}
