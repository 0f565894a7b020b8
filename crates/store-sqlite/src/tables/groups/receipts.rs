//! The table `receipts`: read receipts that their sender has not acknowledged yet.

use rusqlite::{Connection, Transaction, params};
use tidings_model::{MsgId, Stamp};
use tidings_store::domain::account::UserKey;
use tidings_store::statements::RECEIPTS;
use tidings_store::{Error, MessageReceipt, OldReceipt, ReceiptPage};

use super::group_messages::{self, ReadRange};
use crate::sql;
use crate::write_tx::WriteTx;

/// Inserts one receipt for each message of a range, with stamps from `first` on; gives their number.
pub(crate) fn insert(
    tx: &Transaction<'_>,
    range: &ReadRange,
    reader: &str,
    read_at: Stamp,
    first: Stamp,
) -> Result<usize, Error> {
    let messages = group_messages::to_notify();
    let sql = format!(
        "INSERT INTO receipts (sender, stamp, message, reader, read_at)
             SELECT m.sender, ?5 - 1 + row_number() OVER (ORDER BY m.created_at), m.created_at, ?7, ?6 {messages}"
    );
    sql::run(
        tx,
        &sql,
        params![
            range.group,
            range.reader.0,
            range.after,
            range.through,
            first.as_micros(),
            read_at.as_micros(),
            reader
        ],
    )
}

/// A page of a sender's undelivered receipts, after a stamp.
pub(crate) fn page(
    conn: &Connection,
    user: UserKey,
    since: Stamp,
    limit: usize,
) -> Result<ReceiptPage, Error> {
    let mut rows = conn.prepare_cached(&sql::shared(RECEIPTS))?;
    let mut found: Vec<(Stamp, MessageReceipt)> = rows
        .query_map(params![user.0, since.as_micros(), limit + 1], |r| {
            let line = MessageReceipt {
                msgid: MsgId(r.get(1)?),
                conversation: format!("group:{}", r.get::<_, String>(2)?),
                reader: r.get(3)?,
                at: Stamp::from_micros(r.get(4)?),
            };
            Ok((Stamp::from_micros(r.get(0)?), line))
        })?
        .collect::<Result<_, _>>()?;
    let more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().map_or(since, |(stamp, _)| *stamp);
    Ok(ReceiptPage { receipts: found.into_iter().map(|(_, line)| line).collect(), next, more })
}

/// Deletes at most `batch` of a sender's receipts up to a stamp; gives their number.
pub(crate) fn delete(
    ctx: &mut WriteTx<'_>,
    user: UserKey,
    through: Stamp,
    batch: usize,
) -> Result<usize, Error> {
    let sql = "DELETE FROM receipts WHERE (sender, stamp) IN (SELECT sender, stamp FROM receipts
                 WHERE sender = ?1 AND stamp <= ?2 ORDER BY stamp LIMIT ?3)";
    sql::run(ctx.tx, sql, params![user.0, through.as_micros(), batch])
}

/// The oldest receipts of messages before a time, at most `limit`, without those of removed senders.
pub(crate) fn of_messages_before(
    conn: &Connection,
    before: Stamp,
    limit: usize,
) -> Result<Vec<OldReceipt>, Error> {
    let sql = "SELECT r.sender, r.stamp, n.msgid, g.id, u.id, r.message, r.reader, r.read_at FROM receipts r
         JOIN users u ON u.key = r.sender AND u.id < '~'
         LEFT JOIN notifications n ON n.created_at = r.message
         LEFT JOIN group_messages m ON m.created_at = r.message LEFT JOIN groups g ON g.key = m.group_key
         WHERE r.message < ?1 ORDER BY r.message LIMIT ?2";
    sql::all(conn, sql, params![before.as_micros(), limit], |r| OldReceipt::from_row(r))
}

/// `?1` the sender, `?2` the stamp.
pub(crate) const DELETE_ONE: &str = "DELETE FROM receipts WHERE sender = ?1 AND stamp = ?2";

/// `?1` a time, `?2` the most rows.
pub(crate) const DELETE_OF_MESSAGES_BEFORE: &str = "DELETE FROM receipts WHERE (sender, stamp) IN (
    SELECT sender, stamp FROM receipts WHERE message < ?1 LIMIT ?2)";
