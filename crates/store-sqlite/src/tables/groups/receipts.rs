//! The table `receipts`: read receipts that their sender has not acknowledged yet.

use rusqlite::{Transaction, params};
use tidings_model::Stamp;
use tidings_store::Error;
use tidings_store::domain::account::UserKey;

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

/// `?1` a time, `?2` the most rows.
pub(crate) const DELETE_OF_MESSAGES_BEFORE: &str = "DELETE FROM receipts WHERE (sender, stamp) IN (
    SELECT sender, stamp FROM receipts WHERE message < ?1 LIMIT ?2)";
