//! Reads a page of an inbox's conversations.

use rusqlite::{Connection, params};
use tidings_model::{Kind, Notification, Stamp};
use tidings_store::domain::account::UserKey;
use tidings_store::domain::json_size::json_size;
use tidings_store::domain::limits;
use tidings_store::{Conversation, ConversationQuery, Error, item_row};

use super::counts::unread_in;
use super::row;
use crate::tables::{closed_conversations, former_users, groups, read_marks, users};

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
    let anybody_left = former_users::any(conn)?;
    let before = query.before.map_or(i64::MAX, Stamp::as_micros);
    let mut rows = rows.query(params![user.0, before, query.limit])?;
    let (mut found, mut bytes) = (Vec::new(), 2);
    while let Some(row) = rows.next()? {
        let (id, newest_at): (String, i64) = (row.get(0)?, row.get(1)?);
        let mut newest = newest.query([user.0, newest_at])?;
        let Some(last) = newest.next()?.map(item_row::notification).transpose()? else { continue };
        let (title, closed) = title(conn, user, &id, &last, anybody_left)?;
        let conversation = Conversation {
            title,
            closed,
            unread: unread_in(conn, user, Kind::Message, &id, query.cap, now)?,
            read_through: read_marks::get(conn, user, Kind::Message, &id)?.map(|(mark, _)| mark),
            id,
            last,
        };
        bytes += json_size(&conversation)? + 1;
        if bytes > limits::PAGE_BYTES && !found.is_empty() {
            break;
        }
        found.push(conversation);
    }
    Ok(found)
}

/// The group's name, the other user's name, or the name that the sender gave in the last message. Also whether the
/// group was ended or the user removed, for which nothing is looked up unless `anybody_left`.
fn title(
    conn: &Connection,
    user: UserKey,
    view: &str,
    last: &Notification,
    anybody_left: bool,
) -> Result<(String, bool), Error> {
    if let Some(group) = view.strip_prefix("group:") {
        let found = groups::get(conn, group)?;
        return Ok(found.map_or_else(|| (group.to_owned(), false), |group| (group.name, group.ended)));
    }
    let peer = view.strip_prefix("user:").unwrap_or(view);
    if let Some(user) = users::by_id(conn, peer)? {
        return Ok((user.name, false));
    }
    if anybody_left && let Some(name) = closed_conversations::name(conn, user, view)? {
        return Ok((name, true));
    }
    let name = if last.actor.id == peer { last.actor.name.clone() } else { peer.to_owned() };
    Ok((name, anybody_left && former_users::is_taken(conn, peer)?))
}
