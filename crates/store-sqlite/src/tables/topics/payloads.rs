//! The table `topic_payloads`: the last payloads of webhooks, a few for each topic.

use rusqlite::{Connection, params};
use tidings_store::domain::limits;
use tidings_store::{Error, Payload};

use crate::sql;
use crate::write_tx::WriteTx;

/// Adds a payload and deletes the oldest ones beyond the bounds of a topic.
pub(crate) fn keep(ctx: &WriteTx<'_>, topic: &str, payload: &Payload) -> Result<(), Error> {
    let sql = "INSERT INTO topic_payloads (topic, received_at, sender, event, body, bytes)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    sql::run(
        ctx.tx,
        sql,
        params![
            topic,
            payload.received_at.as_micros(),
            payload.sender,
            payload.event,
            payload.body,
            payload.body.len(),
        ],
    )?;
    if let Some(newest_excess) = newest_excess(ctx, topic)? {
        let sql = "DELETE FROM topic_payloads WHERE topic = ?1 AND id <= ?2";
        sql::run(ctx.tx, sql, params![topic, newest_excess])?;
    }
    Ok(())
}

/// The newest payload of a topic that is beyond its bounds, as are all older ones.
fn newest_excess(ctx: &WriteTx<'_>, topic: &str) -> Result<Option<i64>, Error> {
    let mut rows = ctx
        .tx
        .prepare_cached("SELECT id, bytes FROM topic_payloads WHERE topic = ?1 ORDER BY id DESC LIMIT ?2")?;
    let mut rows = rows.query(params![topic, limits::TOPIC_PAYLOADS + 1])?;
    let (mut count, mut bytes) = (0, 0);
    while let Some(row) = rows.next()? {
        count += 1;
        bytes += row.get::<_, usize>(1)?;
        if count > limits::TOPIC_PAYLOADS || bytes > limits::TOPIC_PAYLOADS_BYTES {
            return Ok(Some(row.get(0)?));
        }
    }
    Ok(None)
}

/// The payloads of a topic, the newest first.
pub(crate) fn list(conn: &Connection, topic: &str) -> Result<Vec<Payload>, Error> {
    let sql = "SELECT received_at, sender, event, body FROM topic_payloads WHERE topic = ?1 ORDER BY id DESC LIMIT ?2";
    sql::all(conn, sql, params![topic, limits::TOPIC_PAYLOADS], |r| Payload::from_row(r))
}

/// Deletes the payloads of a topic; gives their number.
pub(crate) fn remove(ctx: &WriteTx<'_>, topic: &str) -> Result<usize, Error> {
    sql::run(ctx.tx, "DELETE FROM topic_payloads WHERE topic = ?1", [topic])
}

/// `?1` a time, `?2` the most rows.
pub(crate) const DELETE_RECEIVED_BEFORE: &str = "DELETE FROM topic_payloads WHERE id IN (
    SELECT id FROM topic_payloads INDEXED BY topic_payloads_by_age WHERE received_at < ?1 ORDER BY received_at LIMIT ?2)";
