//! Read receipts that their sender has not acknowledged yet.

use async_trait::async_trait;
use tidings_model::{MsgId, Stamp};
use tidings_store::domain::account::UserKey;
use tidings_store::domain::draft::receipts_expire;
use tidings_store::statements::RECEIPTS;
use tidings_store::{
    Error, Idempotency, ListQuery, MessageReceipt, OldReceipt, Outcome, Readers, ReceiptPage, ReceiptStore,
};

use super::readers;
use crate::PostgresStore;
use crate::session::{Columns, Session, rows};
use crate::tx::{in_snapshot, in_transaction, reading};

/// `$1` the sender, `$2` up to a stamp, `$3` the most rows.
const DELETE: &str = "DELETE FROM receipts WHERE sender = $1 AND stamp IN (
    SELECT stamp FROM receipts WHERE sender = $1 AND stamp <= $2 ORDER BY stamp LIMIT $3)";

/// A page of a sender's undelivered receipts, after a stamp.
async fn page(db: &Session, user: UserKey, since: Stamp, limit: usize) -> Result<ReceiptPage, Error> {
    let found = db.query(RECEIPTS, &[&user.0, &since.as_micros(), &rows(limit + 1)]).await?;
    let (mut receipts, mut next) = (Vec::new(), since);
    for row in found.iter().take(limit) {
        next = row.stamp(0)?;
        receipts.push(MessageReceipt {
            msgid: MsgId(row.at(1)?),
            conversation: format!("group:{}", row.at::<&str>(2)?),
            reader: row.at(3)?,
            at: row.stamp(4)?,
        });
    }
    Ok(ReceiptPage { receipts, next, more: found.len() > limit })
}

/// The oldest receipts of messages before a time `$1` or the horizon of retention, without those of removed senders; `$2` the
/// most rows.
const OLD: &str =
    "SELECT r.sender, r.stamp, n.msgid, g.id, u.id, r.message, r.reader, r.read_at FROM receipts r
    JOIN users u ON u.key = r.sender AND u.id < '~'
    LEFT JOIN notifications n ON n.created_at = r.message
    LEFT JOIN group_messages m ON m.created_at = r.message LEFT JOIN groups g ON g.key = m.group_key
    WHERE r.message < greatest($1, (SELECT forgotten_before FROM meta)) ORDER BY r.message LIMIT $2";

/// `$1` the senders, `$2` the stamps.
const FORGET: &str = "DELETE FROM receipts r USING unnest($1::bigint[], $2::bigint[]) AS gone(sender, stamp)
    WHERE r.sender = gone.sender AND r.stamp = gone.stamp";

#[async_trait]
impl ReceiptStore for PostgresStore {
    async fn readers(&self, group: &str, msgid: &MsgId, page: ListQuery) -> Result<Readers, Error> {
        let most = self.bounds.memberships;
        in_snapshot!(self, |db| readers::readers(db, group, msgid, &page, most).await)
    }

    async fn receipts(&self, user: UserKey, since: Stamp, limit: usize) -> Result<ReceiptPage, Error> {
        reading!(self, |db| page(db, user, since, limit).await)
    }

    async fn ack_receipts(
        &self,
        user: UserKey,
        through: Stamp,
        idempotency: Option<Idempotency<()>>,
    ) -> Result<Outcome<()>, Error> {
        if let Some(answer) = self.answer_of(idempotency.as_ref()).await? {
            return Ok(Outcome::Replayed(answer));
        }
        let (through, batch) = (through.as_micros(), self.bounds.short_write_rows);
        loop {
            let deleted =
                in_transaction!(self, |tx| tx.execute(DELETE, &[&user.0, &through, &rows(batch)]).await)?;
            if usize::try_from(deleted).unwrap_or_default() < batch {
                break;
            }
        }
        if idempotency.is_none() {
            return Ok(Outcome::Done(()));
        }
        in_transaction!(self, |tx| {
            if let Some(answer) = tx.take_key(idempotency.as_ref()).await? {
                return Ok(Outcome::Replayed(answer));
            }
            tx.keep_answer(idempotency.as_ref(), &()).await?;
            Ok(Outcome::Done(()))
        })
    }

    async fn old_receipts(&self, before: Option<Stamp>, limit: usize) -> Result<Vec<OldReceipt>, Error> {
        let before = before.max(Some(receipts_expire(self.clock.now()))).unwrap_or_default();
        let found = reading!(self, |s| s.query(OLD, &[&before.as_micros(), &rows(limit)]).await)?;
        found.iter().map(OldReceipt::from_row).collect()
    }

    async fn forget_receipts(&self, archived: Vec<(UserKey, Stamp)>) -> Result<(), Error> {
        for portion in archived.chunks(self.bounds.short_write_rows) {
            let (senders, stamps): (Vec<_>, Vec<_>) =
                portion.iter().map(|(sender, stamp)| (sender.0, stamp.as_micros())).unzip();
            in_transaction!(self, |tx| tx.execute(FORGET, &[&senders, &stamps]).await)?;
        }
        Ok(())
    }
}
