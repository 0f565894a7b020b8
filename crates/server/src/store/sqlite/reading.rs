//! Reads of the inbox: pulls and pages, each in one snapshot. Refuses to count.

use rusqlite::{Connection, ToSql, params};
use tidings_model::wire::{InboxPage, SyncPage, ViewMark};
use tidings_model::{Kind, Notification, Stamp};

use super::{marking, row};
use crate::domain::account::UserKey;
use crate::domain::limits;
use crate::error::Error;
use crate::store::InboxQuery;

/// What is new or changed after a stamp, in stamp order.
pub(super) fn sync(conn: &Connection, user: UserKey, since: Stamp, limit: usize) -> Result<SyncPage, Error> {
    let mut rows = conn.prepare_cached(&format!(
        "SELECT {} FROM {} WHERE i.user = ?1 AND i.stamp > ?2 ORDER BY i.stamp LIMIT ?3",
        row::COLUMNS,
        row::FROM
    ))?;
    let mut items: Vec<Notification> = rows
        .query_map(params![user.0, since.as_micros(), limit + 1], row::notification)?
        .collect::<Result<_, _>>()?;
    let mut more = items.len() > limit;
    items.truncate(limit);
    let mut upto = if more { items.last().map_or(since, |i| i.stamp) } else { Stamp::MAX };
    let mut marks = marks(conn, user, since, upto)?;
    if marks.len() > limits::SYNC {
        marks.truncate(limits::SYNC);
        upto = marks.last().map_or(upto, |m| m.stamp);
        items.retain(|i| i.stamp <= upto);
        more = true;
    }
    let newest = items.last().map(|i| i.stamp).max(marks.last().map(|m| m.stamp)).unwrap_or(since);
    let epoch = conn.prepare_cached("SELECT epoch FROM head WHERE one = 1")?.query_row([], |r| r.get(0))?;
    Ok(SyncPage { items, marks, next: newest.max(since), more, epoch, forgotten_before: None })
}

/// How many items came or changed after a stamp: the index alone is counted.
pub(super) fn changes_after(conn: &Connection, user: UserKey, since: Stamp) -> Result<u64, Error> {
    let count: i64 = conn
        .prepare_cached("SELECT count(*) FROM items WHERE user = ?1 AND stamp > ?2")?
        .query_row(params![user.0, since.as_micros()], |r| r.get(0))?;
    Ok(u64::try_from(count).unwrap_or_default())
}

fn marks(conn: &Connection, user: UserKey, since: Stamp, upto: Stamp) -> Result<Vec<ViewMark>, Error> {
    let mut rows = conn.prepare_cached(
        "SELECT kind, view, mark, stamp FROM views WHERE user = ?1 AND stamp > ?2 AND stamp <= ?3
         ORDER BY stamp LIMIT ?4",
    )?;
    let found = rows
        .query_map(params![user.0, since.as_micros(), upto.as_micros(), limits::SYNC + 1], |r| {
            let kind = Kind::from_row(r.get(0)?).unwrap_or(Kind::Reminder);
            Ok(ViewMark {
                view: marking::view(kind, r.get(1)?),
                through: Stamp::from_micros(r.get(2)?),
                stamp: Stamp::from_micros(r.get(3)?),
            })
        })?
        .collect::<Result<_, _>>()?;
    Ok(found)
}

/// A page of the inbox, newest first.
pub(super) fn inbox(
    conn: &Connection,
    user: UserKey,
    query: &InboxQuery,
    now: Stamp,
) -> Result<InboxPage, Error> {
    let mut found = keys(conn, user, query, now)?;
    let more = found.len() > query.limit;
    found.truncate(query.limit);
    let mut one = conn.prepare_cached(&format!(
        "SELECT {} FROM {} WHERE i.user = ?1 AND i.created_at = ?2",
        row::COLUMNS,
        row::FROM
    ))?;
    let mut items = Vec::with_capacity(found.len());
    for at in found {
        items.push(one.query_row([user.0, at], row::notification)?);
    }
    let next = if more { items.last().map(|i| i.created_at) } else { None };
    Ok(InboxPage { items, next })
}

/// Where the items of a page are: at most one more than fit.
fn keys(conn: &Connection, user: UserKey, query: &InboxQuery, now: Stamp) -> Result<Vec<i64>, Error> {
    let before = query.before.map_or(i64::MAX, Stamp::as_micros);
    let limit = query.limit + 1;
    if let Some(id) = &query.conversation {
        let narrow = "i.view = :view AND i.kind = 3 AND i.deleted = 0 AND i.created_at < :before";
        let sql = format!(
            "SELECT i.created_at FROM items i INDEXED BY items_of_conversation WHERE i.user = :user AND {narrow}
             ORDER BY i.created_at DESC LIMIT :limit"
        );
        return run(
            conn,
            &sql,
            &[(":user", &user.0), (":view", id), (":before", &before), (":limit", &limit)],
        );
    }
    let state = state(query);
    let now = now.as_micros();
    let base: [(&str, &dyn ToSql); 3] = [(":user", &user.0), (":before", &before), (":limit", &limit)];
    let mut values = base.to_vec();
    if query.unread == Some(true) {
        values.push((":now", &now));
    }
    let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(|k| query.kind.is_none_or(|w| w == *k)).collect();
    match query.thread.as_deref().map(thread) {
        Some(None) => Ok(Vec::new()),
        Some(Some(Thread::Reminders { kind, id, action })) => {
            if !kinds.contains(&Kind::Reminder) {
                return Ok(Vec::new());
            }
            let sql = format!(
                "SELECT i.created_at FROM notifications n INDEXED BY reminders_by_target
                 CROSS JOIN items i ON i.user = :user AND i.created_at = n.created_at
                 WHERE n.kind = 2 AND n.target_type = :type AND n.target_id = :id AND n.action = :action
                     AND n.created_at < :before AND {state}
                 ORDER BY n.created_at DESC LIMIT :limit"
            );
            let target: [(&str, &dyn ToSql); 3] = [(":type", &kind), (":id", &id), (":action", &action)];
            values.extend(target);
            run(conn, &sql, &values)
        }
        Some(Some(Thread::Conversation(id))) => {
            if !kinds.contains(&Kind::Message) {
                return Ok(Vec::new());
            }
            let sql = format!(
                "SELECT i.created_at FROM items i INDEXED BY items_of_conversation WHERE i.user = :user AND i.kind = 3
                     AND i.view = :view AND i.created_at < :before AND {state}
                 ORDER BY i.created_at DESC LIMIT :limit"
            );
            values.push((":view", &id));
            run(conn, &sql, &values)
        }
        Some(Some(Thread::Announcements)) => {
            let kinds: Vec<Kind> = kinds.into_iter().filter(|k| *k == Kind::Announcement).collect();
            merge(conn, &kinds, &state, &values, limit)
        }
        None => merge(conn, &kinds, &state, &values, limit),
    }
}

/// The condition on an item's state.
fn state(query: &InboxQuery) -> String {
    let archived = if query.archived { "NOT NULL" } else { "NULL" };
    let unread = match query.unread {
        Some(true) if query.archived => "AND 0",
        Some(true) => {
            "AND i.unread > 0 AND i.unread = 1 AND (i.snoozed_until IS NULL OR i.snoozed_until <= :now)"
        }
        _ => "",
    };
    format!("i.deleted = 0 AND i.archived_at IS {archived} {unread}").replace(
        "AND 0",
        // Keeps the parameter in the statement.
        "AND :now < 0",
    )
}

/// Each kind has its own order in the indexes; the newest of all of them are among the newest of each.
fn merge(
    conn: &Connection,
    kinds: &[Kind],
    state: &str,
    values: &[(&str, &dyn ToSql)],
    limit: usize,
) -> Result<Vec<i64>, Error> {
    let mut found: Vec<i64> = Vec::new();
    for kind in kinds {
        let sql = format!(
            "SELECT i.created_at FROM items i WHERE i.user = :user AND i.kind = {} AND i.created_at < :before
                 AND {state} ORDER BY i.created_at DESC LIMIT :limit",
            kind.as_row()
        );
        found.extend(run(conn, &sql, values)?);
    }
    found.sort_unstable_by(|a, b| b.cmp(a));
    found.truncate(limit);
    Ok(found)
}

fn run(conn: &Connection, sql: &str, values: &[(&str, &dyn ToSql)]) -> Result<Vec<i64>, Error> {
    let mut rows = conn.prepare_cached(sql)?;
    let found = rows.query_map(values, |r| r.get(0))?.collect::<Result<_, _>>()?;
    Ok(found)
}

enum Thread {
    Announcements,
    Reminders { kind: String, id: String, action: String },
    Conversation(String),
}

/// What a thread's name says; none where nothing can have that name.
fn thread(name: &str) -> Option<Thread> {
    if name == tidings_model::notification::ANNOUNCEMENTS_THREAD {
        return Some(Thread::Announcements);
    }
    if let Some((target, action)) = name.rsplit_once('#') {
        let (kind, id) = target.split_once(':')?;
        return Some(Thread::Reminders { kind: kind.into(), id: id.into(), action: action.into() });
    }
    tidings_model::view::is_conversation(name).then(|| Thread::Conversation(name.to_owned()))
}
