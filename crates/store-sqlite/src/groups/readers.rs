//! Receipts: the members who have read a group message, with whom it has arrived, and who have not read it.

use async_trait::async_trait;
use rusqlite::{Connection, params};
use tidings_model::{MsgId, Stamp};
use tidings_store::domain::draft::receipts_expire;
use tidings_store::statements::RECEIPTS;
use tidings_store::{
    Error, Idempotency, ListQuery, MessageReceipt, OldReceipt, Outcome, Reader, Readers, ReceiptPage,
    ReceiptStore, UserKey,
};

use crate::portions::DeleteInBatches;
use crate::tables::{acks, deliveries, meta, receipts, users};
use crate::write_tx::WriteTx;
use crate::{SHARED_QUEUE, SqliteStore, sql};

/// The columns of a group message that its readers depend on.
struct GroupMessage {
    created_at: i64,
    group: i64,
    sender: i64,
}

#[async_trait]
impl ReceiptStore for SqliteStore {
    async fn readers(&self, group: &str, msgid: &MsgId, page: ListQuery) -> Result<Readers, Error> {
        let (group, msgid, most) = (group.to_owned(), msgid.clone(), self.bounds.memberships);
        let sql = "SELECT m.created_at, m.group_key, m.sender, m.read_count, m.members, m.delivered_count FROM notifications n
                 JOIN group_messages m ON m.created_at = n.created_at JOIN groups g ON g.key = m.group_key
                 WHERE n.msgid = ?1 AND g.id = ?2";
        self.read_long(SHARED_QUEUE, move |c| {
            let found: Option<(GroupMessage, Readers)> =
                sql::first(c, sql, [msgid.as_str(), group.as_str()], |r| {
                    let message = GroupMessage { created_at: r.get(0)?, group: r.get(1)?, sender: r.get(2)? };
                    let (read_count, member_count, delivered_count) = (r.get(3)?, r.get(4)?, r.get(5)?);
                    Ok((message, Readers { read_count, delivered_count, member_count, ..Readers::default() }))
                })?;
            let (message, mut readers) = found.ok_or_else(|| Error::not_found("message in this group"))?;
            let after = match &page.after {
                Some(id) => {
                    users::by_id(c, id)?.ok_or_else(|| Error::invalid("after", "must be a user"))?.key
                }
                None => UserKey(0),
            };
            fill_readers(c, &message, after, (page.limit, most), &mut readers)?;
            readers.read.sort_by(|a, b| (a.at, &a.user).cmp(&(b.at, &b.user)));
            readers.delivered.sort();
            readers.unread.sort();
            Ok(readers)
        })
        .await
    }

    async fn receipts(&self, user: UserKey, since: Stamp, limit: usize) -> Result<ReceiptPage, Error> {
        self.read_long(user, move |c| {
            let values = params![user.0, since.as_micros(), limit + 1];
            let mut found: Vec<(Stamp, MessageReceipt)> = sql::all(c, &sql::shared(RECEIPTS), values, |r| {
                let line = MessageReceipt {
                    msgid: MsgId(r.get(1)?),
                    conversation: format!("group:{}", r.get::<_, String>(2)?),
                    reader: r.get(3)?,
                    at: Stamp::from_micros(r.get(4)?),
                };
                Ok((Stamp::from_micros(r.get(0)?), line))
            })?;
            let more = found.len() > limit;
            found.truncate(limit);
            let next = found.last().map_or(since, |(stamp, _)| *stamp);
            Ok(ReceiptPage { receipts: found.into_iter().map(|(_, line)| line).collect(), next, more })
        })
        .await
    }

    async fn ack_receipts(
        &self,
        user: UserKey,
        through: Stamp,
        idempotency: Option<Idempotency<()>>,
    ) -> Result<Outcome<()>, Error> {
        if let Some(answer) = self.stored_response_of(idempotency.as_ref().map(Idempotency::name)).await? {
            return Ok(Outcome::Replayed(answer));
        }
        let delete_receipts = move |w: &mut WriteTx<'_>, rows| receipts::delete(w, user, through, rows);
        self.in_portions(DeleteInBatches(delete_receipts)).await?;
        self.write(move |w| w.idempotent(idempotency, |_| Ok(()))).await
    }

    async fn old_receipts(&self, before: Option<Stamp>, limit: usize) -> Result<Vec<OldReceipt>, Error> {
        let expired = before.max(Some(receipts_expire(self.clock.now()))).unwrap_or_default();
        // Without those of removed senders.
        let sql =
            "SELECT r.sender, r.stamp, n.msgid, g.id, u.id, r.message, r.reader, r.read_at FROM receipts r
             JOIN users u ON u.key = r.sender AND u.id < '~'
             LEFT JOIN notifications n ON n.created_at = r.message
             LEFT JOIN group_messages m ON m.created_at = r.message LEFT JOIN groups g ON g.key = m.group_key
             WHERE r.message < ?1 ORDER BY r.message LIMIT ?2";
        self.read(move |c| {
            let before = expired.max(meta::forgotten_before(c)?).as_micros();
            sql::all(c, sql, params![before, limit], |r| OldReceipt::from_row(r))
        })
        .await
    }

    async fn forget_receipts(&self, archived: Vec<(UserKey, Stamp)>) -> Result<(), Error> {
        let mut left = archived.into_iter();
        let forget = move |w: &mut WriteTx<'_>, rows| {
            let mut delete = w.tx.prepare_cached("DELETE FROM receipts WHERE sender = ?1 AND stamp = ?2")?;
            let mut done = 0;
            for (sender, stamp) in left.by_ref().take(rows) {
                delete.execute(params![sender.0, stamp.as_micros()])?;
                done += 1;
            }
            Ok(done)
        };
        self.in_portions(DeleteInBatches(forget)).await?;
        Ok(())
    }
}

/// Adds to `readers` from the group's memberships, in the order of user keys after `after`. A page ends with a user all of
/// whose memberships were examined, because the next one begins after that user.
fn fill_readers(
    conn: &Connection,
    message: &GroupMessage,
    after: UserKey,
    (limit, most): (usize, usize),
    readers: &mut Readers,
) -> Result<(), Error> {
    let mut members = conn.prepare_cached(
        "SELECT s.user, u.id, s.joined_at, s.left_at FROM memberships s CROSS JOIN users u ON u.key = s.user
         WHERE s.group_key = ?1 AND s.user > ?2 AND u.id < '~' ORDER BY s.user LIMIT ?3",
    )?;
    let (mut examined, mut counted) = (0, after.0);
    let (mut last, mut before): (Option<(i64, String)>, Option<String>) = (None, None);
    let mut rows = members.query(params![message.group, after.0, most])?;
    while let Some(row) = rows.next()? {
        let (user, id): (i64, String) = (row.get(0)?, row.get(1)?);
        let (joined_at, left_at): (i64, i64) = (row.get(2)?, row.get(3)?);
        examined += 1;
        if let Some((_, id)) = last.take_if(|(key, _)| *key != user) {
            before = Some(id);
        }
        let was_member = joined_at < message.created_at && (left_at == 0 || left_at > message.created_at);
        if was_member && user != message.sender && user != counted {
            if readers.read.len() + readers.unread.len() == limit {
                readers.next = before;
                return Ok(());
            }
            counted = user;
            if let Some(at) = acks::read_at(conn, message.group, user, message.created_at)? {
                readers.read.push(Reader { user: id.clone(), at });
            } else {
                if deliveries::position(conn, UserKey(user))?.as_micros() >= message.created_at {
                    readers.delivered.push(id.clone());
                }
                readers.unread.push(id.clone());
            }
        }
        last = Some((user, id));
    }
    if examined == most {
        let is_counted = last.as_ref().is_some_and(|(key, _)| *key == counted);
        let last = last.map(|(_, id)| id);
        readers.next = if is_counted { last } else { before.or(last) };
    }
    Ok(())
}
