//! Which conversations an inbox has, by their newest item that was not deleted: one row each, kept with every change of
//! the items, so that a page of them costs what the page holds.

use std::io;

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::{Kind, Notification, Stamp};

use super::counting::unread_in;
use super::write_context::WriteContext;
use super::{accounts, marking, row};
use crate::domain::account::UserKey;
use crate::domain::limits;
use crate::error::Error;
use crate::store::{Conversation, ConversationQuery};

/// A message came into a conversation.
pub(super) fn message_arrived(
    ctx: &WriteContext<'_>,
    user: UserKey,
    id: &str,
    created_at: Stamp,
) -> Result<(), Error> {
    ctx.tx
        .prepare_cached(
            "INSERT INTO conversations (user, view, last_at) VALUES (?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET last_at = excluded.last_at WHERE excluded.last_at > last_at",
        )?
        .execute(params![user.0, id, created_at.as_micros()])?;
    Ok(())
}

/// A message was deleted: if it was the newest, the one before it is now.
pub(super) fn message_deleted(
    ctx: &WriteContext<'_>,
    user: UserKey,
    id: &str,
    created_at: Stamp,
) -> Result<(), Error> {
    let was_last = ctx
        .tx
        .prepare_cached("SELECT 1 FROM conversations WHERE user = ?1 AND view = ?2 AND last_at = ?3")?
        .exists(params![user.0, id, created_at.as_micros()])?;
    if !was_last {
        return Ok(());
    }
    let before: Option<i64> = ctx
        .tx
        .prepare_cached(
            "SELECT created_at FROM items INDEXED BY items_of_conversation WHERE user = ?1 AND kind = 3 AND deleted = 0
                 AND view = ?2 AND created_at < ?3 ORDER BY created_at DESC LIMIT 1",
        )?
        .query_row(params![user.0, id, created_at.as_micros()], |r| r.get(0))
        .optional()?;
    match before {
        Some(at) => ctx
            .tx
            .prepare_cached("UPDATE conversations SET last_at = ?3 WHERE user = ?1 AND view = ?2")?
            .execute(params![user.0, id, at])?,
        None => ctx
            .tx
            .prepare_cached("DELETE FROM conversations WHERE user = ?1 AND view = ?2")?
            .execute(params![user.0, id])?,
    };
    Ok(())
}

/// Puts right the rows of the next conversations of an inbox that hold anything, after one of them; answers after which
/// to go on, or none at the end.
pub(super) fn repair_listed(
    ctx: &WriteContext<'_>,
    user: UserKey,
    after: &str,
    batch: usize,
) -> Result<Option<String>, Error> {
    let mut next = ctx.tx.prepare_cached(
        "SELECT view FROM items INDEXED BY items_of_conversation WHERE user = ?1 AND kind = 3 AND deleted = 0
             AND view > ?2 ORDER BY view LIMIT 1",
    )?;
    let mut put = ctx.tx.prepare_cached(
        "INSERT INTO conversations (user, view, last_at)
         SELECT user, view, created_at FROM (SELECT user, view, created_at FROM items INDEXED BY items_of_conversation
             WHERE user = ?1 AND kind = 3 AND deleted = 0 AND view = ?2 ORDER BY created_at DESC LIMIT 1) WHERE true
         ON CONFLICT DO UPDATE SET last_at = excluded.last_at WHERE excluded.last_at <> last_at",
    )?;
    let mut last = after.to_owned();
    for _ in 0..batch {
        let view: Option<String> = next.query_row(params![user.0, last], |r| r.get(0)).optional()?;
        let Some(view) = view else { return Ok(None) };
        put.execute(params![user.0, view])?;
        last = view;
    }
    Ok(Some(last))
}

/// Deletes those of the next rows that stand for conversations without items, after one of them; answers after which to
/// go on, or none at the end.
pub(super) fn repair_unlisted(
    ctx: &WriteContext<'_>,
    user: UserKey,
    after: &str,
    batch: usize,
) -> Result<Option<String>, Error> {
    let last: Option<String> = ctx
        .tx
        .prepare_cached(
            "SELECT view FROM conversations WHERE user = ?1 AND view > ?2 ORDER BY view LIMIT 1 OFFSET ?3",
        )?
        .query_row(params![user.0, after, batch.saturating_sub(1)], |r| r.get(0))
        .optional()?;
    ctx.tx
        .prepare_cached(
            "DELETE FROM conversations WHERE user = ?1 AND view > ?2 AND view <= ?3 AND NOT EXISTS (
                 SELECT 1 FROM items i INDEXED BY items_of_conversation WHERE i.user = ?1 AND i.kind = 3
                     AND i.deleted = 0 AND i.view = conversations.view)",
        )?
        // No view's name sorts after the last of these.
        .execute(params![user.0, after, last.as_deref().unwrap_or("~")])?;
    Ok(last)
}

/// A page of an inbox's conversations, latest first.
pub(super) fn page(
    conn: &Connection,
    user: UserKey,
    query: &ConversationQuery,
    now: Stamp,
) -> Result<Vec<Conversation>, Error> {
    let mut rows = conn.prepare_cached(
        "SELECT view, last_at FROM conversations WHERE user = ?1 AND last_at < ?2 ORDER BY last_at DESC LIMIT ?3",
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
        let (id, last_at): (String, i64) = (row.get(0)?, row.get(1)?);
        let Some(last) = newest.query_row([user.0, last_at], row::notification).optional()? else { continue };
        let conversation = Conversation {
            title: title(conn, &id, &last)?,
            unread: unread_in(conn, user, Kind::Message, &id, query.cap, now)?,
            read_through: marking::mark(conn, user, Kind::Message, &id)?.map(|(mark, _)| mark),
            id,
            last,
        };
        bytes += size(&conversation)? + 1;
        if bytes > limits::PAGE && !found.is_empty() {
            break;
        }
        found.push(conversation);
    }
    Ok(found)
}

/// Bytes as JSON.
fn size(conversation: &Conversation) -> Result<usize, Error> {
    struct Counter(usize);
    impl io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(0);
    serde_json::to_writer(&mut counter, conversation)?;
    Ok(counter.0)
}

/// The group's name, the peer's name, or what the peer called itself.
fn title(conn: &Connection, view: &str, last: &Notification) -> Result<String, Error> {
    if let Some(group) = view.strip_prefix("group:") {
        let name = conn
            .prepare_cached("SELECT name FROM groups WHERE id = ?1")?
            .query_row([group], |r| r.get(0))
            .optional()?;
        return Ok(name.unwrap_or_else(|| group.to_owned()));
    }
    let peer = view.strip_prefix("user:").unwrap_or(view);
    Ok(match accounts::user(conn, peer)? {
        Some(user) => user.name,
        None if last.actor.id == peer => last.actor.name.clone(),
        None => peer.to_owned(),
    })
}
