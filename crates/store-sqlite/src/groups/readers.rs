//! Lists the members who have read a group message, with whom it has arrived, and who have not read it.

use rusqlite::{Connection, params};
use tidings_model::MsgId;
use tidings_store::domain::account::UserKey;
use tidings_store::{Error, ListQuery, Reader, Readers};

use crate::sql;
use crate::tables::{acks, deliveries, users};

/// The columns of a group message that its readers depend on.
struct GroupMessage {
    created_at: i64,
    group: i64,
    sender: i64,
}

/// A page of the members whose reading of a message counts, those who still are users. The counts are those stored with
/// the message, of all members. At most `most` memberships are examined.
pub(crate) fn readers(
    conn: &Connection,
    group: &str,
    msgid: &MsgId,
    page: &ListQuery,
    most: usize,
) -> Result<Readers, Error> {
    let sql = "SELECT m.created_at, m.group_key, m.sender, m.read_count, m.members, m.delivered_count FROM notifications n
             JOIN group_messages m ON m.created_at = n.created_at JOIN groups g ON g.key = m.group_key
             WHERE n.msgid = ?1 AND g.id = ?2";
    let found: Option<(GroupMessage, Readers)> = sql::first(conn, sql, [msgid.as_str(), group], |r| {
        let message = GroupMessage { created_at: r.get(0)?, group: r.get(1)?, sender: r.get(2)? };
        let (read_count, member_count, delivered_count) = (r.get(3)?, r.get(4)?, r.get(5)?);
        Ok((message, Readers { read_count, delivered_count, member_count, ..Readers::default() }))
    })?;
    let (message, mut readers) = found.ok_or_else(|| Error::not_found("message in this group"))?;
    let after = match &page.after {
        Some(id) => users::by_id(conn, id)?.ok_or_else(|| Error::invalid("after", "must be a user"))?.key,
        None => UserKey(0),
    };
    fill_readers(conn, &message, after, (page.limit, most), &mut readers)?;
    readers.read.sort_by(|a, b| (a.at, &a.user).cmp(&(b.at, &b.user)));
    readers.delivered.sort();
    readers.unread.sort();
    Ok(readers)
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
