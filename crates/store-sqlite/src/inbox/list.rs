//! Reads a page of an inbox.

use rusqlite::{Connection, Row, ToSql};
use tidings_model::{Kind, Stamp};
use tidings_store::domain::account::UserKey;
use tidings_store::domain::thread::ThreadKey;
use tidings_store::page::{ItemsPage, PageBuilder};
use tidings_store::{Error, InboxQuery, item_row};

use super::row;

/// The time of an item's content, by which lists go, and that of its creation, by which it is found.
#[derive(Clone, Copy)]
struct Key {
    content_at: i64,
    created_at: i64,
}

/// A page of an inbox, newest content first.
pub(crate) fn inbox(
    conn: &Connection,
    user: UserKey,
    query: &InboxQuery,
    now: Stamp,
) -> Result<ItemsPage, Error> {
    let mut found = keys(conn, user, query, now)?;
    let more = found.len() > query.limit;
    found.truncate(query.limit);
    let mut item_statement = conn.prepare_cached(&format!(
        "SELECT {} FROM {} WHERE i.user = ?1 AND i.created_at = ?2",
        row::COLUMNS,
        row::FROM
    ))?;
    let mut page = PageBuilder::new(query.limit);
    let mut last = None;
    for key in found {
        let mut rows = item_statement.query([user.0, key.created_at])?;
        let Some(row) = rows.next()? else { continue };
        if !page.push(&item_row::notification(row)?)? {
            break;
        }
        last = Some(Stamp::from_micros(key.content_at));
    }
    let next = if more || page.is_full() { last } else { None };
    Ok(ItemsPage { items: page.into_elements(), next })
}

/// The keys of a page's items, newest first: one more than the page takes, if there are more.
fn keys(conn: &Connection, user: UserKey, query: &InboxQuery, now: Stamp) -> Result<Vec<Key>, Error> {
    let before = query.before.map_or(i64::MAX, Stamp::as_micros);
    let limit = query.limit + 1;
    if let Some(id) = &query.conversation {
        let condition = "i.view = :view AND i.kind = 3 AND i.deleted = 0 AND i.created_at < :before";
        let sql = format!(
            "SELECT i.created_at, i.created_at FROM items i INDEXED BY items_of_conversation WHERE i.user = :user AND {condition}
             ORDER BY i.created_at DESC LIMIT :limit"
        );
        return query_keys(
            conn,
            &sql,
            &[(":user", &user.0), (":view", id), (":before", &before), (":limit", &limit)],
        );
    }
    if query.archived && query.unread == Some(true) {
        // An archived item does not count as unread.
        return Ok(Vec::new());
    }
    let state = state_condition(query);
    let now = now.as_micros();
    let base: [(&str, &dyn ToSql); 3] = [(":user", &user.0), (":before", &before), (":limit", &limit)];
    let mut values = base.to_vec();
    if query.unread == Some(true) {
        values.push((":now", &now));
    }
    let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(|k| query.kind.is_none_or(|w| w == *k)).collect();
    match query.thread.as_deref().map(ThreadKey::parse) {
        Some(None) => Ok(Vec::new()),
        Some(Some(ThreadKey::Reminders { view, action })) => {
            if !kinds.contains(&Kind::Reminder) {
                return Ok(Vec::new());
            }
            let sql = format!(
                "SELECT i.content_at, i.created_at FROM items i INDEXED BY items_of_thread WHERE i.user = :user AND i.kind = 2
                     AND i.view = :view AND i.action = :action AND i.content_at < :before AND {state}
                 ORDER BY i.content_at DESC LIMIT :limit"
            );
            values.push((":view", &view));
            values.push((":action", &action));
            query_keys(conn, &sql, &values)
        }
        Some(Some(ThreadKey::Conversation(id))) => {
            if !kinds.contains(&Kind::Message) {
                return Ok(Vec::new());
            }
            let sql = format!(
                "SELECT i.created_at, i.created_at FROM items i INDEXED BY items_of_conversation WHERE i.user = :user AND i.kind = 3
                     AND i.view = :view AND i.created_at < :before AND {state}
                 ORDER BY i.created_at DESC LIMIT :limit"
            );
            values.push((":view", &id));
            query_keys(conn, &sql, &values)
        }
        Some(Some(ThreadKey::Announcements)) => {
            let kinds: Vec<Kind> = kinds.into_iter().filter(|k| *k == Kind::Announcement).collect();
            merge(conn, &kinds, query, &values, limit)
        }
        None => merge(conn, &kinds, query, &values, limit),
    }
}

/// The SQL condition on an item's state.
fn state_condition(query: &InboxQuery) -> String {
    let archived = if query.archived { "NOT NULL" } else { "NULL" };
    let unread = if query.unread == Some(true) {
        "AND i.unread > 0 AND i.unread = 1 AND (i.snoozed_until IS NULL OR i.snoozed_until <= :now)"
    } else {
        ""
    };
    format!("i.deleted = 0 AND i.archived_at IS {archived} {unread}")
}

/// The index of one kind's items in this state; that of unread ones also has snoozed items.
fn index(query: &InboxQuery) -> &'static str {
    match (query.archived, query.unread) {
        (true, _) => "items_archived",
        (false, Some(true)) => "items_unread_listed",
        (false, _) => "items_listed",
    }
}

/// Merges the newest items of each kind, because the indexes are ordered within one kind.
fn merge(
    conn: &Connection,
    kinds: &[Kind],
    query: &InboxQuery,
    values: &[(&str, &dyn ToSql)],
    limit: usize,
) -> Result<Vec<Key>, Error> {
    let (index, state) = (index(query), state_condition(query));
    let mut found: Vec<Key> = Vec::new();
    for kind in kinds {
        let sql = format!(
            "SELECT i.content_at, i.created_at FROM items i INDEXED BY {index} WHERE i.user = :user AND i.kind = {}
                 AND i.content_at < :before
                 AND {state} ORDER BY i.content_at DESC LIMIT :limit",
            kind.as_row()
        );
        found.extend(query_keys(conn, &sql, values)?);
    }
    found.sort_unstable_by_key(|key| std::cmp::Reverse(key.content_at));
    found.truncate(limit);
    Ok(found)
}

fn query_keys(conn: &Connection, sql: &str, values: &[(&str, &dyn ToSql)]) -> Result<Vec<Key>, Error> {
    let mut rows = conn.prepare_cached(sql)?;
    let key = |r: &Row<'_>| Ok(Key { content_at: r.get(0)?, created_at: r.get(1)? });
    let found = rows.query_map(values, key)?.collect::<Result<_, _>>()?;
    Ok(found)
}
