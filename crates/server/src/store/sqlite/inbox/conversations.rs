//! Reads a page of an inbox's conversations.

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::{Kind, Notification, Stamp};

use super::counts::unread_in;
use super::row;
use crate::domain::account::UserKey;
use crate::domain::limits;
use crate::error::Error;
use crate::store::sqlite::tables::{read_marks, users};
use crate::store::{Conversation, ConversationQuery, item_row, page};

/// A page of an inbox's conversations, latest first.
pub(crate) fn page(
    conn: &Connection,
    user: UserKey,
    query: &ConversationQuery,
    now: Stamp,
) -> Result<Vec<Conversation>, Error> {
    let mut rows = conn.prepare_cached(
        "SELECT view, newest_at FROM conversations WHERE user = ?1 AND newest_at < ?2 ORDER BY newest_at DESC LIMIT ?3",
    )?;
    let mut newest = conn.prepare_cached(&format!(
        "SELECT {} FROM {} WHERE i.user = ?1 AND i.created_at = ?2",
        row::COLUMNS,
        row::FROM
    ))?;
    let before = query.before.map_or(i64::MAX, Stamp::as_micros);
    let mut rows = rows.query(params![user.0, before, query.limit])?;
    let (mut found, mut bytes) = (Vec::new(), 2);
    while let Some(row) = rows.next()? {
        let (id, newest_at): (String, i64) = (row.get(0)?, row.get(1)?);
        let mut newest = newest.query([user.0, newest_at])?;
        let Some(last) = newest.next()?.map(item_row::notification).transpose()? else { continue };
        let conversation = Conversation {
            title: title(conn, &id, &last)?,
            unread: unread_in(conn, user, Kind::Message, &id, query.cap, now)?,
            read_through: read_marks::get(conn, user, Kind::Message, &id)?.map(|(mark, _)| mark),
            id,
            last,
        };
        bytes += page::json_size(&conversation)? + 1;
        if bytes > limits::PAGE_BYTES && !found.is_empty() {
            break;
        }
        found.push(conversation);
    }
    Ok(found)
}

/// The group's name, the other user's name, or the name that the sender gave in the last message.
fn title(conn: &Connection, view: &str, last: &Notification) -> Result<String, Error> {
    if let Some(group) = view.strip_prefix("group:") {
        let name = conn
            .prepare_cached("SELECT name FROM groups WHERE id = ?1")?
            .query_row([group], |r| r.get(0))
            .optional()?;
        return Ok(name.unwrap_or_else(|| group.to_owned()));
    }
    let peer = view.strip_prefix("user:").unwrap_or(view);
    Ok(match users::by_id(conn, peer)? {
        Some(user) => user.name,
        None if last.actor.id == peer => last.actor.name.clone(),
        None => peer.to_owned(),
    })
}
