//! Numbers of the inbox, and the conversations with theirs, each in one snapshot. Refuses to count further than asked.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, ToSql, params};
use tidings_model::wire::{Count, UnreadCounts};
use tidings_model::{Kind, Notification, Stamp, View};

use super::{marking, row};
use crate::domain::account::UserKey;
use crate::error::Error;
use crate::store::Conversation;

/// Not sleeping at a time.
const AWAKE: &str = "(snoozed_until IS NULL OR snoozed_until <= :now)";

/// A number from a query that stops one after the cap.
fn capped(n: i64, cap: u64) -> Count {
    let n = u64::try_from(n).unwrap_or(0);
    Count { count: n.min(cap), capped: n > cap }
}

fn of_kind(conn: &Connection, user: UserKey, kind: Kind, cap: u64, now: Stamp) -> Result<i64, Error> {
    Ok(conn
        .prepare_cached(&format!(
            "SELECT count(*) FROM (SELECT 1 FROM items INDEXED BY items_unread WHERE user = :user AND unread > 0
                 AND unread = 1 AND kind = :kind AND {AWAKE} LIMIT :limit)"
        ))?
        .query_row(
            &[(":user", &user.0), (":kind", &kind.as_row()), (":now", &now.as_micros()), (":limit", &stop(cap))],
            |r| r.get(0),
        )?)
}

fn stop(cap: u64) -> i64 {
    i64::try_from(cap).unwrap_or(i64::MAX - 1) + 1
}

/// What is unread in a view.
pub(super) fn unread_in(
    conn: &Connection,
    user: UserKey,
    kind: Kind,
    view: &str,
    cap: u64,
    now: Stamp,
) -> Result<Count, Error> {
    let sql = match kind {
        Kind::Announcement => return Ok(capped(of_kind(conn, user, kind, cap, now)?, cap)),
        Kind::Message => format!(
            "SELECT count(*) FROM (SELECT 1 FROM items INDEXED BY items_unread_of_view WHERE user = :user AND unread > 0
                 AND unread = 1 AND kind = 3 AND view = :view AND {AWAKE} LIMIT :limit)"
        ),
        Kind::Reminder => format!(
            "SELECT count(*) FROM (SELECT 1 FROM items INDEXED BY items_unread_of_view WHERE user = :user AND unread > 0
                 AND unread = 1 AND kind = 2 AND view = :view AND {AWAKE} LIMIT :limit)"
        ),
    };
    let n = conn.prepare_cached(&sql)?.query_row(
        &[
            (":user", &user.0 as &dyn ToSql),
            (":view", &view),
            (":now", &now.as_micros()),
            (":limit", &stop(cap)),
        ],
        |r| r.get(0),
    )?;
    Ok(capped(n, cap))
}

/// The numbers, each counted no further than the cap.
pub(super) fn unread(conn: &Connection, user: UserKey, cap: u64, now: Stamp) -> Result<UnreadCounts, Error> {
    let [announcement, reminder, message] = {
        let mut counts = [0; 3];
        for (n, kind) in counts.iter_mut().zip(Kind::ALL) {
            *n = of_kind(conn, user, kind, cap, now)?;
        }
        counts
    };
    let mut conversations = BTreeMap::new();
    let mut last = String::new();
    let mut following = conn.prepare_cached(
        "SELECT view FROM items INDEXED BY items_unread_of_view WHERE user = ?1 AND unread > 0 AND unread = 1
             AND kind = 3 AND view > ?2 ORDER BY view LIMIT 1",
    )?;
    while let Some(view) = following.query_row(params![user.0, last], |r| r.get::<_, String>(0)).optional()? {
        let count = unread_in(conn, user, Kind::Message, &view, cap, now)?;
        if count.count > 0 {
            conversations.insert(view.clone(), count);
        }
        last = view;
    }
    Ok(UnreadCounts {
        total: capped(announcement + reminder + message, cap),
        announcement: capped(announcement, cap),
        reminder: capped(reminder, cap),
        message: capped(message, cap),
        conversations,
    })
}

/// A view's mark, and what is unread in it.
pub(super) fn view(
    conn: &Connection,
    user: UserKey,
    view: &View,
    cap: u64,
    now: Stamp,
) -> Result<(Option<Stamp>, Count), Error> {
    let (kind, id) = marking::place(view);
    let mark = marking::mark(conn, user, kind, id)?.map(|(mark, _)| mark);
    Ok((mark, unread_in(conn, user, kind, id, cap, now)?))
}

/// The conversations that have anything in them, latest first.
pub(super) fn conversations(
    conn: &Connection,
    user: UserKey,
    cap: u64,
    now: Stamp,
) -> Result<Vec<Conversation>, Error> {
    let mut following = conn.prepare_cached(
        "SELECT view FROM items INDEXED BY items_of_conversation WHERE user = ?1 AND kind = 3 AND deleted = 0
             AND view > ?2 ORDER BY view LIMIT 1",
    )?;
    let mut newest = conn.prepare_cached(&format!(
        "SELECT {} FROM {} WHERE i.user = ?1 AND i.kind = 3 AND i.view = ?2 AND i.deleted = 0
         ORDER BY i.created_at DESC LIMIT 1",
        row::COLUMNS,
        row::FROM
    ))?;
    let mut found = Vec::new();
    let mut id = String::new();
    while let Some(view) = following.query_row(params![user.0, id], |r| r.get::<_, String>(0)).optional()? {
        if let Some(last) = newest.query_row(params![user.0, view], row::notification).optional()? {
            found.push(Conversation {
                title: title(conn, &view, &last)?,
                unread: unread_in(conn, user, Kind::Message, &view, cap, now)?,
                read_through: marking::mark(conn, user, Kind::Message, &view)?.map(|(mark, _)| mark),
                id: view.clone(),
                last,
            });
        }
        id = view;
    }
    found.sort_by_key(|c| std::cmp::Reverse(c.last.created_at));
    Ok(found)
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
    Ok(match super::accounts::user(conn, peer)? {
        Some(user) => user.name,
        None if last.actor.id == peer => last.actor.name.clone(),
        None => peer.to_owned(),
    })
}
