//! Who read what: receipts on their way to the sender, and the counts that stay. Refuses to keep a receipt that was
//! delivered.

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::{MsgId, Stamp};

use super::work::Work;
use crate::domain::account::UserKey;
use crate::error::Error;
use crate::store::{Reader, Readers, ReceiptLine, ReceiptPage};

/// One member read one message: the count on it, a receipt for its sender, and the sender's item anew.
pub(super) fn add(
    work: &mut Work<'_>,
    sender: UserKey,
    message: i64,
    reader: &str,
    at: Stamp,
) -> Result<(), Error> {
    work.tx
        .prepare_cached("UPDATE group_messages SET read_count = read_count + 1 WHERE created_at = ?1")?
        .execute([message])?;
    // The sender may be gone, and its inbox with it.
    if super::accounts::id_of(work.tx, sender).is_err() {
        return Ok(());
    }
    let stamp = work.stamp();
    work.tx
        .prepare_cached(
            "INSERT INTO receipts (sender, stamp, message, reader, at) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![sender.0, stamp.as_micros(), message, reader, at.as_micros()])?;
    work.tx
        .prepare_cached(
            "UPDATE items SET stamp = ?3, version = version + 1 WHERE user = ?1 AND created_at = ?2 AND deleted = 0",
        )?
        .execute([sender.0, message, stamp.as_micros()])?;
    Ok(())
}

pub(super) fn page(
    conn: &Connection,
    user: UserKey,
    since: Stamp,
    limit: usize,
) -> Result<ReceiptPage, Error> {
    let mut rows = conn.prepare_cached(
        "SELECT r.stamp, n.msgid, g.id, r.reader, r.at FROM receipts r
         JOIN notifications n ON n.created_at = r.message
         JOIN group_messages m ON m.created_at = r.message JOIN groups g ON g.key = m.group_key
         WHERE r.sender = ?1 AND r.stamp > ?2 ORDER BY r.stamp LIMIT ?3",
    )?;
    let mut found: Vec<(Stamp, ReceiptLine)> = rows
        .query_map(params![user.0, since.as_micros(), limit + 1], |r| {
            let line = ReceiptLine {
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

pub(super) fn forget(work: &mut Work<'_>, user: UserKey, through: Stamp) -> Result<(), Error> {
    work.tx
        .execute("DELETE FROM receipts WHERE sender = ?1 AND stamp <= ?2", [user.0, through.as_micros()])?;
    Ok(())
}

/// Who has read a message, as far as they are still users; the counts are those on the message.
pub(super) fn readers(conn: &Connection, group: &str, msgid: &MsgId) -> Result<Readers, Error> {
    let found: Option<(i64, i64, i64, u32, u32)> = conn
        .prepare_cached(
            "SELECT m.created_at, m.group_key, m.sender, m.read_count, m.members FROM notifications n
             JOIN group_messages m ON m.created_at = n.created_at JOIN groups g ON g.key = m.group_key
             WHERE n.msgid = ?1 AND g.id = ?2",
        )?
        .query_row([msgid.as_str(), group], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?, r.get(4)?)))
        .optional()?;
    let (message, key, sender, read_count, member_count) =
        found.ok_or_else(|| Error::not_found("message in this group"))?;
    let mut rows = conn.prepare_cached(
        "SELECT DISTINCT u.id, (SELECT a.at FROM acks a WHERE a.group_key = ?1 AND a.user = s.user AND a.through >= ?2
             ORDER BY a.through LIMIT 1)
         FROM memberships s JOIN users u ON u.key = s.user
         WHERE s.group_key = ?1 AND s.user <> ?3 AND s.joined_at < ?2 AND (s.left_at = 0 OR s.left_at > ?2)
         ORDER BY u.id",
    )?;
    let mut readers = Readers { read_count, member_count, ..Readers::default() };
    let mut rows = rows.query([key, message, sender])?;
    while let Some(row) = rows.next()? {
        let user: String = row.get(0)?;
        match super::row::time(row, 1)? {
            Some(at) => readers.read.push(Reader { user, at }),
            None => readers.unread.push(user),
        }
    }
    readers.read.sort_by(|a, b| (a.at, &a.user).cmp(&(b.at, &b.user)));
    Ok(readers)
}
