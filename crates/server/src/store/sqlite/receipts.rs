//! Who read what: receipts on their way to the sender, and the counts that stay. Refuses to keep a receipt that was
//! delivered.

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::{MsgId, Stamp};

use super::write_context::WriteContext;
use crate::domain::account::UserKey;
use crate::domain::draft::receipts_expire;
use crate::error::Error;
use crate::store::{AffectedSenders, ListQuery, MessageReceipt, Reader, Readers, ReceiptPage};

/// Messages of a group that a member reads at once: those created after a time, up to another.
pub(super) struct Range {
    pub(super) group: i64,
    pub(super) reader: UserKey,
    pub(super) after: i64,
    pub(super) through: i64,
}

/// Those of a range (`?1` the group, `?2` the reader, `?3` after, `?4` through) that count for the reader: from somebody
/// else, and posted while it was a member.
const COUNT: &str = "m.group_key = ?1 AND m.created_at > ?3 AND m.created_at <= ?4 AND m.sender <> ?2
    AND EXISTS (SELECT 1 FROM memberships s WHERE s.group_key = ?1 AND s.user = ?2
        AND s.joined_at < m.created_at AND (s.left_at = 0 OR s.left_at > m.created_at))";

/// A member read the messages of a range: the count on each, a receipt for its sender, and the sender's item anew, the
/// two at one stamp. Answers how many messages that were.
pub(super) fn add(
    ctx: &mut WriteContext<'_>,
    range: &Range,
    at: Stamp,
    affected: &mut AffectedSenders,
) -> Result<usize, Error> {
    let Range { group, reader, after, through } = *range;
    let values = [group, reader.0, after, through];
    let read = ctx
        .tx
        .prepare_cached(&format!(
            "UPDATE group_messages AS m INDEXED BY group_messages_by_group SET read_count = read_count + 1 WHERE {COUNT}"
        ))?
        .execute(values)?;
    if read == 0 {
        return Ok(0);
    }
    let mut senders = ctx.tx.prepare_cached(&format!(
        "SELECT m.sender FROM group_messages m INDEXED BY group_messages_by_group WHERE {COUNT}"
    ))?;
    for sender in senders.query_map(values, |r| r.get(0).map(UserKey))? {
        affected.insert(sender?);
    }
    let name = super::accounts::id_of(ctx.tx, reader)?;
    // A sender may be gone, and its inbox with it; a receipt for so old a message would be forgotten at once.
    let told = format!(
        "FROM group_messages m INDEXED BY group_messages_by_group CROSS JOIN users u ON u.key = m.sender AND u.id < '~'
         WHERE {COUNT} AND m.created_at >= ?5"
    );
    let young = receipts_expire(ctx.now).as_micros();
    ctx.assign_stamps(|tx, first| {
        let receipts = tx
            .prepare_cached(&format!(
                "INSERT INTO receipts (sender, stamp, message, reader, at)
                 SELECT m.sender, ?6 - 1 + row_number() OVER (ORDER BY m.created_at), m.created_at, ?8, ?7 {told}"
            ))?
            .execute(params![
                group,
                reader.0,
                after,
                through,
                young,
                first.as_micros(),
                at.as_micros(),
                name
            ])?;
        tx.prepare_cached(&format!(
            "UPDATE items SET stamp = r.stamp, version = version + 1
             FROM (SELECT m.sender AS sender, m.created_at AS message,
                     ?6 - 1 + row_number() OVER (ORDER BY m.created_at) AS stamp {told}) AS r
             WHERE items.user = r.sender AND items.created_at = r.message AND items.deleted = 0"
        ))?
        .execute(params![group, reader.0, after, through, young, first.as_micros()])?;
        Ok(receipts)
    })
    .map(|_| read)
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

/// Deletes a portion of the receipts that were delivered; answers how many.
pub(super) fn forget(
    ctx: &mut WriteContext<'_>,
    user: UserKey,
    through: Stamp,
    batch: usize,
) -> Result<usize, Error> {
    Ok(ctx
        .tx
        .prepare_cached(
            "DELETE FROM receipts WHERE (sender, stamp) IN (SELECT sender, stamp FROM receipts
                 WHERE sender = ?1 AND stamp <= ?2 ORDER BY stamp LIMIT ?3)",
        )?
        .execute(params![user.0, through.as_micros(), batch])?)
}

/// A message of a group, as far as its readers are concerned.
struct Message {
    created_at: i64,
    group: i64,
    sender: i64,
}

/// Memberships that are looked at for one page of readers.
const MAX_EXAMINED: usize = 20_000;

/// Who has read a message, as far as they are still users: a page of those who count. The counts are those on the
/// message.
pub(super) fn readers(
    conn: &Connection,
    group: &str,
    msgid: &MsgId,
    page: &ListQuery,
) -> Result<Readers, Error> {
    let found: Option<(Message, u32, u32)> = conn
        .prepare_cached(
            "SELECT m.created_at, m.group_key, m.sender, m.read_count, m.members FROM notifications n
             JOIN group_messages m ON m.created_at = n.created_at JOIN groups g ON g.key = m.group_key
             WHERE n.msgid = ?1 AND g.id = ?2",
        )?
        .query_row([msgid.as_str(), group], |r| {
            Ok((Message { created_at: r.get(0)?, group: r.get(1)?, sender: r.get(2)? }, r.get(3)?, r.get(4)?))
        })
        .optional()?;
    let (message, read_count, member_count) =
        found.ok_or_else(|| Error::not_found("message in this group"))?;
    let after = match &page.after {
        Some(id) => {
            super::accounts::user(conn, id)?.ok_or_else(|| Error::invalid("after", "must be a user"))?.key
        }
        None => UserKey(0),
    };
    let mut readers = Readers { read_count, member_count, ..Readers::default() };
    listed(conn, &message, after, page.limit, &mut readers)?;
    readers.read.sort_by(|a, b| (a.at, &a.user).cmp(&(b.at, &b.user)));
    readers.unread.sort();
    Ok(readers)
}

/// Goes through the memberships of a group from one user on.
fn listed(
    conn: &Connection,
    message: &Message,
    after: UserKey,
    limit: usize,
    readers: &mut Readers,
) -> Result<(), Error> {
    let mut members = conn.prepare_cached(
        "SELECT s.user, u.id, s.joined_at, s.left_at FROM memberships s CROSS JOIN users u ON u.key = s.user
         WHERE s.group_key = ?1 AND s.user > ?2 AND u.id < '~' ORDER BY s.user LIMIT ?3",
    )?;
    let mut read_at = conn.prepare_cached(
        "SELECT at FROM acks WHERE group_key = ?1 AND user = ?2 AND through >= ?3 ORDER BY through LIMIT 1",
    )?;
    let (mut examined, mut last, mut counted) = (0, None, after.0);
    let mut rows = members.query(params![message.group, after.0, MAX_EXAMINED])?;
    while let Some(row) = rows.next()? {
        let (user, id): (i64, String) = (row.get(0)?, row.get(1)?);
        let (joined_at, left_at): (i64, i64) = (row.get(2)?, row.get(3)?);
        examined += 1;
        let there = joined_at < message.created_at && (left_at == 0 || left_at > message.created_at);
        if there && user != message.sender && user != counted {
            if readers.read.len() + readers.unread.len() == limit {
                readers.next = last;
                return Ok(());
            }
            counted = user;
            match read_at.query_row([message.group, user, message.created_at], |r| r.get(0)).optional()? {
                Some(at) => readers.read.push(Reader { user: id.clone(), at: Stamp::from_micros(at) }),
                None => readers.unread.push(id.clone()),
            }
        }
        last = Some(id);
    }
    readers.next = last.filter(|_| examined == MAX_EXAMINED);
    Ok(())
}
